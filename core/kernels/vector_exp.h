// exp over the vector types the row kernels are instantiated with.
#pragma once

#include <cmath>

#include "kernels/lane.h"
#include "simd/math.h"

namespace onnxlet {

inline simd::F32x4 vector_exp(simd::F32x4 x) { return simd::exp(x); }
inline simd::F32x1 vector_exp(simd::F32x1 x) { return simd::exp(x); }
inline Lane<double> vector_exp(Lane<double> x) { return {std::exp(x.v)}; }
// For x <= 0; what is below e^-87 may become 0.
inline simd::F32x4 vector_exp_negative(simd::F32x4 x) { return simd::exp_negative(x); }
inline simd::F32x1 vector_exp_negative(simd::F32x1 x) { return simd::exp_negative(x); }
inline Lane<double> vector_exp_negative(Lane<double> x) { return {std::exp(x.v)}; }
inline float scalar_exp(float x) { return simd::exp(simd::F32x1{x}).v; }
inline double scalar_exp(double x) { return std::exp(x); }

}  // namespace onnxlet
