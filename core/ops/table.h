#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"

namespace onnxlet {

std::span<const OpTable* const> op_tables();

// The row that serves this operator at this opset: the largest since not above it. nullptr when the build has none.
const OpRow* find_op(std::string_view domain, std::string_view op_type, int opset);

}  // namespace onnxlet
