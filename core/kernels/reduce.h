// Reductions along the middle axis of [outer, n, inner].
#pragma once

#include <cstdint>

namespace onnxlet {

enum class Reduction : uint8_t { kSum, kSumSquare, kSumAbs, kProd, kMax, kMin, kLogSumExp };

// y has [outer, ceil(n / chunk), inner]: every chunk of the axis gives one partial result (n == 0 gives none; chunk >
// 0). Sums of floats are carried in double across blocks. T is float, double or int64_t (which wraps and has no
// kLogSumExp).
template <class T>
void reduce_axis(Reduction op, const T* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, T* y);
template <>
void reduce_axis(Reduction, const float*, int64_t, int64_t, int64_t, int64_t, float*);
template <>
void reduce_axis(Reduction, const double*, int64_t, int64_t, int64_t, int64_t, double*);
template <>
void reduce_axis(Reduction, const int64_t*, int64_t, int64_t, int64_t, int64_t, int64_t*);

// The one-lane version of the float kernel, for tests.
void reduce_axis_scalar(Reduction op, const float* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, float* y);

// What an empty set reduces to.
template <class T>
T reduce_identity(Reduction op);
template <>
float reduce_identity(Reduction);
template <>
double reduce_identity(Reduction);
template <>
int64_t reduce_identity(Reduction);

// Index of the largest (or smallest) element along the axis; NaN counts as both. n > 0.
template <class T>
void arg_reduce(bool smallest, bool last, const T* x, int64_t outer, int64_t n, int64_t inner, int64_t* y);
template <>
void arg_reduce(bool, bool, const float*, int64_t, int64_t, int64_t, int64_t*);
template <>
void arg_reduce(bool, bool, const double*, int64_t, int64_t, int64_t, int64_t*);
template <>
void arg_reduce(bool, bool, const int64_t*, int64_t, int64_t, int64_t, int64_t*);

}  // namespace onnxlet
