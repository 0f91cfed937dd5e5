#include "kernels/dynamic_quantize.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

using simd::F32;

constexpr int kWide = 4;  // vectors in flight
constexpr ptrdiff_t kStep = kWide * F32::kLanes;

// The smallest and largest of x and 0; NaN counts for nothing.
void range(const float* x, ptrdiff_t n, float* lo, float* hi) {
  F32 low[kWide], high[kWide];
  for (int w = 0; w < kWide; ++w) low[w] = high[w] = F32::splat(0);
  ptrdiff_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (int w = 0; w < kWide; ++w) {
      const F32 v = F32::load(x + i + w * F32::kLanes);
      low[w] = min(v, low[w]);
      high[w] = max(v, high[w]);
    }
  }
  *lo = *hi = 0;
  for (int w = 0; w < kWide; ++w) {
    for (int lane = 0; lane < F32::kLanes; ++lane) {
      *lo = std::min(*lo, low[w][lane]);
      *hi = std::max(*hi, high[w][lane]);
    }
  }
  for (; i < n; ++i) {
    *lo = x[i] < *lo ? x[i] : *lo;
    *hi = x[i] > *hi ? x[i] : *hi;
  }
}

template <class F>
F quantized(F x, float scale, float zero) {
  const F v = nearest(x / F::splat(scale)) + F::splat(zero), hi = F::splat(255), none = F::splat(0);
  return select(none < v, select(v < hi, v, hi), none);  // NaN becomes 0
}

}  // namespace

void dynamic_quantize(const float* x, int64_t n, uint8_t* y, float* scale, uint8_t* zero_point) {
  float lo = 0, hi = 0;
  range(x, static_cast<ptrdiff_t>(n), &lo, &hi);
  *scale = lo == hi ? 1.0f : (hi - lo) / 255;
  const float zero = std::nearbyint(std::clamp(0 - lo / *scale, 0.0f, 255.0f));
  *zero_point = static_cast<uint8_t>(zero);
  const float s = *scale;
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    ptrdiff_t i = static_cast<ptrdiff_t>(begin);
    for (; i + kStep <= end; i += kStep) {
      for (int w = 0; w < kWide; ++w) {
        const simd::I32x4 v = to_int(quantized(F32::load(x + i + w * F32::kLanes), s, zero));
        for (int lane = 0; lane < F32::kLanes; ++lane)
          y[i + w * F32::kLanes + lane] = static_cast<uint8_t>(v.v[lane]);
      }
    }
    for (; i < end; ++i) y[i] = static_cast<uint8_t>(to_int(quantized(simd::F32x1{x[i]}, s, zero)).v);
  });
}

}  // namespace onnxlet
