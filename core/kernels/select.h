#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/shape.h"

namespace onnxlet {

// dst (contiguous, `shape`) = condition ? x : y; strides as read by broadcast_strides.
void where(DType dtype, const Shape& shape, const bool* condition, const Shape& condition_strides, const void* x,
           const Shape& x_strides, const void* y, const Shape& y_strides, void* dst);

// Keeps the upper (column >= row + k) or lower (column <= row + k) part of each matrix and clears the rest.
void trilu(DType dtype, const void* src, int64_t matrices, int64_t rows, int64_t cols, int64_t k, bool upper,
           void* dst);

// dst[i] = on at indices, off elsewhere: [outer, depth, inner] from indices [outer, inner]; out of range is all off.
void one_hot(DType dtype, const int64_t* indices, const Rows& rows, const void* off_on, void* dst);

}  // namespace onnxlet
