#include "kernels/resize.h"

#include "base/parallel.h"

namespace onnxlet {
namespace {

template <class T>
void resample_row(const T* src, int64_t out, const Taps& taps, const T* w, T* dst) {
  const int32_t* index = taps.indices;
  if (taps.taps == 2) {
    for (int64_t j = 0; j < out; ++j) dst[j] = w[2 * j] * src[index[2 * j]] + w[2 * j + 1] * src[index[2 * j + 1]];
    return;
  }
  for (int64_t j = 0; j < out; ++j) {
    T sum = 0;
    for (int64_t k = 0; k < taps.taps; ++k) sum += w[j * taps.taps + k] * src[index[j * taps.taps + k]];
    dst[j] = sum;
  }
}

// One output row as the weighted sum of whole input rows.
template <class T>
void blend_rows(const T* src, int64_t inner, const int32_t* index, const T* w, int64_t taps, T* __restrict dst) {
  const T* a = src + index[0] * inner;
  if (taps == 2) {
    const T* b = src + index[1] * inner;
    const T wa = w[0], wb = w[1];
    for (int64_t i = 0; i < inner; ++i) dst[i] = wa * a[i] + wb * b[i];
    return;
  }
  for (int64_t i = 0; i < inner; ++i) dst[i] = w[0] * a[i];
  for (int64_t k = 1; k < taps; ++k) {
    const T* row = src + index[k] * inner;
    const T wk = w[k];
    if (wk == 0) continue;
    for (int64_t i = 0; i < inner; ++i) dst[i] += wk * row[i];
  }
}

template <class T>
void resample(const T* src, const Rows& rows, int64_t out, const Taps& taps, const T* weights, T* dst) {
  const int64_t inner = rows.inner, n = rows.n;
  if (inner == 1) {
    parallel_for(rows.outer, grain_for(out * taps.taps * 2), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) resample_row(src + o * n, out, taps, weights, dst + o * out);
    });
    return;
  }
  parallel_for(rows.outer * out, grain_for(inner * taps.taps), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t j = i % out;
      blend_rows(src + i / out * n * inner, inner, taps.indices + j * taps.taps, weights + j * taps.taps, taps.taps,
                 dst + i * inner);
    }
  });
}

}  // namespace

void resample_axis(DType type, const void* src, const Rows& rows, int64_t out, const Taps& taps, void* dst) {
  if (type == DType::kDouble) {
    resample(static_cast<const double*>(src), rows, out, taps, taps.wide_weights, static_cast<double*>(dst));
  } else {
    resample(static_cast<const float*>(src), rows, out, taps, taps.weights, static_cast<float*>(dst));
  }
}

}  // namespace onnxlet
