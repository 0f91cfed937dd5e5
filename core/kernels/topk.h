// The k best elements along an axis, in order.
#pragma once

#include <cstdint>

namespace onnxlet {

// Row r of `rows` has n elements at x + r / inner * n * inner + r % inner, `inner` apart. indices: [rows, k], the best
// first, equal elements by index; NaN counts as the largest. 0 <= k <= n. T is float, double or int64_t.
template <class T>
void top_k(const T* x, int64_t rows, int64_t n, int64_t inner, int64_t k, bool largest, int64_t* indices);
extern template void top_k(const float*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);
extern template void top_k(const double*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);
extern template void top_k(const int64_t*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);

}  // namespace onnxlet
