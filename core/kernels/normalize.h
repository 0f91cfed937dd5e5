// Standardisation of rows: (x - mean) / sqrt(variance + epsilon), with affine transforms.
#pragma once

#include <cstdint>

#include "base/level.h"

namespace onnxlet {

// rows of n elements. Without `center` (RMS) the mean counts as 0. scale and bias may be null; row r uses the n values
// from r * affine_stride on (0: one set for all rows). mean and inv_std may be null. y may be x. T is float or double.
template <class T>
struct NormalizeRows {
  const T* x;
  int64_t rows, n;
  float epsilon;
  bool center;
  const T* scale;
  const T* bias;
  int64_t scale_stride, bias_stride;
  T* y;
  T* mean;
  T* inv_std;
};

// x is [batch, groups * channels, inner]; statistics over [channels, inner] of each group. scale and bias have one
// value per channel, or per group with `per_group`.
template <class T>
struct NormalizeGroups {
  const T* x;
  int64_t batch, groups, channels, inner;
  float epsilon;
  const T* scale;
  const T* bias;
  bool per_group;
  T* y;
};

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

void normalize_rows(const NormalizeRows<float>& a);
void normalize_rows(const NormalizeRows<double>& a);
void normalize_rows_scalar(const NormalizeRows<float>& a);  // one lane, for tests

void normalize_groups(const NormalizeGroups<float>& a);
void normalize_groups(const NormalizeGroups<double>& a);

// y = x / norm along the middle axis of [outer, n, inner], p being 1 or 2; zero where the norm is zero.
void lp_normalize(int p, const float* x, int64_t outer, int64_t n, int64_t inner, float* y);
void lp_normalize(int p, const double* x, int64_t outer, int64_t n, int64_t inner, double* y);

}  // namespace onnxlet::inline ONNXLET_LEVEL
