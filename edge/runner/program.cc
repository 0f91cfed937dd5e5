#include "program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace runner {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void note(std::string_view line) {
  write_all(STDERR_FILENO, std::string(line) + "\n");  // what cannot be said is lost
}

void end(Exit exit) { _Exit(static_cast<int>(exit)); }

void fail(Exit exit, std::string_view message) {
  note(text("error: ", message));
  end(exit);
}

void print(std::string_view bytes) {
  if (!write_all(STDOUT_FILENO, bytes)) fail(Exit::kFailed, "the answer cannot be written to standard output");
}

}  // namespace runner
