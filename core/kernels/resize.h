#pragma once

#include <cstdint>

#include "base/shape.h"

namespace onnxlet {

// Interpolation along one axis as a sparse matrix: output j is the sum over k < taps of
// weights[j * taps + k] * input[indices[j * taps + k]].
template <class T>
struct Taps {
  int64_t taps;
  const int32_t* indices;
  const T* weights;
};

// dst [outer, out, inner] from src [outer, n, inner] (rows).
template <class T>
void resample_axis(const T* src, const Rows& rows, int64_t out, const Taps<T>& taps, T* dst);

extern template void resample_axis<float>(const float*, const Rows&, int64_t, const Taps<float>&, float*);
extern template void resample_axis<double>(const double*, const Rows&, int64_t, const Taps<double>&, double*);

}  // namespace onnxlet
