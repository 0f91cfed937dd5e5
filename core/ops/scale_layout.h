#pragma once

#include "kernels/quantize.h"
#include "ops/op.h"

namespace onnxlet {

// Which elements share a scale, from the shapes; block is the attribute, 0 when absent.
Result<ScaleLayout> scale_layout(const Shape& x, const Shape& scale, int64_t axis, int64_t block);

}  // namespace onnxlet
