#include "kernels/dynamic_quantize.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/int_dot.h"
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

// 2^23 + n has n in its lowest bits. NaN becomes 0.
template <class F>
typename F::Int quantized(F x, float scale, float zero) {
  const F v = nearest(x / F::splat(scale)) + F::splat(zero);
  return bits_of(min(max(v, F::splat(0)), F::splat(255)) + F::splat(0x1p23f)) & F::Int::splat(255);
}

}  // namespace

void dynamic_quantize(const float* x, int64_t n, uint8_t* y, float* scale, uint8_t* zero_point) {
  constexpr int64_t kMostParts = 64;
  float low[kMostParts] = {}, high[kMostParts] = {};
  const int64_t part = std::max<int64_t>(16384, (n + kMostParts - 1) / kMostParts);
  parallel_for(n, part, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += part)
      range(x + i, static_cast<ptrdiff_t>(std::min(part, end - i)), low + i / part, high + i / part);
  });
  const float lo = *std::min_element(low, low + kMostParts), hi = *std::max_element(high, high + kMostParts);
  *scale = lo == hi ? 1.0f : (hi - lo) / 255;
  const float exact_zero = 0 - lo / *scale;
  const float zero = exact_zero > 0 ? std::nearbyint(std::min(exact_zero, 255.0f)) : 0;  // NaN becomes 0
  *zero_point = static_cast<uint8_t>(zero);
  const float s = *scale;
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    ptrdiff_t i = static_cast<ptrdiff_t>(begin);
    for (; i + kStep <= end; i += kStep) {
      simd::I32x4 v[kWide];
      for (int w = 0; w < kWide; ++w) v[w] = quantized(F32::load(x + i + w * F32::kLanes), s, zero);
      const int_dot::U8x16 bytes = int_dot::narrow(v[0], v[1], v[2], v[3]);
      std::memcpy(y + i, &bytes, sizeof(bytes));
    }
    for (; i < end; ++i) y[i] = static_cast<uint8_t>(quantized(simd::F32x1{x[i]}, s, zero).v);
  });
}

}  // namespace onnxlet
