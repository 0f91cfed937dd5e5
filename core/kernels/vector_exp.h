// exp over the vector types the row kernels are instantiated with.
#pragma once

#include <cmath>

#include "kernels/lane.h"
#include "simd/math.h"

namespace onnxlet {

inline simd::F32x4 vector_exp(simd::F32x4 x) { return simd::exp(x); }
inline simd::F32x1 vector_exp(simd::F32x1 x) { return simd::exp(x); }
inline Lane<double> vector_exp(Lane<double> x) { return {std::exp(x.v)}; }
// For weights beside one that is 1: x <= 0, and what is below e^-87 may become 0.
inline simd::F32x4 vector_exp_weight(simd::F32x4 x) { return simd::exp_weight(x); }
inline simd::F32x1 vector_exp_weight(simd::F32x1 x) { return simd::exp_weight(x); }
inline Lane<double> vector_exp_weight(Lane<double> x) { return {std::exp(x.v)}; }
inline float scalar_exp(float x) { return simd::exp(simd::F32x1{x}).v; }
inline double scalar_exp(double x) { return std::exp(x); }

}  // namespace onnxlet
