#include "kernels/move.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "base/visit.h"

namespace onnxlet {
namespace {

// Strings allocate when they are copied, which bodies of parallel_for must not do.
template <class T, class Body>
void for_rows(int64_t n, int64_t grain, Body&& body) {
  if constexpr (std::is_same_v<T, std::string>) {
    body(0, n);
  } else {
    parallel_for(n, grain, body);
  }
}

template <class T>
void copy_run(T* dst, const T* src, int64_t n) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
  } else {
    std::copy_n(src, n, dst);
  }
}

template <class T>
void copy_row(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t n) {
  if (dst_stride == 1 && src_stride == 1) return copy_run(dst, src, n);
  if (dst_stride == 1 && src_stride == 0) {
    std::fill_n(dst, n, *src);
    return;
  }
  for (int64_t i = 0; i < n; ++i) dst[i * dst_stride] = src[i * src_stride];
}

template <class T>
void copy_rows(const Shape& dims, std::span<const Shape> strides, const T* src, T* dst) {
  const StridedIterator first(dims, strides);
  const int64_t cost = first.inner() * static_cast<int64_t>(sizeof(T)) / 16 + 4;
  if (first.rows() == 1) {
    const int64_t from = first.inner_stride(0), to = first.inner_stride(1);
    for_rows<T>(first.inner(), 1 << 16, [&](int64_t begin, int64_t end) {
      copy_row(dst + begin * to, to, src + begin * from, from, end - begin);
    });
    return;
  }
  for_rows<T>(first.rows(), grain_for(cost), [&](int64_t begin, int64_t end) {
    StridedIterator it(dims, strides, begin);
    for (int64_t row = begin; row < end; ++row, it.next()) {
      copy_row(dst + it.offset(1), it.inner_stride(1), src + it.offset(0), it.inner_stride(0), it.inner());
    }
  });
}

typedef uint32_t Lanes4 __attribute__((vector_size(16)));

// dst[r * dst_stride + c] = src[c * src_stride + r] for a 4x4 block of 4-byte elements.
void transpose_4x4(const uint32_t* src, int64_t src_stride, uint32_t* dst, int64_t dst_stride) {
  Lanes4 a, b, c, d;
  std::memcpy(&a, src, 16);
  std::memcpy(&b, src + src_stride, 16);
  std::memcpy(&c, src + 2 * src_stride, 16);
  std::memcpy(&d, src + 3 * src_stride, 16);
  const Lanes4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Lanes4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Lanes4 rows[4] = {
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(dst + i * dst_stride, &rows[i], 16);
}

// dst[r * dst_stride + c] = src[c * src_stride + r], r < rows, c < cols; in blocks that stay in the first cache.
template <class T>
void transpose_block(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kBlock = 32;
  for (int64_t c0 = 0; c0 < cols; c0 += kBlock) {
    const int64_t c1 = std::min(cols, c0 + kBlock);
    int64_t r = 0;
    if constexpr (sizeof(T) == 4) {
      for (; r + 4 <= rows; r += 4) {
        int64_t c = c0;
        for (; c + 4 <= c1; c += 4) {
          transpose_4x4(src + c * src_stride + r, src_stride, dst + r * dst_stride + c, dst_stride);
        }
        for (; c < c1; ++c) {
          for (int64_t i = r; i < r + 4; ++i) dst[i * dst_stride + c] = src[c * src_stride + i];
        }
      }
    }
    for (; r < rows; ++r) {
      for (int64_t c = c0; c < c1; ++c) dst[r * dst_stride + c] = src[c * src_stride + r];
    }
  }
}

// The source runs along `axis` while the destination runs along the last axis: planes of transpositions.
template <class T>
void copy_planes(const Shape& dims, std::span<const Shape> strides, int axis, const T* src, T* dst) {
  constexpr int64_t kTile = 32;
  const int last = dims.rank() - 1;
  Shape outer;
  std::array<Shape, 2> outer_strides;
  for (int i = 0; i < last; ++i) {
    if (i == axis) continue;
    outer.push_back(dims[i]);
    for (size_t k = 0; k < 2; ++k) outer_strides[k].push_back(strides[k][i]);
  }
  outer.push_back(1);  // the iterator leaves its last axis to the body
  for (size_t k = 0; k < 2; ++k) outer_strides[k].push_back(0);
  const int64_t tiles = (dims[axis] + kTile - 1) / kTile, cols = dims[last];
  const int64_t src_stride = strides[0][last], dst_stride = strides[1][axis];
  parallel_for(outer.size() * tiles, grain_for(kTile * cols), [&](int64_t begin, int64_t end) {
    StridedIterator it(outer, outer_strides, begin / tiles);
    int64_t tile = begin % tiles;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = tile * kTile;
      transpose_block(src + it.offset(0) + r, src_stride, dst + it.offset(1) + r * dst_stride, dst_stride,
                      std::min(kTile, dims[axis] - r), cols);
      if (++tile == tiles) {
        tile = 0;
        it.next();
      }
    }
  });
}

template <class T>
void copy_typed(const Shape& dims, std::span<const Shape> strides, const void* src, void* dst) {
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  if constexpr (std::is_trivially_copyable_v<T>) {
    const int last = dims.rank() - 1;
    if (last > 0 && strides[1][last] == 1 && strides[0][last] != 1) {
      for (int axis = last - 1; axis >= 0; --axis) {
        if (strides[0][axis] == 1 && dims[axis] >= 4) return copy_planes(dims, strides, axis, from, to);
      }
    }
  }
  copy_rows(dims, strides, from, to);
}

// The longest stretch [begin, end) of a table in which offsets grow by one: copied as a block.
struct Stretch {
  int64_t begin = 0, end = 0;
};
Stretch longest_stretch(const int64_t* table, int64_t n) {
  Stretch best;
  for (int64_t i = 0; i < n;) {
    int64_t j = i + 1;
    while (j < n && table[j] == table[j - 1] + 1) ++j;
    if (j - i > best.end - best.begin) best = {i, j};
    i = j;
  }
  return best.end - best.begin >= 8 ? best : Stretch{};
}

template <class T>
void gather_axes_typed(const Shape& dims, const T* src, const int64_t* const* tables, T* dst) {
  const int last = dims.rank() - 1;
  const int64_t inner = dims[last], rows = dims.product(0, last);
  const int64_t* table = tables[last];
  const Stretch block = longest_stretch(table, inner);
  for_rows<T>(rows, grain_for(inner), [&](int64_t begin, int64_t end) {
    int64_t index[Shape::kMaxRank] = {};
    for (int64_t axis = last - 1, rest = begin; axis >= 0; --axis) {
      index[axis] = rest % dims[static_cast<int>(axis)];
      rest /= dims[static_cast<int>(axis)];
    }
    const T* before = nullptr;
    for (int64_t row = begin; row < end; ++row) {
      const T* from = src;
      for (int axis = 0; axis < last; ++axis) from += tables[axis][index[axis]];
      T* to = dst + row * inner;
      for (int axis = last - 1; axis >= 0 && ++index[axis] == dims[axis]; --axis) index[axis] = 0;
      if (from == before) {  // upsampling repeats whole rows
        copy_run(to, to - inner, inner);
        continue;
      }
      before = from;
      for (int64_t i = 0; i < block.begin; ++i) to[i] = from[table[i]];
      if (block.end > block.begin) copy_run(to + block.begin, from + table[block.begin], block.end - block.begin);
      for (int64_t i = block.end; i < inner; ++i) to[i] = from[table[i]];
    }
  });
}

template <class T>
void store_as(double value, void* dst) {
  if constexpr (std::is_same_v<T, bool>) {
    *static_cast<bool*>(dst) = value != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    *static_cast<T*>(dst) = static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
    T out = 0;
    if (value >= kHigh)
      out = std::numeric_limits<T>::max();
    else if (value <= kLow)
      out = std::numeric_limits<T>::min();
    else if (value == value)
      out = static_cast<T>(value);
    *static_cast<T*>(dst) = out;
  } else if constexpr (std::is_same_v<T, Complex64>) {
    *static_cast<T*>(dst) = {static_cast<float>(value), 0};
  } else if constexpr (std::is_same_v<T, Complex128>) {
    *static_cast<T*>(dst) = {value, 0};
  } else if constexpr (requires { T::kMask; }) {
    *static_cast<T*>(dst) = T(static_cast<int>(std::clamp(value, -8.0, 15.0)));
  } else {
    *static_cast<T*>(dst) = T(static_cast<float>(value));
  }
}

}  // namespace

void copy_strided(DType dtype, const Shape& dims, const void* src, const Shape& src_strides, void* dst,
                  const Shape& dst_strides) {
  if (dims.size() == 0) return;
  Shape merged = dims;
  std::array<Shape, 2> strides{src_strides, dst_strides};
  collapse_dims(&merged, strides);
  visit_size(dtype, [&]<class T>() { copy_typed<T>(merged, strides, src, dst); });
}

void permute(DType dtype, const void* src, const Shape& shape, std::span<const int> perm, void* dst) {
  const Shape strides = shape.strides();
  Shape dims, from;
  for (const int axis : perm) {
    dims.push_back(shape[axis]);
    from.push_back(strides[axis]);
  }
  copy_strided(dtype, dims, src, from, dst, dims.strides());
}

void copy_elements(DType dtype, const void* src, void* dst, int64_t count) {
  copy_strided(dtype, Shape{count}, src, Shape{1}, dst, Shape{1});
}

void gather_axes(DType dtype, const Shape& dims, const void* src, const int64_t* const* tables, void* dst) {
  if (dims.size() == 0) return;
  if (dims.rank() == 0) return copy_elements(dtype, src, dst, 1);
  visit_size(dtype,
             [&]<class T>() { gather_axes_typed(dims, static_cast<const T*>(src), tables, static_cast<T*>(dst)); });
}

void fill_elements(DType dtype, void* dst, int64_t count, const void* value) {
  if (count == 0) return;
  visit_size(dtype, [&]<class T>() {
    T* to = static_cast<T*>(dst);
    const T& v = *static_cast<const T*>(value);
    for_rows<T>(count, 1 << 16, [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, v); });
  });
}

void clear_elements(DType dtype, void* dst, int64_t count) {
  if (dtype == DType::kString) {
    std::fill_n(static_cast<std::string*>(dst), count, std::string());
  } else if (count != 0) {
    std::memset(dst, 0, static_cast<size_t>(count) * element_size(dtype));
  }
}

bool store_scalar(DType dtype, double value, void* dst) {
  using Rest = Types<Float8E8M0>;
  return visit<Ieee, Halves, SignedInts, UnsignedInts, Bool, Float8s, SubByteInts, SubByteFloats, Complexes, Rest>(
             dtype,
             [&]<class T>() -> Status {
               store_as<T>(value, dst);
               return {};
             })
      .ok();
}

}  // namespace onnxlet
