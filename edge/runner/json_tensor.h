// Tensors as JSON: lists in lists, a flat list where the input's shape says the rest, or {"shape": [...], "data":
// [...]} as --json writes them. Floats that JSON has not are the strings "NaN", "Infinity" and "-Infinity".
#pragma once

#include <string_view>

#include "engine.h"
#include "interface.h"

namespace runner {

Value parse_tensor(std::string_view json, const Input& input);

}  // namespace runner
