#include "runtime/host.h"

#if defined(__wasm__)

extern "C" {
__attribute__((import_module("onnxlet"), import_name("ol_host_now"))) double ol_host_now(void);
__attribute__((import_module("onnxlet"), import_name("ol_host_log"))) void ol_host_log(int level, const char* s,
                                                                                       size_t n);
}

namespace onnxlet {
double host_now() { return ol_host_now(); }
void host_log(int level, std::string_view line) { ol_host_log(level, line.data(), line.size()); }
}  // namespace onnxlet

#else

#include <unistd.h>

#include <chrono>
#include <string>

namespace onnxlet {
double host_now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
void host_log(int, std::string_view line) {
  const std::string with_end = std::string(line) + "\n";
  if (write(STDERR_FILENO, with_end.data(), with_end.size()) < 0) return;  // a log that cannot be written is lost
}
}  // namespace onnxlet

#endif
