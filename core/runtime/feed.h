#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/value.h"
#include "onnx/model.h"

namespace onnxlet {

// Sizes that the user gave to named dimensions.
using FreeDimensions = std::vector<std::pair<std::string, int64_t>>;

// Dimension i of a declared type: its size, the size given to its name, or negative when neither is known.
int64_t fixed_dim(const TypeSpec& type, size_t i, const FreeDimensions& free_dimensions);

// Does a value fit what the model declares for an input: kind, element type, rank, fixed dimensions?
Status check_feed(const ValueInfo& declared, const Value& value, const FreeDimensions& free_dimensions);

}  // namespace onnxlet
