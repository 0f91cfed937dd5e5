#include "kernels/channel_norm.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/sum_of.h"

namespace onnxlet {
namespace {

simd::F32 root(simd::F32 v) { return sqrt(v); }
Lane<double> root(Lane<double> v) { return {std::sqrt(v.v)}; }

// y = x / (bias + scale * y) ^ exponent
template <class T>
void divide_by_power(const T* x, T bias, T scale, float exponent, T* y, ptrdiff_t n) {
  using V = typename RowVector<T>::type;
  ptrdiff_t i = 0;
  if (exponent == 0.75f || exponent == 0.5f) {
    const V shift = V::splat(bias), factor = V::splat(scale);
    for (; i + V::kLanes <= n; i += V::kLanes) {
      V divisor = root(shift + factor * V::load(y + i));
      if (exponent == 0.75f) divisor = divisor * root(divisor);
      (V::load(x + i) / divisor).store(y + i);
    }
  }
  for (; i < n; ++i) y[i] = x[i] / std::pow(bias + scale * y[i], static_cast<T>(exponent));
}

}  // namespace

template <class T>
void channel_affine(int64_t outer, int64_t channels, int64_t inner, const T* x, const T* mean, const T* factor,
                    const T* shift, T* y) {
  if (inner == 1) {  // channels last
    parallel_for(outer, grain_for(channels), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        const T* src = x + o * channels;
        T* dst = y + o * channels;
        for (ptrdiff_t c = 0; c < static_cast<ptrdiff_t>(channels); ++c)
          dst[c] = (src[c] - mean[c]) * factor[c] + shift[c];
      }
    });
    return;
  }
  parallel_for(outer * channels, grain_for(inner), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T m = mean[p % channels], f = factor[p % channels], s = shift[p % channels];
      const T* src = x + p * inner;
      T* dst = y + p * inner;
      for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(inner); ++i) dst[i] = (src[i] - m) * f + s;
    }
  });
}

template <class T>
void channel_moments(int64_t outer, int64_t channels, int64_t inner, const T* x, T* mean, T* variance) {
  const double n = static_cast<double>(outer * inner);
  parallel_for(channels, grain_for(outer * inner), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      double sum = 0, squares = 0;
      for (int64_t o = 0; o < outer; ++o)
        sum += sum_of(x + (o * channels + c) * inner, inner, [](auto v) { return v; });
      const T m = static_cast<T>(sum / n);
      for (int64_t o = 0; o < outer; ++o) {
        squares += sum_of(x + (o * channels + c) * inner, inner, [m](auto v) {
          const auto d = v - decltype(v)::splat(m);
          return d * d;
        });
      }
      mean[c] = m;
      variance[c] = static_cast<T>(squares / n);
    }
  });
}

template <class T>
void local_response(int64_t outer, int64_t channels, int64_t inner, const T* x, T* y, int64_t size, float alpha,
                    float beta, float bias) {
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  const T scale = static_cast<T>(alpha) / static_cast<T>(size);
  parallel_for(outer * channels, grain_for(inner * size), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t c = p % channels;
      const int64_t first = p - std::min(c, before), last = p + std::min(channels - 1 - c, after);
      T* __restrict dst = y + p * inner;
      const auto n = static_cast<ptrdiff_t>(inner);
      std::fill(dst, dst + n, T{0});
      for (int64_t q = first; q <= last; ++q) {
        const T* src = x + q * inner;
        for (ptrdiff_t i = 0; i < n; ++i) dst[i] += src[i] * src[i];
      }
      divide_by_power(x + p * inner, static_cast<T>(bias), scale, beta, dst, n);
    }
  });
}

template void channel_affine(int64_t, int64_t, int64_t, const float*, const float*, const float*, const float*, float*);
template void channel_affine(int64_t, int64_t, int64_t, const double*, const double*, const double*, const double*,
                             double*);
template void channel_moments(int64_t, int64_t, int64_t, const float*, float*, float*);
template void channel_moments(int64_t, int64_t, int64_t, const double*, double*, double*);
template void local_response(int64_t, int64_t, int64_t, const float*, float*, int64_t, float, float, float);
template void local_response(int64_t, int64_t, int64_t, const double*, double*, int64_t, float, float, float);

}  // namespace onnxlet
