// Concatenation of tensors, for Concat and ConcatFromSequence.
#pragma once

#include "ops/op.h"

namespace onnxlet {

// Output 0 = the inputs one after the other along `axis`.
Status concat(OpContext& ctx, std::span<const Tensor* const> inputs, int64_t axis);

}  // namespace onnxlet
