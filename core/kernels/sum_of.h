// Sums of long rows, the one way they are taken: in the element's own precision over blocks, in double across them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/lane.h"

namespace onnxlet::inline ONNXLET_LEVEL {

template <class T>
struct RowVector {
  using type = Lane<T>;
};
template <>
struct RowVector<float> {
  using type = simd::F32;
};

// Sum of the lanes of f(v) over the vectors v of x.
template <class V, class F>
double sum_of_vectors(const Element<V>* x, int64_t n, F f) {
  constexpr ptrdiff_t kBlock = 1024, kLanes = V::kLanes;
  double total = 0;
  for (; n > 0; x += kBlock, n -= kBlock) {
    const ptrdiff_t count = static_cast<ptrdiff_t>(std::min<int64_t>(kBlock, n));
    V a = V::splat(0), b = a, c = a, d = a;
    ptrdiff_t i = 0;
    for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
      a = a + f(V::load(x + i));
      b = b + f(V::load(x + i + kLanes));
      c = c + f(V::load(x + i + 2 * kLanes));
      d = d + f(V::load(x + i + 3 * kLanes));
    }
    for (; i + kLanes <= count; i += kLanes) a = a + f(V::load(x + i));
    double tail = 0;
    for (; i < count; ++i) tail += static_cast<double>(f(V::splat(x[i]))[0]);
    total += static_cast<double>(((a + b) + (c + d)).sum()) + tail;
  }
  return total;
}

// The same for float or double.
template <class T, class F>
double sum_of(const T* x, int64_t n, F f) {
  return sum_of_vectors<typename RowVector<T>::type>(x, n, f);
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
