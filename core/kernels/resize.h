#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/shape.h"

namespace onnxlet {

// Interpolation along one axis as a sparse matrix: output j is the sum over k < taps of
// weights[j * taps + k] * input[indices[j * taps + k]].
struct Taps {
  int64_t taps;
  const int32_t* indices;
  const float* weights;
  const double* wide_weights;  // the same, for double
};

// dst [outer, out, inner] from src [outer, n, inner] (rows); `type` is float or double.
void resample_axis(DType type, const void* src, const Rows& rows, int64_t out, const Taps& taps, void* dst);

}  // namespace onnxlet
