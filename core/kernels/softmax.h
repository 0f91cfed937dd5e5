// Softmax along the middle axis of [outer, n, inner]. y may be x.
#pragma once

#include <cstdint>

namespace onnxlet {

// T is float or double. `log`: the logarithm of the softmax.
template <class T>
void softmax(bool log, const T* x, int64_t outer, int64_t n, int64_t inner, T* y);
extern template void softmax(bool, const float*, int64_t, int64_t, int64_t, float*);
extern template void softmax(bool, const double*, int64_t, int64_t, int64_t, double*);

// The one-lane version, for tests.
void softmax_scalar(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y);

// One row, in place, on the calling thread: the attention kernels' building block. Returns the largest element and
// the sum of exponentials through the pointers when they are not null. A row of -inf gives NaN.
void softmax_row(float* x, int64_t n, float* max, float* sum);

}  // namespace onnxlet
