#include "kernels/move.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/copy_bytes.h"

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
void copy_row(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t n) {
  if (dst_stride == 1 && src_stride == 1) return copy_run(dst, src, n);
  if (dst_stride == 1 && src_stride == 0) {
    std::fill_n(dst, n, *src);
    return;
  }
  for (int64_t i = 0; i < n; ++i) dst[i * dst_stride] = src[i * src_stride];
}

// All axes but the last two are the iterator's; the last but one is a plain loop.
template <class T>
void copy_rows(const Shape& dims, std::span<const Shape> strides, const T* src, T* dst) {
  const int last = dims.rank() - 1;
  const int64_t n = last < 0 ? 1 : dims[last], from = last < 0 ? 1 : strides[0][last],
                to = last < 0 ? 1 : strides[1][last];
  const int64_t rows = last < 1 ? 1 : dims[last - 1];
  const int64_t row_from = last < 1 ? 0 : strides[0][last - 1], row_to = last < 1 ? 0 : strides[1][last - 1];
  if (last < 1) {
    for_rows<T>(n, 1 << 16, [&](int64_t begin, int64_t end) {
      copy_row(dst + begin * to, to, src + begin * from, from, end - begin);
    });
    return;
  }
  Shape outer = dims;
  std::array<Shape, 2> outer_strides{strides[0], strides[1]};
  outer.erase(last);
  for (Shape& s : outer_strides) s.erase(last);
  const int64_t cost = n * static_cast<int64_t>(sizeof(T)) / 16 + 4;
  for_rows<T>(outer.size(), grain_for(cost), [&](int64_t begin, int64_t end) {
    StridedIterator it(outer, outer_strides, begin / rows);
    for (int64_t at = begin; at < end; it.next()) {
      const int64_t first = at % rows, count = std::min(rows - first, end - at);
      const T* in = src + it.offset(0) + first * row_from;
      T* out = dst + it.offset(1) + first * row_to;
      for (int64_t row = 0; row < count; ++row, in += row_from, out += row_to) copy_row(out, to, in, from, n);
      at += count;
    }
  });
}

// 16 bytes of elements T, and the pairing of two such: a0 b0 a1 b1 ...
template <class T>
struct Block {
  static constexpr int kLanes = static_cast<int>(16 / sizeof(T));
  typedef T Raw __attribute__((vector_size(16)));
};
typedef Block<uint8_t>::Raw Bytes;
typedef Block<uint16_t>::Raw Words;
typedef Block<uint32_t>::Raw Lanes4;

inline Bytes zip_low(Bytes a, Bytes b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Words zip_low(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
inline Words zip_high(Words a, Words b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
inline Lanes4 zip_low(Lanes4 a, Lanes4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
inline Lanes4 zip_high(Lanes4 a, Lanes4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }

// Squares whose side is kSide: dst[r * dst_stride + c] = src[c * src_stride + r]. 0: a type without one.
template <class T>
constexpr int64_t kSide = sizeof(T) == 4   ? 4
                          : sizeof(T) <= 2 ? 8
                                           : 0;

inline void transpose_square(const uint32_t* src, ptrdiff_t src_stride, uint32_t* dst, ptrdiff_t dst_stride) {
  Lanes4 in[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&in[i], src + i * src_stride, 16);
  const Lanes4 ac_low = zip_low(in[0], in[2]), ac_high = zip_high(in[0], in[2]);
  const Lanes4 bd_low = zip_low(in[1], in[3]), bd_high = zip_high(in[1], in[3]);
  const Lanes4 rows[4] = {zip_low(ac_low, bd_low), zip_high(ac_low, bd_low), zip_low(ac_high, bd_high),
                          zip_high(ac_high, bd_high)};
  for (int i = 0; i < 4; ++i) std::memcpy(dst + i * dst_stride, &rows[i], 16);
}
inline void transpose_square(const uint16_t* src, ptrdiff_t src_stride, uint16_t* dst, ptrdiff_t dst_stride) {
  Words v[8], w[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&v[i], src + i * src_stride, 16);
  // Each round pairs rows half of them apart; after three, the bits of an index are those of the transpose.
  for (int i = 0; i < 4; ++i) w[2 * i] = zip_low(v[i], v[i + 4]), w[2 * i + 1] = zip_high(v[i], v[i + 4]);
  for (int i = 0; i < 4; ++i) v[2 * i] = zip_low(w[i], w[i + 4]), v[2 * i + 1] = zip_high(w[i], w[i + 4]);
  for (int i = 0; i < 4; ++i) w[2 * i] = zip_low(v[i], v[i + 4]), w[2 * i + 1] = zip_high(v[i], v[i + 4]);
  for (int i = 0; i < 8; ++i) std::memcpy(dst + i * dst_stride, &w[i], 16);
}
inline void transpose_square(const uint8_t* src, ptrdiff_t src_stride, uint8_t* dst, ptrdiff_t dst_stride) {
  Bytes in[8] = {};
  for (int i = 0; i < 8; ++i) std::memcpy(&in[i], src + i * src_stride, 8);
  Words pair[4];
  for (int i = 0; i < 4; ++i) pair[i] = (Words)zip_low(in[2 * i], in[2 * i + 1]);
  Lanes4 low[2], high[2];  // columns 0 to 3 and 4 to 7 of four rows each
  for (int i = 0; i < 2; ++i) {
    low[i] = (Lanes4)zip_low(pair[2 * i], pair[2 * i + 1]);
    high[i] = (Lanes4)zip_high(pair[2 * i], pair[2 * i + 1]);
  }
  const Lanes4 out[4] = {zip_low(low[0], low[1]), zip_high(low[0], low[1]), zip_low(high[0], high[1]),
                         zip_high(high[0], high[1])};
  for (int i = 0; i < 8; ++i) {
    std::memcpy(dst + i * dst_stride, reinterpret_cast<const char*>(&out[i / 2]) + 8 * (i % 2), 8);
  }
}

// Pixels of three channels from planes of them, and back: four at a time, pixels side by side.
inline void interleave_3(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* pixels) {
  Lanes4 va, vb, vc;
  std::memcpy(&va, a, 16);
  std::memcpy(&vb, b, 16);
  std::memcpy(&vc, c, 16);
  const Lanes4 bc = __builtin_shufflevector(vb, vc, 1, 5, 2, 6), ab = zip_low(va, vb);
  const Lanes4 out[3] = {__builtin_shufflevector(ab, vc, 0, 1, 4, 2), __builtin_shufflevector(bc, va, 0, 1, 6, 2),
                         __builtin_shufflevector(vc, zip_high(va, vb), 2, 6, 7, 3)};
  std::memcpy(pixels, out, sizeof(out));
}
inline void separate_3(const uint32_t* pixels, uint32_t* a, uint32_t* b, uint32_t* c) {
  Lanes4 in[3];
  std::memcpy(in, pixels, sizeof(in));
  const Lanes4 low = __builtin_shufflevector(in[0], in[1], 0, 3, 6, 1);   // a0 a1 a2 b0
  const Lanes4 high = __builtin_shufflevector(in[1], in[2], 0, 3, 6, 5);  // b1 b2 b3 a3
  const Lanes4 ends = __builtin_shufflevector(in[0], in[1], 2, 5, 2, 5);  // c0 c1
  const Lanes4 va = __builtin_shufflevector(low, high, 0, 1, 2, 7), vb = __builtin_shufflevector(low, high, 3, 4, 5, 6);
  const Lanes4 vc = __builtin_shufflevector(ends, in[2], 0, 1, 4, 7);
  std::memcpy(a, &va, 16);
  std::memcpy(b, &vb, 16);
  std::memcpy(c, &vc, 16);
}

// Pixels of three channels in a block as below, in fours. Gives how many are done.
inline int64_t transpose_pixels(const uint32_t* src, int64_t src_stride, uint32_t* dst, int64_t dst_stride,
                                int64_t rows, int64_t cols) {
  int64_t i = 0;
  if (cols == 3 && dst_stride == 3) {
    for (; i + 4 <= rows; i += 4) interleave_3(src + i, src + src_stride + i, src + 2 * src_stride + i, dst + 3 * i);
  } else if (rows == 3 && src_stride == 3) {
    for (; i + 4 <= cols; i += 4) separate_3(src + 3 * i, dst + i, dst + dst_stride + i, dst + 2 * dst_stride + i);
  }
  return i;
}

// dst[r * dst_stride + c] = src[c * src_stride + r], r < rows, c0 <= c < c1, one by one.
template <class T>
void copy_rest(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t rows, int64_t c0, int64_t c1) {
  for (int64_t r = 0; r < rows; ++r) {
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (int64_t c = c0; c < c1; ++c) dst[r * dst_stride + c] = src[c * src_stride + r];
  }
}

// dst[r * dst_stride + c] = src[c * src_stride + r], r < rows, c < cols; in blocks that stay in the first cache.
template <class T>
void transpose_block(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kBlock = 32, kStep = kSide<T>;
  if constexpr (sizeof(T) == 4) {
    if ((cols == 3 && dst_stride == 3) || (rows == 3 && src_stride == 3)) {
      const int64_t done = transpose_pixels(src, src_stride, dst, dst_stride, rows, cols);
      if (cols == 3 && dst_stride == 3) {
        copy_rest(src + done, src_stride, dst + 3 * done, dst_stride, rows - done, 0, cols);
      } else {
        copy_rest(src, src_stride, dst, dst_stride, rows, done, cols);
      }
      return;
    }
  }
  for (int64_t c0 = 0; c0 < cols; c0 += kBlock) {
    const int64_t c1 = std::min(cols, c0 + kBlock);
    int64_t r = 0;
    if constexpr (kStep > 0) {
      const auto from_step = static_cast<ptrdiff_t>(src_stride), to_step = static_cast<ptrdiff_t>(dst_stride);
      const auto squares = static_cast<ptrdiff_t>((c1 - c0) / kStep);
      const int64_t rest = c0 + squares * kStep;
      for (; r + kStep <= rows; r += kStep) {
        const T* from = src + c0 * src_stride + r;
        T* to = dst + r * dst_stride + c0;
        for (ptrdiff_t i = 0; i < squares; ++i, from += kStep * from_step, to += kStep) {
          transpose_square(from, from_step, to, to_step);
        }
        if (rest < c1) copy_rest(src + r, src_stride, dst + r * dst_stride, dst_stride, kStep, rest, c1);
      }
    }
    copy_rest(src + r, src_stride, dst + r * dst_stride, dst_stride, rows - r, c0, c1);
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

// Do the axes from `axis` on lie in memory as one block, of which the source repeats a smaller one?
bool repeats_block(const Shape& dims, std::span<const Shape> strides, int axis) {
  if (strides[0][axis] != 0) return false;
  int64_t size = 1;
  for (int i = dims.rank() - 1; i >= axis; size *= dims[i--]) {
    if (strides[1][i] != size) return false;
  }
  return true;
}

// Where the first of the blocks along `axis` is written: copies it to the others. Elements of `size` bytes.
void repeat_blocks(const Shape& dims, const Shape& strides, int axis, int64_t size, char* dst) {
  const int64_t repeats = dims[axis], bytes = strides[axis] * size;
  Shape outer = dims, outer_strides = strides;
  while (outer.rank() > axis) {
    outer.erase(outer.rank() - 1);
    outer_strides.erase(outer_strides.rank() - 1);
  }
  outer.push_back(1);  // the iterator leaves its last axis to the body
  outer_strides.push_back(0);
  parallel_for(outer.size(), grain_for(repeats * bytes / 16 + 4), [&](int64_t begin, int64_t end) {
    StridedIterator it(outer, {&outer_strides, 1}, begin);
    for (int64_t i = begin; i < end; ++i, it.next()) {
      char* first = dst + it.offset(0) * size;
      for (int64_t done = 1; done < repeats; done *= 2) {
        copy_run(first + done * bytes, first, std::min(done, repeats - done) * bytes);
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
        if (strides[0][axis] == 1 && dims[axis] >= 3) return copy_planes(dims, strides, axis, from, to);
      }
    }
  }
  copy_rows(dims, strides, from, to);
}

void copy_merged(DType dtype, Shape dims, std::span<const Shape> strides, const void* src, void* dst) {
  std::array<Shape, 2> merged{strides[0], strides[1]};
  collapse_dims(&dims, merged);
  for (int axis = 0; axis + 1 < dims.rank() && dtype != DType::kString; ++axis) {
    if (!repeats_block(dims, merged, axis)) continue;
    Shape once = dims;
    once[axis] = 1;
    copy_merged(dtype, once, merged, src, dst);
    return repeat_blocks(dims, merged[1], axis, static_cast<int64_t>(element_size(dtype)), static_cast<char*>(dst));
  }
  visit_size(dtype, [&]<class T>() { copy_typed<T>(dims, merged, src, dst); });
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

// Is it first, first, first + 1, first + 1, ...? So nearest neighbours double an axis.
bool is_doubled(const int64_t* table, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (table[i] != table[0] + i / 2) return false;
  }
  return n > 2 && n % 2 == 0;
}

template <class T>
void gather_by_table(const T* from, const int64_t* table, int64_t n, T* to) {
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll_count(2)
#endif
  for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(n); ++i) to[i] = from[static_cast<ptrdiff_t>(table[i])];
}

template <class T>
void gather_axes_typed(const Shape& dims, const T* src, const int64_t* const* tables, T* dst) {
  const int last = dims.rank() - 1;
  const int64_t inner = dims[last], rows = dims.product(0, last);
  const int64_t* table = tables[last];
  const Stretch block = longest_stretch(table, inner);
  const bool doubled = is_doubled(table, inner);
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
      if (doubled) {
        const T* pair = from + table[0];
        for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(inner / 2); ++i) to[2 * i] = to[2 * i + 1] = pair[i];
        continue;
      }
      gather_by_table(from, table, block.begin, to);
      if (block.end > block.begin) copy_run(to + block.begin, from + table[block.begin], block.end - block.begin);
      gather_by_table(from, table + block.end, inner - block.end, to + block.end);
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
  const std::array<Shape, 2> strides{src_strides, dst_strides};
  copy_merged(dtype, dims, strides, src, dst);
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
