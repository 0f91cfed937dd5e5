// exp over the vector types the row kernels are instantiated with.
#pragma once

#include <cmath>

#include "kernels/lane.h"
#include "simd/math.h"

namespace onnxlet::inline ONNXLET_LEVEL {

// V is a vector of floats, or Lane<double>.
template <class V>
V vector_exp(V x) {
  if constexpr (requires { typename V::Int; })
    return simd::exp(x);
  else
    return {std::exp(x.v)};
}
// For weights beside one that is 1: x <= 0, and what is below e^-87 may become 0.
template <class V>
V vector_exp_weight(V x) {
  if constexpr (requires { typename V::Int; })
    return simd::exp_weight(x);
  else
    return {std::exp(x.v)};
}
inline float scalar_exp(float x) { return simd::exp(simd::F32x1{x}).v; }
inline double scalar_exp(double x) { return std::exp(x); }

}  // namespace onnxlet::inline ONNXLET_LEVEL
