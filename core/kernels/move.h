// Data movement: copies between strided layouts, fills, and conversions of one scalar. No kernel here knows what the
// elements mean, only how wide they are.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/dtype.h"
#include "base/shape.h"

namespace onnxlet {

// dst[i * dst_strides] = src[i * src_strides] over the index space `dims`. Strides count elements and may be zero or
// negative; the pointers name the element at index 0. The regions must not overlap.
void copy_strided(DType dtype, const Shape& dims, const void* src, const Shape& src_strides, void* dst,
                  const Shape& dst_strides);

// dst (contiguous) = src (contiguous, `shape`) with its axes in the order `perm`.
void permute(DType dtype, const void* src, const Shape& shape, std::span<const int> perm, void* dst);

// Contiguous to contiguous, strings included.
void copy_elements(DType dtype, const void* src, void* dst, int64_t count);

// dst (contiguous, `dims`)[i0, i1, ...] = src[tables[0][i0] + tables[1][i1] + ...]: one table of source offsets per
// axis.
void gather_axes(DType dtype, const Shape& dims, const void* src, const int64_t* const* tables, void* dst);

// Every element becomes *value.
void fill_elements(DType dtype, void* dst, int64_t count, const void* value);

// Zero bytes; empty strings.
void clear_elements(DType dtype, void* dst, int64_t count);

// One element of any numeric type from a number, saturating integers. False for strings.
bool store_scalar(DType dtype, double value, void* dst);

inline const void* element_at(DType dtype, const void* base, int64_t index) {
  return static_cast<const char*>(base) + index * static_cast<int64_t>(element_size(dtype));
}
inline void* element_at(DType dtype, void* base, int64_t index) {
  return static_cast<char*>(base) + index * static_cast<int64_t>(element_size(dtype));
}

}  // namespace onnxlet
