// What pools over planes and pools over channels share: several rows become one.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "kernels/window.h"
#include "simd/f32.h"

namespace onnxlet::inline ONNXLET_LEVEL {

// The larger element; NaN stays.
struct PoolMax {
  template <class T>
  static constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, float>) {
      return max_nan(simd::F32x1{a}, simd::F32x1{b}).v;
    } else if constexpr (std::numeric_limits<T>::has_infinity) {
      return b > a || b != b ? b : a;
    } else {
      return b > a ? b : a;
    }
  }
  simd::F32 operator()(simd::F32 a, simd::F32 b) const { return max_nan(a, b); }
};
struct PoolSum {
  template <class T>
  static constexpr T identity() {
    return 0;
  }
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

inline constexpr int kPoolRows = 4;

template <int kCount, class Combine>
void combine_vectors(const float* const* rows, ptrdiff_t n, float* y, Combine combine) {
  using simd::F32;
  const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const auto at = [&](auto load, ptrdiff_t i) {
    auto v = load(a + i);
    if constexpr (kCount > 1) v = combine(v, load(b + i));
    if constexpr (kCount > 2) v = combine(v, load(c + i));
    if constexpr (kCount > 3) v = combine(v, load(d + i));
    return v;
  };
  if (n < F32::kLanes) {
    for (ptrdiff_t i = 0; i < n; ++i) y[i] = at([](const float* p) { return *p; }, i);
    return;
  }
  // The last vector overlaps the one before, so it is taken first: y may be a row.
  const F32 end = at(F32::load, n - F32::kLanes);
  for (ptrdiff_t i = 0; i + F32::kLanes <= n; i += F32::kLanes) at(F32::load, i).store(y + i);
  end.store(y + n - F32::kLanes);
}

// y[i] = rows[0][i] with rows[1][i] with ..., i < n. count is 1 to kPoolRows; y may be rows[0].
template <class T, class Combine>
void combine_rows(const T* const* rows, int count, ptrdiff_t n, T* y, Combine combine) {
  if constexpr (std::is_same_v<T, float>) {
    if (count == 4) return combine_vectors<4>(rows, n, y, combine);
    if (count == 3) return combine_vectors<3>(rows, n, y, combine);
    if (count == 2) return combine_vectors<2>(rows, n, y, combine);
  }
  if (y != rows[0]) std::copy_n(rows[0], n, y);
  for (int r = 1; r < count; ++r) {  // in the compiler's own vectors
    const T* x = rows[r];
    T* __restrict to = y;
#if defined(__clang__)
#pragma clang loop unroll(disable) interleave(disable)
#endif
    for (ptrdiff_t i = 0; i < n; ++i) to[i] = combine(to[i], x[i]);
  }
}

// Collects rows and combines them into y, kPoolRows at a time.
template <class T, class Combine>
class RowCollector {
 public:
  RowCollector(T* y, ptrdiff_t n, Combine combine) : y_(y), n_(n), combine_(combine) {}
  void add(const T* row) {
    if (count_ == kPoolRows) flush();
    rows_[count_++] = row;
  }
  // False when there was no row: then y is the identity.
  bool finish() {
    if (count_ > 0) flush();
    if (!begun_) std::fill_n(y_, n_, Combine::template identity<T>());
    return begun_;
  }

 private:
  __attribute__((noinline)) void flush() {  // in many places, and worth a call
    combine_rows(rows_, count_, n_, y_, combine_);
    rows_[0] = y_;
    count_ = begun_ = 1;
  }

  const T* rows_[kPoolRows];
  T* y_;
  ptrdiff_t n_;
  int count_ = 0;
  int begun_ = 0;
  Combine combine_;
};

// Which taps of one axis lie inside the input.
struct TapRange {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};
inline TapRange taps_inside(const Window& w, int d, int64_t o) {
  const int64_t first = o * w.stride[d] - w.pad[d], step = w.dilation[d], size = w.kernel[d];
  if (first >= 0 && first + (size - 1) * step < w.in[d]) return {0, size};
  const int64_t begin = first < 0 ? std::min(size, (-first + step - 1) / step) : 0;
  const int64_t end = first < w.in[d] ? std::min(size, (w.in[d] - first + step - 1) / step) : 0;
  return {begin, std::max(begin, end)};
}
// How many taps of one axis an average divides by. include_pad counts those in the padding.
inline int64_t taps_counted(const Window& w, int d, int64_t o, bool include_pad) {
  if (!include_pad) return taps_inside(w, d, o).count();
  const int64_t room = w.in[d] + w.pad_end[d] + w.pad[d] - o * w.stride[d];
  return std::min(w.kernel[d], room > 0 ? (room + w.dilation[d] - 1) / w.dilation[d] : 0);
}

// Calls f(offset) for every tap of all axes but the last that is inside the input, for output row `row` (an index into
// those axes). Offsets count elements of a plane whose axes have these strides.
template <class F>
void each_leading_tap(const Window& w, const Shape& strides, int64_t row, F f) {
  const int leading = w.rank() - 1;
  if (leading == 0) return f(int64_t{0});
  int64_t origin = 0, tap[Shape::kMaxRank];
  TapRange range[Shape::kMaxRank];
  for (int d = leading - 1; d >= 0; --d) {
    const int64_t o = d == 0 ? row : row % w.out[d];
    if (d != 0) row /= w.out[d];
    range[d] = taps_inside(w, d, o);
    if (range[d].count() == 0) return;
    tap[d] = range[d].begin;
    origin += (o * w.stride[d] - w.pad[d]) * strides[d];
  }
  for (;;) {
    int64_t offset = origin;
    for (int d = 0; d < leading; ++d) offset += tap[d] * w.dilation[d] * strides[d];
    f(offset);
    int d = leading - 1;
    while (d >= 0 && ++tap[d] == range[d].end) {
      tap[d] = range[d].begin;
      --d;
    }
    if (d < 0) return;
  }
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
