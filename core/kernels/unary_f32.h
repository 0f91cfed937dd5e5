// The float functions of the unary operators: y[i] = f(x[i]), p being the operator's float attributes. y may be x.
#pragma once

#include <cstdint>

#include "base/level.h"

namespace onnxlet::inline ONNXLET_LEVEL {

#define UNARY_F32(id) void f32_##id(const float* x, float* y, int64_t n, const float* p);
#include "kernels/unary_f32.inc"
#undef UNARY_F32

}  // namespace onnxlet::inline ONNXLET_LEVEL
