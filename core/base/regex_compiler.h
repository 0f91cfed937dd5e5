// The text of a regular expression to the program that base/regex.h runs.
#pragma once

#include <string_view>

#include "base/regex.h"

namespace onnxlet {

Result<Regex> compile_regex(std::string_view pattern);

}  // namespace onnxlet
