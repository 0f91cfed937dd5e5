#include "kernels/normalize.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/sum_of.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

template <class T>
struct Stats {
  T mean, inv_std;
};

template <class V>
Stats<Element<V>> row_stats(const Element<V>* x, int64_t n, float epsilon, bool center) {
  using T = Element<V>;
  const double count = static_cast<double>(n);
  const T mean = center ? static_cast<T>(sum_of_vectors<V>(x, n, [](V v) { return v; }) / count) : T{0};
  const V shift = V::splat(mean);
  const double squares = sum_of_vectors<V>(x, n, [shift](V v) { return (v - shift) * (v - shift); });
  const double variance = squares / count;
  return {mean, static_cast<T>(1 / std::sqrt(variance + static_cast<double>(epsilon)))};
}

template <class V>
void apply_row(const Element<V>* x, int64_t n, Stats<Element<V>> stats, const Element<V>* scale, const Element<V>* bias,
               Element<V>* y) {
  const V mean = V::splat(stats.mean), inv = V::splat(stats.inv_std);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    V v = (V::load(x + i) - mean) * inv;
    if (scale) v = v * V::load(scale + i);
    if (bias) v = v + V::load(bias + i);
    v.store(y + i);
  }
  for (; i < n; ++i) {
    Element<V> v = (x[i] - stats.mean) * stats.inv_std;
    if (scale) v *= scale[i];
    if (bias) v += bias[i];
    y[i] = v;
  }
}

template <class V>
void run_rows(const NormalizeRows<Element<V>>& a) {
  parallel_for(a.rows, grain_for(a.n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto* x = a.x + r * a.n;
      const auto stats = row_stats<V>(x, a.n, a.epsilon, a.center);
      apply_row<V>(x, a.n, stats, a.scale ? a.scale + r * a.scale_stride : nullptr,
                   a.bias ? a.bias + r * a.bias_stride : nullptr, a.y + r * a.n);
      if (a.mean) a.mean[r] = stats.mean;
      if (a.inv_std) a.inv_std[r] = stats.inv_std;
    }
  });
}

template <class V>
void run_groups(const NormalizeGroups<Element<V>>& a) {
  using T = Element<V>;
  const int64_t n = a.channels * a.inner;
  parallel_for(a.batch * a.groups, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const auto stats = row_stats<V>(a.x + t * n, n, a.epsilon, true);
      for (int64_t c = 0; c < a.channels; ++c) {
        const int64_t at = a.per_group ? t % a.groups : t % a.groups * a.channels + c;
        const T* x = a.x + t * n + c * a.inner;
        T* y = a.y + t * n + c * a.inner;
        const V mean = V::splat(stats.mean), scale = V::splat(stats.inv_std * a.scale[at]), bias = V::splat(a.bias[at]);
        int64_t i = 0;
        for (; i + V::kLanes <= a.inner; i += V::kLanes) ((V::load(x + i) - mean) * scale + bias).store(y + i);
        for (; i < a.inner; ++i) y[i] = (x[i] - mean[0]) * scale[0] + bias[0];
      }
    }
  });
}

template <class T>
void run_lp(int p, const T* x, int64_t outer, int64_t n, int64_t inner, T* y) {
  using V = typename RowVector<T>::type;
  parallel_for(outer * inner, grain_for(2 * n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r / inner * n * inner + r % inner;
      double norm = 0;
      if (inner == 1) {
        norm = p == 1 ? sum_of_vectors<V>(x + at, n, [](V v) { return select(v < V::splat(0), -v, v); })
                      : sum_of_vectors<V>(x + at, n, [](V v) { return v * v; });
      } else {
        for (int64_t i = 0; i < n; ++i) {
          const double v = x[at + i * inner];
          norm += p == 1 ? std::fabs(v) : v * v;
        }
      }
      if (p == 2) norm = std::sqrt(norm);
      const T divisor = static_cast<T>(norm);
      if (norm == 0) {
        for (int64_t i = 0; i < n; ++i) y[at + i * inner] = 0;
      } else if (inner == 1) {
        for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(n); ++i) y[at + i] = x[at + i] / divisor;
      } else {
        for (int64_t i = 0; i < n; ++i) y[at + i * inner] = x[at + i * inner] / divisor;
      }
    }
  });
}

}  // namespace

void normalize_rows(const NormalizeRows<float>& a) { run_rows<simd::F32>(a); }
void normalize_rows(const NormalizeRows<double>& a) { run_rows<Lane<double>>(a); }
void normalize_rows_scalar(const NormalizeRows<float>& a) { run_rows<simd::F32x1>(a); }

void normalize_groups(const NormalizeGroups<float>& a) { run_groups<simd::F32>(a); }
void normalize_groups(const NormalizeGroups<double>& a) { run_groups<Lane<double>>(a); }

void lp_normalize(int p, const float* x, int64_t outer, int64_t n, int64_t inner, float* y) {
  run_lp(p, x, outer, n, inner, y);
}
void lp_normalize(int p, const double* x, int64_t outer, int64_t n, int64_t inner, double* y) {
  run_lp(p, x, outer, n, inner, y);
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
