// Gather and scatter kernels. All indices are already inside the axis (wrap_indices).
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/shape.h"

namespace onnxlet {

// dst[o, i, :] = src[o, indices[i], :] with src [outer, n, inner] and `count` indices.
void gather_rows(DType dtype, const void* src, const Rows& rows, const int64_t* indices, int64_t count, void* dst);

// dst[i] = src[offsets[i] ... + run): runs of elements from anywhere.
void gather_runs(DType dtype, const void* src, const int64_t* offsets, int64_t count, int64_t run, void* dst);

// dst[i0, .., ik, ..] = src[i0, .., indices[i0, .., ik, ..], ..], dst and indices of shape `shape`.
void gather_elements(DType dtype, const void* src, const Shape& src_shape, int axis, const int64_t* indices,
                     const Shape& shape, void* dst);

}  // namespace onnxlet
