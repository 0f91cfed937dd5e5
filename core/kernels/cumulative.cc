#include "kernels/cumulative.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/visit.h"

namespace onnxlet {
namespace {

constexpr int64_t kStrip = 64;  // columns carried side by side

// `columns` neighbouring columns of a [n, inner] slice, row by row.
template <class T, class Carry, bool kProduct>
void strip(const CumulativeSpec& spec, const T* x, int64_t n, int64_t inner, ptrdiff_t columns, T* y) {
  Carry carry[kStrip];
  for (ptrdiff_t j = 0; j < columns; ++j) carry[j] = kProduct ? 1 : 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = (spec.reverse ? n - 1 - i : i) * inner;
    const T* in = x + at;
    T* out = y + at;
    if (spec.exclusive) {
      for (ptrdiff_t j = 0; j < columns; ++j) {
        const Carry before = carry[j], v = static_cast<Carry>(in[j]);
        carry[j] = kProduct ? before * v : before + v;
        out[j] = static_cast<T>(before);
      }
    } else {
      for (ptrdiff_t j = 0; j < columns; ++j) {
        const Carry v = static_cast<Carry>(in[j]);
        carry[j] = kProduct ? carry[j] * v : carry[j] + v;
        out[j] = static_cast<T>(carry[j]);
      }
    }
  }
}

template <class T, class Carry, bool kProduct>
void rows(const CumulativeSpec& spec, const T* x, int64_t outer, int64_t n, int64_t inner, T* y) {
  if (inner != 1) {
    const int64_t strips = (inner + kStrip - 1) / kStrip;
    parallel_for(outer * strips, grain_for(n * std::min(inner, kStrip)), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t j = t % strips * kStrip, at = t / strips * n * inner + j;
        strip<T, Carry, kProduct>(spec, x + at, n, inner, static_cast<ptrdiff_t>(std::min(kStrip, inner - j)), y + at);
      }
    });
    return;
  }
  parallel_for(outer, grain_for(2 * n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t base = r * n;
      Carry carry = kProduct ? 1 : 0;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = base + (spec.reverse ? n - 1 - i : i);
        const Carry before = carry, v = static_cast<Carry>(x[at]);
        carry = kProduct ? carry * v : carry + v;
        y[at] = static_cast<T>(spec.exclusive ? before : carry);
      }
    }
  });
}

template <class T, class Carry>
void run(const CumulativeSpec& spec, const void* x, int64_t outer, int64_t n, int64_t inner, void* y) {
  if (spec.product) {
    rows<T, Carry, true>(spec, static_cast<const T*>(x), outer, n, inner, static_cast<T*>(y));
  } else {
    rows<T, Carry, false>(spec, static_cast<const T*>(x), outer, n, inner, static_cast<T*>(y));
  }
}

}  // namespace

void cumulative(const CumulativeSpec& spec, DType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* y) {
  switch (t) {
    case DType::kFloat:
      return run<float, double>(spec, x, outer, n, inner, y);
    case DType::kDouble:
      return run<double, double>(spec, x, outer, n, inner, y);
    case DType::kInt32:
    case DType::kUint32:
      return run<uint32_t, uint32_t>(spec, x, outer, n, inner, y);
    default:
      return run<uint64_t, uint64_t>(spec, x, outer, n, inner, y);
  }
}

}  // namespace onnxlet
