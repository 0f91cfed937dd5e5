#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnx/model.h"
#include "runtime/value.h"

namespace onnxlet {

// Does a value fit what the model declares for an input: kind, element type, rank, fixed dimensions?
Status check_feed(const ValueInfo& declared, const Value& value,
                  const std::vector<std::pair<std::string, int64_t>>& free_dimensions);

}  // namespace onnxlet
