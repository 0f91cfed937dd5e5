// Narrow element types to the ones the numeric kernels are written for, and back.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace onnxlet {

// float, double, float16, bfloat16, float8 kinds and every integer type, sub-byte ones unpacked. n may be 0.
void to_floats(DType from, const void* x, int64_t n, float* y);
// float, double, float16, bfloat16, float8 kinds.
void from_floats(DType to, const float* x, int64_t n, void* y);

// bool and every integer type. uint64 keeps its order with the sign bit flipped when `ordered`, else its bits.
void to_int64(DType from, const void* x, int64_t n, int64_t* y, bool ordered);
// Wraps, or with `saturate` clamps to the type's range (an `ordered` uint64 gets its sign bit back).
void from_int64(DType to, const int64_t* x, int64_t n, void* y, bool saturate);

}  // namespace onnxlet
