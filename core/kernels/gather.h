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

// A tensor of 2-, 4- or 8-bit integers, packed low bits first, with a scale (and zero point, packed alike) for every
// `block` elements along the middle axis of [outer, n, inner].
struct BlockQuantized {
  const uint8_t* data;
  int bits;
  bool is_signed;
  Rows rows;
  int64_t block;
  const float* scales;         // [outer, blocks, inner]
  const uint8_t* zero_points;  // nullptr: `default_zero` for all
  int default_zero;
};
// Elements [first, first + count), as floats.
void dequantize_run(const BlockQuantized& q, int64_t first, int64_t count, float* dst);

}  // namespace onnxlet
