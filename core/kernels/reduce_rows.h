// The templates behind kernels/reduce.h, included by the files that instantiate them: reduce.cc for float, compiled for
// speed, and ops/reduce_wide.cc for the rest, compiled for size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/parallel.h"
#include "base/trim.h"
#include "kernels/lane.h"
#include "kernels/reduce.h"
#include "kernels/vector_exp.h"

namespace onnxlet::reduce_rows {

constexpr int64_t kBlock = 512;  // elements summed in the element's own precision before they go to the wide total
constexpr int64_t kStrip = 128;  // columns reduced side by side

// Totals over blocks: floats in double.
template <class V>
using Total = Lane<std::conditional_t<std::is_same_v<Element<V>, float>, double, Element<V>>>;

template <Reduction kOp, class V>
V combine(V a, V b) {
  if constexpr (kOp == Reduction::kProd) {
    return a * b;
  } else if constexpr (kOp == Reduction::kMax) {
    return max_of(a, b);
  } else if constexpr (kOp == Reduction::kMin) {
    return min_of(a, b);
  } else {
    return a + b;
  }
}

template <Reduction kOp, class V>
V accumulate(V acc, V x) {
  if constexpr (kOp == Reduction::kSumSquare) {
    return acc + x * x;
  } else if constexpr (kOp == Reduction::kSumAbs) {
    return acc + select(x < V::splat(0), -x, x);
  } else {
    return combine<kOp>(acc, x);
  }
}

template <class T>
T identity(Reduction op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case Reduction::kProd:
      return 1;
    case Reduction::kMax:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Reduction::kMin:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Reduction::kLogSumExp:
      return Limits::has_infinity ? -Limits::infinity() : 0;
    default:
      return 0;
  }
}

template <Reduction kOp, class V>
Element<V> reduce_row(const Element<V>* x, int64_t n) {
  using T = Element<V>;
  auto total = Total<V>::splat(identity<T>(kOp));
  const V start = V::splat(identity<T>(kOp));
  constexpr int kLanes = V::kLanes;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    V a = start, b = start, c = start, d = start;
    int64_t i = begin;
    for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
      a = accumulate<kOp>(a, V::load(x + i));
      b = accumulate<kOp>(b, V::load(x + i + kLanes));
      c = accumulate<kOp>(c, V::load(x + i + 2 * kLanes));
      d = accumulate<kOp>(d, V::load(x + i + 3 * kLanes));
    }
    for (; i + kLanes <= end; i += kLanes) a = accumulate<kOp>(a, V::load(x + i));
    a = combine<kOp>(combine<kOp>(a, b), combine<kOp>(c, d));
    for (int lane = 0; lane < kLanes; ++lane) total = combine<kOp>(total, Total<V>::splat(a[lane]));
    for (; i < end; ++i) total = accumulate<kOp>(total, Total<V>::splat(x[i]));
  }
  return static_cast<T>(total.v);
}

// log(sum(exp(x))) with the maximum taken out; x is read with a stride.
template <class V>
Element<V> log_sum_exp(const Element<V>* x, int64_t n, int64_t stride) {
  using T = Element<V>;
  T m = identity<T>(Reduction::kMax);
  if (stride == 1) {
    m = reduce_row<Reduction::kMax, V>(x, n);
  } else {
    for (int64_t i = 0; i < n; ++i) m = max_of(Lane<T>{m}, Lane<T>{x[i * stride]}).v;
  }
  if (m != m || std::isinf(m)) return m;
  double sum = 0;
  int64_t i = 0;
  if (stride == 1) {
    const V shift = V::splat(m);
    while (i + V::kLanes <= n) {
      V acc = V::splat(0);
      for (const int64_t end = std::min(n, i + kBlock); i + V::kLanes <= end; i += V::kLanes) {
        acc = acc + vector_exp(V::load(x + i) - shift);
      }
      sum += acc.sum();
    }
  }
  for (; i < n; ++i) sum += scalar_exp(x[i * stride] - m);
  return m + static_cast<T>(std::log(sum));
}

template <Reduction kOp, class V>
void reduce_columns(const Element<V>* x, int64_t n, int64_t stride, int64_t columns, Element<V>* y) {
  using T = Element<V>;
  T acc[kStrip];
  Total<V> total[kStrip];
  std::fill_n(total, columns, Total<V>::splat(identity<T>(kOp)));
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    std::fill_n(acc, columns, identity<T>(kOp));
    for (int64_t i = begin; i < end; ++i) {
      const T* row = x + i * stride;
      int64_t j = 0;
      for (; j + V::kLanes <= columns; j += V::kLanes) {
        accumulate<kOp>(V::load(acc + j), V::load(row + j)).store(acc + j);
      }
      for (; j < columns; ++j) acc[j] = accumulate<kOp>(Lane<T>::splat(acc[j]), Lane<T>::splat(row[j])).v;
    }
    for (int64_t j = 0; j < columns; ++j) total[j] = combine<kOp>(total[j], Total<V>::splat(acc[j]));
  }
  for (int64_t j = 0; j < columns; ++j) y[j] = static_cast<T>(total[j].v);
}

// One partial result: chunk c of row o, for the columns that start at j.
struct Piece {
  int64_t o, c, j;
};

template <Reduction kOp, class V>
void reduce_op(const Element<V>* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, Element<V>* y) {
  using T = Element<V>;
  constexpr bool kLse = kOp == Reduction::kLogSumExp;
  const int64_t strip = inner == 1 || kLse ? 1 : kStrip;
  const int64_t strips = (inner + strip - 1) / strip, chunks = (n + chunk - 1) / chunk;
  const int64_t cost = std::min(n, chunk) * (kLse ? 16 : std::max<int64_t>(1, std::min(inner, strip) / V::kLanes));
  parallel_for(outer * chunks * strips, grain_for(cost), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const Piece at{t / strips / chunks, t / strips % chunks, t % strips * strip};
      const T* p = x + (at.o * n + at.c * chunk) * inner + at.j;
      T* out = y + (at.o * chunks + at.c) * inner + at.j;
      const int64_t length = std::min(chunk, n - at.c * chunk);
      if constexpr (kLse) {
        if constexpr (!std::is_integral_v<T>) *out = log_sum_exp<V>(p, length, inner);
      } else if (inner == 1) {
        *out = reduce_row<kOp, V>(p, length);
      } else {
        reduce_columns<kOp, V>(p, length, inner, std::min(strip, inner - at.j), out);
      }
    }
  });
}

// Whether any operator of this build asks for it.
constexpr bool is_kept(Reduction op) {
  switch (op) {
    case Reduction::kSum:
      return true;
    case Reduction::kSumSquare:
      return trim::keeps_operators("ReduceL2") || trim::keeps_operators("ReduceSumSquare");
    case Reduction::kSumAbs:
      return trim::keeps_operators("ReduceL1");
    case Reduction::kProd:
      return trim::keeps_operators("ReduceProd");
    case Reduction::kMax:
      return trim::keeps_operators("ReduceMax") || trim::keeps_operators("GlobalMaxPool");
    case Reduction::kMin:
      return trim::keeps_operators("ReduceMin");
    case Reduction::kLogSumExp:
      return trim::keeps_operators("ReduceLogSumExp");
  }
  return true;
}

template <Reduction kOp, class V, class T>
void reduce_kept(const T* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, T* y) {
  if constexpr (is_kept(kOp))
    reduce_op<kOp, V>(x, outer, n, inner, chunk, y);
  else
    __builtin_trap();
}

template <class V, class T>
void dispatch(Reduction op, const T* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, T* y) {
  switch (op) {
    case Reduction::kSum:
      return reduce_kept<Reduction::kSum, V>(x, outer, n, inner, chunk, y);
    case Reduction::kSumSquare:
      return reduce_kept<Reduction::kSumSquare, V>(x, outer, n, inner, chunk, y);
    case Reduction::kSumAbs:
      return reduce_kept<Reduction::kSumAbs, V>(x, outer, n, inner, chunk, y);
    case Reduction::kProd:
      return reduce_kept<Reduction::kProd, V>(x, outer, n, inner, chunk, y);
    case Reduction::kMax:
      return reduce_kept<Reduction::kMax, V>(x, outer, n, inner, chunk, y);
    case Reduction::kMin:
      return reduce_kept<Reduction::kMin, V>(x, outer, n, inner, chunk, y);
    case Reduction::kLogSumExp:
      return reduce_kept<Reduction::kLogSumExp, V>(x, outer, n, inner, chunk, y);
  }
}

// Is v at a later index to be taken instead of best?
template <class T>
bool takes(bool smallest, bool last, T v, T best) {
  if (best != best) return last && v != v;
  if (v != v) return true;
  if (v == best) return last;
  return smallest ? v < best : v > best;
}

// Where a row first (or last) has the value `wanted`, which it has.
inline int64_t find_value(const float* x, int64_t n, float wanted, bool last) {
  using simd::F32;
  const F32 value = F32::splat(wanted);
  if (last) {
    int64_t i = n;
    while (i >= F32::kLanes && !any(F32::load(x + i - F32::kLanes) == value)) i -= F32::kLanes;
    while (x[i - 1] != wanted) --i;
    return i - 1;
  }
  int64_t i = 0;
  while (i + F32::kLanes <= n && !any(F32::load(x + i) == value)) i += F32::kLanes;
  while (x[i] != wanted) ++i;
  return i;
}

// best and index of neighbouring columns against row i of them; the indices are those of floats: below 2^31.
inline ptrdiff_t take_vectors(bool smallest, bool last, const float* row, int64_t i, ptrdiff_t columns, float* best,
                              int32_t* index) {
  using simd::F32;
  using simd::I32x4;
  const I32x4 here = I32x4::splat(static_cast<int32_t>(i));
  ptrdiff_t j = 0;
  for (; j + F32::kLanes <= columns; j += F32::kLanes) {
    const F32 v = F32::load(row + j), b = F32::load(best + j);
    const F32 low = smallest ? v : b, high = smallest ? b : v;
    const auto better = last ? low <= high : low < high;  // false where one is NaN
    const auto nan = !(v == v), known = b == b;
    const auto take = better | (last ? nan : nan & known);
    select(take, v, b).store(best + j);
    F32 old;
    std::memcpy(&old.v, index + j, sizeof(old.v));
    const F32 now = select(take, from_bits(here), old);
    std::memcpy(index + j, &now.v, sizeof(now.v));
  }
  return j;
}

template <class T>
void arg_columns(bool smallest, bool last, const T* x, int64_t n, int64_t stride, ptrdiff_t columns, int64_t* y) {
  T best[kStrip];
  int32_t index[kStrip] = {};
  std::copy_n(x, columns, best);
  for (int64_t i = 1; i < n; ++i) {
    const T* row = x + i * stride;
    ptrdiff_t j = 0;
    if constexpr (std::is_same_v<T, float>) j = take_vectors(smallest, last, row, i, columns, best, index);
    for (; j < columns; ++j) {
      if (takes(smallest, last, row[j], best[j])) best[j] = row[j], index[j] = static_cast<int32_t>(i);
    }
  }
  std::copy_n(index, columns, y);
}

template <class T>
int64_t arg_row(bool smallest, bool last, const T* x, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    const float best =
        smallest ? reduce_row<Reduction::kMin, simd::F32>(x, n) : reduce_row<Reduction::kMax, simd::F32>(x, n);
    if (best == best) return find_value(x, n, best, last);
  }
  int64_t at = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (takes(smallest, last, x[i], x[at])) at = i;
  }
  return at;
}

template <class T>
void arg_rows(bool smallest, bool last, const T* x, int64_t outer, int64_t n, int64_t inner, int64_t* y) {
  if (inner == 1) {
    parallel_for(outer, grain_for(n), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) y[o] = arg_row(smallest, last, x + o * n, n);
    });
    return;
  }
  const int64_t strips = (inner + kStrip - 1) / kStrip;
  parallel_for(outer * strips, grain_for(2 * n * std::min(inner, kStrip)), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t o = t / strips, first = t % strips * kStrip, columns = std::min(kStrip, inner - first);
      arg_columns(smallest, last, x + o * n * inner + first, n, inner, static_cast<ptrdiff_t>(columns),
                  y + o * inner + first);
    }
  });
}

}  // namespace onnxlet::reduce_rows
