#pragma once

#include <cstdint>

namespace onnxlet {

// ONNX DynamicQuantizeLinear: uint8 over the range of x widened to include 0.
void dynamic_quantize(const float* x, int64_t n, uint8_t* y, float* scale, uint8_t* zero_point);

}  // namespace onnxlet
