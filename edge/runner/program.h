// How the program ends, and what it says.
#pragma once

#include <string_view>

#include "base/text.h"

namespace runner {

using onnxlet::text;

enum class Exit {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kAltered = 3,  // the bundle is not what it was
};

// "error: MESSAGE" on standard error.
[[noreturn]] void fail(Exit exit, std::string_view message);
[[noreturn]] void end(Exit exit);

// False when not all could be written; errno says why.
bool write_all(int descriptor, std::string_view bytes);
void print(std::string_view text);  // on standard output
void note(std::string_view line);   // on standard error

}  // namespace runner
