// What the engine asks of its host. In WebAssembly these are the module's only imports.
#pragma once

#include <string_view>

namespace onnxlet {

double host_now();  // microseconds, monotonic
void host_log(int level, std::string_view line);

}  // namespace onnxlet
