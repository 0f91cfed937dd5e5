// The text of a regular expression to the program that tokenizers/pattern.h runs.
#pragma once

#include <string_view>

#include "tokenizers/pattern.h"

namespace onnxlet {

Result<Pattern> compile_pattern(std::string_view expression);

}  // namespace onnxlet
