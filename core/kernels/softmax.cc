#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/parallel.h"
#include "kernels/lane.h"
#include "kernels/vector_exp.h"

namespace onnxlet {
namespace {

constexpr int64_t kBlock = 1024;  // exponentials summed in the element's own precision
constexpr int64_t kStrip = 64;    // columns handled side by side

template <class V>
Element<V> row_max(const Element<V>* x, int64_t n) {
  using T = Element<V>;
  T m = -std::numeric_limits<T>::infinity();
  V acc = V::splat(m);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) acc = max_of(acc, V::load(x + i));
  for (int lane = 0; lane < V::kLanes; ++lane) m = max_of(Lane<T>{m}, Lane<T>{acc[lane]}).v;
  for (; i < n; ++i) m = max_of(Lane<T>{m}, Lane<T>{x[i]}).v;
  return m;
}

// Sum of exp(x - m); with kStore the exponentials go to y.
template <class V, bool kStore>
double row_exp(const Element<V>* x, int64_t n, Element<V> m, Element<V>* y) {
  const V shift = V::splat(m);
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    V acc = V::splat(0);
    int64_t i = begin;
    for (; i + V::kLanes <= end; i += V::kLanes) {
      const V e = vector_exp(V::load(x + i) - shift);
      acc = acc + e;
      if constexpr (kStore) e.store(y + i);
    }
    double tail = 0;
    for (; i < end; ++i) {
      const auto e = scalar_exp(x[i] - m);
      tail += e;
      if constexpr (kStore) y[i] = e;
    }
    total += acc.sum() + tail;
  }
  return total;
}

// y = x * scale + shift
template <class V>
void row_affine(const Element<V>* x, int64_t n, Element<V> scale, Element<V> shift, Element<V>* y) {
  const V a = V::splat(scale), b = V::splat(shift);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) (V::load(x + i) * a + b).store(y + i);
  for (; i < n; ++i) y[i] = x[i] * scale + shift;
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
    row_affine<V>(y, n, static_cast<T>(1 / sum), 0, y);
  }
}

// `columns` neighbouring columns of one [n, stride] slice, row by row.
template <class V>
void one_strip(bool log, const Element<V>* x, int64_t n, int64_t stride, int64_t columns, Element<V>* y) {
  using T = Element<V>;
  T m[kStrip], sum[kStrip];
  std::copy_n(x, columns, m);
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t j = 0; j < columns; ++j) m[j] = max_of(Lane<T>{m[j]}, Lane<T>{x[i * stride + j]}).v;
  }
  std::fill_n(sum, columns, T{0});
  for (int64_t i = 0; i < n; ++i) {
    const T* in = x + i * stride;
    T* out = y + i * stride;
    int64_t j = 0;
    for (; j + V::kLanes <= columns; j += V::kLanes) {
      const V e = vector_exp(V::load(in + j) - V::load(m + j));
      (V::load(sum + j) + e).store(sum + j);
      if (!log) e.store(out + j);
    }
    for (; j < columns; ++j) {
      const T e = scalar_exp(in[j] - m[j]);
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

template <class T>
void softmax(bool log, const T* x, int64_t outer, int64_t n, int64_t inner, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    run<simd::F32x4>(log, x, outer, n, inner, y);
  } else {
    run<Lane<T>>(log, x, outer, n, inner, y);
  }
}
template void softmax(bool, const float*, int64_t, int64_t, int64_t, float*);
template void softmax(bool, const double*, int64_t, int64_t, int64_t, double*);

void softmax_scalar(bool log, const float* x, int64_t outer, int64_t n, int64_t inner, float* y) {
  run<simd::F32x1>(log, x, outer, n, inner, y);
}

void softmax_row(float* x, int64_t n, float* max, float* sum) {
  const float m = row_max<simd::F32x4>(x, n);
  const double total = row_exp<simd::F32x4, true>(x, n, m, x);
  row_affine<simd::F32x4>(x, n, static_cast<float>(1 / total), 0, x);
  if (max) *max = m;
  if (sum) *sum = static_cast<float>(total);
}

}  // namespace onnxlet
