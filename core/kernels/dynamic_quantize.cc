#include "kernels/dynamic_quantize.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace onnxlet {

void dynamic_quantize(const float* x, int64_t n, uint8_t* y, float* scale, uint8_t* zero_point) {
  float lo = 0, hi = 0;
  for (int64_t i = 0; i < n; ++i) {
    lo = x[i] < lo ? x[i] : lo;
    hi = x[i] > hi ? x[i] : hi;
  }
  *scale = lo == hi ? 1.0f : (hi - lo) / 255;
  const float zero = std::nearbyint(std::clamp(0 - lo / *scale, 0.0f, 255.0f));
  *zero_point = static_cast<uint8_t>(zero);
  const float s = *scale;
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float v = std::nearbyint(x[i] / s) + zero;
      y[i] = static_cast<uint8_t>(static_cast<int32_t>(v > 0 ? (v < 255 ? v : 255) : 0));
    }
  });
}

}  // namespace onnxlet
