#pragma once

#include <span>
#include <vector>

#include "base/value.h"
#include "onnx/model.h"

namespace onnxlet {

// Joins tensors of one shape along a new axis. With none, the result has length 0 there and takes dtype and the other
// dimensions from `declared` (unknown ones count as 0).
Result<Tensor> stack(std::span<const Tensor> items, int64_t axis, const TypeSpec* declared, Pool& pool);

// Adds what a body gave for the scan output of this number. Their count is bounded: a tensor without elements takes
// nothing from the pool, which would refuse.
Status collect(const Value& value, size_t output, std::vector<Tensor>* items);

// The slice at `index` of an axis, without that axis.
Result<Tensor> slice_of(const Tensor& t, int axis, int64_t index, Pool& pool);

}  // namespace onnxlet
