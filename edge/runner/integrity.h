// SHA256SUMS: whether the bundle's folder is what it was.
#pragma once

#include <string>

namespace runner {

// Ends the program at the first file, by name, that has changed, is missing or does not belong there. False where the
// program has no folder to look at: a WebAssembly module that was given none.
bool check_folder(const char* program);

}  // namespace runner
