// Linear quantization: y = saturate(round(x / scale) + zero_point) and back, y = (x - zero_point) * scale.
#pragma once

#include <cstdint>

#include "base/tensor.h"

namespace onnxlet {

// Where the scale of element (o, a, i) of a tensor seen as [outer, axis, inner] is: at
// o * outer_step + (a / block) * axis_step + i * inner_step.
struct ScaleLayout {
  int64_t outer = 1, axis = 1, inner = 1;
  int64_t block = 1;
  int64_t outer_step = 0, axis_step = 0, inner_step = 0;
};
ScaleLayout scale_per_tensor(int64_t size);
ScaleLayout scale_per_axis(const Rows& rows);
ScaleLayout scale_blocked(const Rows& rows, int64_t block);

// x: float, float16, bfloat16 or int32. y: any integer of at most 16 bits, or a float of at most 8 bits.
// precision: the type of the division, to which both operands and the quotient are rounded. zero_point: of y's type,
// laid out as scale, or data null.
void quantize(ConstView x, ConstView scale, ConstView zero_point, const ScaleLayout& layout, DType precision,
              bool saturate, View y);
// x: any integer, or a float of at most 8 bits. y: float, float16 or bfloat16.
void dequantize(ConstView x, ConstView scale, ConstView zero_point, const ScaleLayout& layout, View y);

// 8-bit arithmetic through float. Type: kUint8 or kInt8.
struct QuantParams {
  float scale = 1;
  int32_t zero_point = 0;
};
void dequantize_8bit(DType type, const void* x, QuantParams p, float* y, int64_t n);
void quantize_8bit(DType type, const float* x, QuantParams p, void* y, int64_t n);
// y[i] = table[x[i]], bytes.
void look_up(const uint8_t* table, const uint8_t* x, uint8_t* y, int64_t n);

}  // namespace onnxlet
