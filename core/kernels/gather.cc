#include "kernels/gather.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/copy_bytes.h"

namespace onnxlet {
namespace {

// Strings allocate when they are copied, which bodies of parallel_for must not do.
template <class T, class Body>
void for_items(int64_t n, int64_t grain, Body&& body) {
  if constexpr (std::is_same_v<T, std::string>) {
    body(0, n);
  } else {
    parallel_for(n, grain, body);
  }
}

template <class T>
void gather_rows_typed(const T* src, const Rows& rows, const int64_t* indices, int64_t count, T* dst) {
  const int64_t inner = rows.inner;
  for_items<T>(rows.outer * count, grain_for(inner / 4 + 2), [&](int64_t begin, int64_t end) {
    int64_t outer = begin / count, i = begin % count;
    for (int64_t item = begin; item < end; ++item) {
      const T* from = src + (outer * rows.n + indices[i]) * inner;
      if (inner == 1) {
        dst[item] = *from;
      } else {
        copy_run(dst + item * inner, from, inner);
      }
      if (++i == count) {
        i = 0;
        ++outer;
      }
    }
  });
}

template <class T>
void gather_elements_typed(const T* src, const Shape& dims, std::span<const Shape> strides, int64_t axis_stride,
                           const int64_t* indices, T* dst) {
  const StridedIterator first(dims, strides);
  const int64_t inner = first.inner(), stride = first.inner_stride(0);
  for_items<T>(first.rows(), grain_for(2 * inner), [&](int64_t begin, int64_t end) {
    StridedIterator it(dims, strides, begin);
    for (int64_t row = begin; row < end; ++row, it.next()) {
      const T* from = src + it.offset(0);
      const int64_t at = it.offset(1);
      T* to = dst + at;
      const int64_t* index = indices + at;
      const auto n = static_cast<ptrdiff_t>(inner);
      if (stride == 0 && axis_stride == 1) {  // along the last axis
        for (ptrdiff_t i = 0; i < n; ++i) to[i] = from[static_cast<ptrdiff_t>(index[i])];
      } else {
        const auto step = static_cast<ptrdiff_t>(stride), jump = static_cast<ptrdiff_t>(axis_stride);
        for (ptrdiff_t i = 0; i < n; ++i) to[i] = from[i * step + static_cast<ptrdiff_t>(index[i]) * jump];
      }
    }
  });
}

int packed_value(const uint8_t* data, int bits, bool is_signed, int64_t i) {
  const int per_byte = 8 / bits, mask = (1 << bits) - 1;
  const int v = data[i / per_byte] >> (i % per_byte * bits) & mask;
  return is_signed && v > mask / 2 ? v - mask - 1 : v;
}

}  // namespace

void dequantize_run(const BlockQuantized& q, int64_t first, int64_t count, float* dst) {
  const int64_t inner = q.rows.inner, n = q.rows.n, blocks = (n + q.block - 1) / q.block;
  const auto scale_at = [&](int64_t i, float* zero) {
    const int64_t at = (i / (n * inner) * blocks + i / inner % n / q.block) * inner + i % inner;
    *zero = static_cast<float>(q.zero_points != nullptr ? packed_value(q.zero_points, q.bits, q.is_signed, at)
                                                        : q.default_zero);
    return q.scales[at];
  };
  for (int64_t i = first; i < first + count;) {
    float zero;
    const float scale = scale_at(i, &zero);
    // With inner 1 the rest of the block follows; otherwise the next element has another scale.
    const int64_t rest = inner == 1 ? std::min(q.block - i % n % q.block, n - i % n) : 1;
    const int64_t end = std::min(first + count, i + rest);
    for (; i < end; ++i) *dst++ = (static_cast<float>(packed_value(q.data, q.bits, q.is_signed, i)) - zero) * scale;
  }
}

void gather_rows(DType dtype, const void* src, const Rows& rows, const int64_t* indices, int64_t count, void* dst) {
  if (rows.outer * count * rows.inner == 0) return;
  visit_size(dtype, [&]<class T>() {
    gather_rows_typed(static_cast<const T*>(src), rows, indices, count, static_cast<T*>(dst));
  });
}

void gather_runs(DType dtype, const void* src, const int64_t* offsets, int64_t count, int64_t run, void* dst) {
  visit_size(dtype, [&]<class T>() {
    const T* from = static_cast<const T*>(src);
    T* to = static_cast<T*>(dst);
    for_items<T>(count, grain_for(run / 4 + 2), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) copy_run(to + i * run, from + offsets[i], run);
    });
  });
}

void gather_elements(DType dtype, const void* src, const Shape& src_shape, int axis, const int64_t* indices,
                     const Shape& shape, void* dst) {
  if (shape.size() == 0) return;
  const Shape src_strides = src_shape.strides();
  Shape dims = shape;
  std::array<Shape, 2> strides{src_strides, shape.strides()};
  strides[0][axis] = 0;  // the index decides there
  collapse_dims(&dims, strides);
  visit_size(dtype, [&]<class T>() {
    gather_elements_typed(static_cast<const T*>(src), dims, strides, src_strides[axis], indices, static_cast<T*>(dst));
  });
}

}  // namespace onnxlet
