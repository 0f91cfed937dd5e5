#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/lane.h"
#include "kernels/vector_exp.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

constexpr int64_t kBlock = 1024;  // exponentials summed in the element's own precision
constexpr int64_t kStrip = 64;    // columns handled side by side

// Of two elements the larger; a if b is NaN, which then shows in the sum of exponentials.
template <class V>
V larger(V a, V b) {
  return select(a < b, b, a);
}
inline simd::F32 larger(simd::F32 a, simd::F32 b) { return max(b, a); }

// The last n elements of a row, fewer than a vector, with `missing` behind them.
template <class V>
V load_end(const Element<V>* x, int64_t n, Element<V> missing) {
  Element<V> lanes[V::kLanes];
  for (int64_t i = 0; i < V::kLanes; ++i) lanes[i] = i < n ? x[i] : missing;
  return V::load(lanes);
}

template <class V>
Element<V> row_max(const Element<V>* x, int64_t n) {
  using T = Element<V>;
  constexpr int64_t kLanes = V::kLanes;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  V a = V::splat(kLowest), b = a, c = a, d = a;
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    a = larger(a, V::load(x + i));
    b = larger(b, V::load(x + i + kLanes));
    c = larger(c, V::load(x + i + 2 * kLanes));
    d = larger(d, V::load(x + i + 3 * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) a = larger(a, V::load(x + i));
  if (i < n) b = larger(b, load_end<V>(x + i, n - i, kLowest));
  a = larger(larger(a, b), larger(c, d));
  T m = a[0];
  for (int lane = 1; lane < kLanes; ++lane) m = a[lane] > m ? a[lane] : m;
  return m;
}

// Sum of exp(x - m); with kStore the exponentials go to y.
template <class V, bool kStore>
double row_exp(const Element<V>* x, int64_t n, Element<V> m, Element<V>* y) {
  constexpr int64_t kLanes = V::kLanes;
  const V shift = V::splat(m);
  const auto one = [&](int64_t i) {
    const V e = vector_exp_weight(V::load(x + i) - shift);
    if constexpr (kStore) e.store(y + i);
    return e;
  };
  double total = 0;
  int64_t i = 0;
  while (i + kLanes <= n) {
    const int64_t end = std::min(n, i + kBlock);
    V a = V::splat(0), b = a;
    for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
      a = a + one(i);
      b = b + one(i + kLanes);
    }
    if (i + kLanes <= end) {
      a = a + one(i);
      i += kLanes;
    }
    total += static_cast<double>((a + b).sum());
  }
  if (i < n) {
    const V e = vector_exp_weight(load_end<V>(x + i, n - i, -std::numeric_limits<Element<V>>::infinity()) - shift);
    for (int64_t k = 0; kStore && k < n - i; ++k) y[i + k] = e[static_cast<int>(k)];
    total += static_cast<double>(e.sum());
  }
  return total;
}

// y = x * scale
template <class V>
void row_scale(const Element<V>* x, int64_t n, Element<V> scale, Element<V>* y) {
  const V factor = V::splat(scale);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) (V::load(x + i) * factor).store(y + i);
  for (; i < n; ++i) y[i] = x[i] * scale;
}

template <class V>
void one_row(bool log, const Element<V>* x, int64_t n, Element<V>* y) {
  using T = Element<V>;
  const T m = row_max<V>(x, n);
  if (log) {
    const double sum = row_exp<V, false>(x, n, m, nullptr);
    const V shift = V::splat(m), lse = V::splat(static_cast<T>(std::log(sum)));
    int64_t i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) ((V::load(x + i) - shift) - lse).store(y + i);
    for (; i < n; ++i) y[i] = (x[i] - m) - lse[0];
  } else {
    const double sum = row_exp<V, true>(x, n, m, y);
    row_scale<V>(y, n, static_cast<T>(1 / sum), y);
  }
}

// `columns` neighbouring columns of one [n, stride] slice, row by row.
template <class V>
void one_strip(bool log, const Element<V>* x, int64_t n, int64_t stride, int64_t columns, Element<V>* y) {
  using T = Element<V>;
  T m[kStrip], sum[kStrip];
  std::copy_n(x, columns, m);
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t j = 0; j < columns; ++j) m[j] = x[i * stride + j] > m[j] ? x[i * stride + j] : m[j];
  }
  std::fill_n(sum, columns, T{0});
  for (int64_t i = 0; i < n; ++i) {
    const T* in = x + i * stride;
    T* out = y + i * stride;
    int64_t j = 0;
    for (; j + V::kLanes <= columns; j += V::kLanes) {
      const V e = vector_exp_weight(V::load(in + j) - V::load(m + j));
      (V::load(sum + j) + e).store(sum + j);
      if (!log) e.store(out + j);
    }
    for (; j < columns; ++j) {
      const T e = vector_exp_weight(V::splat(in[j] - m[j]))[0];
      sum[j] += e;
      if (!log) out[j] = e;
    }
  }
  for (int64_t j = 0; j < columns; ++j) sum[j] = log ? std::log(sum[j]) : T{1} / sum[j];
  for (int64_t i = 0; i < n; ++i) {
    const T* in = x + i * stride;
    T* out = y + i * stride;
    if (log) {
      for (int64_t j = 0; j < columns; ++j) out[j] = (in[j] - m[j]) - sum[j];
    } else {
      for (int64_t j = 0; j < columns; ++j) out[j] *= sum[j];
    }
  }
}

template <class V>
void run(bool log, const Element<V>* x, int64_t outer, int64_t n, int64_t inner, Element<V>* y) {
  if (n == 0 || inner == 0) return;
  const int64_t strip = inner == 1 ? 1 : kStrip, strips = (inner + strip - 1) / strip;
  parallel_for(outer * strips, grain_for(n * 8 * std::max<int64_t>(1, std::min(inner, strip) / V::kLanes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t t = begin; t < end; ++t) {
                   const int64_t j = t % strips * strip, at = t / strips * n * inner + j;
                   if (inner == 1) {
                     one_row<V>(log, x + at, n, y + at);
                   } else {
                     one_strip<V>(log, x + at, n, inner, std::min(strip, inner - j), y + at);
                   }
                 }
               });
}

}  // namespace

void softmax(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y) {
  run<simd::F32>(log, x, outer, n, inner, y);
}
void softmax(bool log, const double* x, int64_t outer, int64_t n, int64_t inner, double* y) {
  run<Lane<double>>(log, x, outer, n, inner, y);
}

void softmax_scalar(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y) {
  run<simd::F32x1>(log, x, outer, n, inner, y);
}

void softmax_row(float* x, int64_t n, float* max, float* sum) {
  const float m = row_max<simd::F32>(x, n);
  const double total = row_exp<simd::F32, true>(x, n, m, x);
  row_scale<simd::F32>(x, n, static_cast<float>(1 / total), x);
  if (max) *max = m;
  if (sum) *sum = static_cast<float>(total);
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
