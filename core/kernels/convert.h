// Conversion between element types, whole arrays at a time. Sub-byte elements stand alone, one per byte.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace onnxlet {

// Operators on the small float formats work through float, this many elements at a time on the stack.
inline constexpr int64_t kFloatChunk = 256;

// float and every format it holds exactly: float16, bfloat16, the float8, float6 and float4 kinds.
bool is_float_like(DType t);
void to_float(DType from, const void* src, float* dst, int64_t n);
void from_float(const float* src, DType to, void* dst, int64_t n);  // to nearest even, float8 saturating

struct CastMode {
  bool saturate = true;                       // float8 destinations
  E8M0Rounding rounding = E8M0Rounding::kUp;  // float8e8m0 destinations
};
// Every pair of numeric types, bool included. Floats beyond an integer type's range: the value saturates at 32 or 64
// bits and then keeps the low bits; NaN gives 0. Integers keep the low bits.
void cast_elements(DType from, const void* src, DType to, void* dst, int64_t n, const CastMode& mode);

// Numeric types as double and back by the rules above, for code that is not hot.
void to_double(DType from, const void* src, double* dst, int64_t n);
void from_double(const double* src, DType to, void* dst, int64_t n);

}  // namespace onnxlet
