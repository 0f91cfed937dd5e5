#pragma once

#include <span>

#include "base/tensor.h"
#include "onnx/model.h"

namespace onnxlet {

// Joins tensors of one shape along a new axis. With none, the result has length 0 there and takes dtype and the other
// dimensions from `declared` (unknown ones count as 0).
Result<Tensor> stack(std::span<const Tensor> items, int64_t axis, const TypeSpec* declared, Pool& pool);

// The slice at `index` of an axis, without that axis.
Result<Tensor> slice_of(const Tensor& t, int axis, int64_t index, Pool& pool);

}  // namespace onnxlet
