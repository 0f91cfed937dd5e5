// exp over the vector types the row kernels are instantiated with.
#pragma once

#include <cmath>

#include "kernels/lane.h"

namespace onnxlet {

inline float scalar_exp(float x) { return std::exp(x); }
inline double scalar_exp(double x) { return std::exp(x); }
inline simd::F32x4 vector_exp(simd::F32x4 x) {
  for (int i = 0; i < 4; ++i) x.v[i] = std::exp(x.v[i]);
  return x;
}
inline simd::F32x1 vector_exp(simd::F32x1 x) { return {std::exp(x.v)}; }
inline Lane<double> vector_exp(Lane<double> x) { return {std::exp(x.v)}; }

}  // namespace onnxlet
