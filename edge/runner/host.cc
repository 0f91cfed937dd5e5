// What the WebAssembly engine asks its host for.
#if defined(__wasm__)

#include <chrono>
#include <string>
#include <string_view>

#include "program.h"

extern "C" {
double ol_host_now(void) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
void ol_host_log(int, const char* line, size_t length) { runner::note(std::string_view(line, length)); }
}

#endif
