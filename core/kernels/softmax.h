// Softmax along the middle axis of [outer, n, inner]. y may be x.
#pragma once

#include <cstdint>

#include "base/level.h"

namespace onnxlet::inline ONNXLET_LEVEL {

// `log`: the logarithm of the softmax.
void softmax(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y);
void softmax(bool log, const double* x, int64_t outer, int64_t n, int64_t inner, double* y);

// The one-lane version, for tests.
void softmax_scalar(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y);

// One row, in place, on the calling thread: the attention kernels' building block. Returns the largest element and
// the sum of exponentials through the pointers when they are not null. A row of -inf gives NaN.
void softmax_row(float* x, int64_t n, float* max, float* sum);

}  // namespace onnxlet::inline ONNXLET_LEVEL
