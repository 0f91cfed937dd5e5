// The loop of a unary float kernel, written once.
#pragma once

#include <cstring>

#include "simd/math.h"

namespace onnxlet::inline ONNXLET_LEVEL {

// y[i] = f(x[i]) four lanes at a time. The tail goes through a buffer and the same loop, so that f is compiled once.
template <class F>
void map_f32(const float* x, float* y, int64_t n, F f) {
  constexpr int kLanes = simd::F32::kLanes;
  const int64_t rest = n % kLanes;
  float tail[kLanes] = {};
  std::memcpy(tail, x + (n - rest), static_cast<size_t>(rest) * sizeof(float));
  const float* const sources[] = {x, tail};
  float* const targets[] = {y, tail};
  const int64_t counts[] = {n - rest, rest != 0 ? kLanes : 0};
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
  for (int piece = 0; piece < 2; ++piece) {
    const float* src = sources[piece];
    float* dst = targets[piece];
    const int64_t count = counts[piece];
#if defined(__clang__)
#pragma clang loop unroll_count(2)
#endif
    for (int64_t i = 0; i < count; i += kLanes) f(simd::F32::load(src + i)).store(dst + i);
  }
  if (rest != 0) std::memcpy(y + (n - rest), tail, static_cast<size_t>(rest) * sizeof(float));
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
