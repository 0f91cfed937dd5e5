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

// A number and its index (below 2^32) in one integer: ascending integers are ascending numbers, equal ones by index.
// NaN comes last; in a descending order where `nan_first` says so.
int64_t ascending_rank(float v, int64_t index);
int64_t descending_rank(float v, int64_t index, bool nan_first);
inline int64_t index_of_rank(int64_t rank) { return static_cast<int64_t>(static_cast<uint32_t>(rank)); }
// Ranks in ascending order as far as they are asked for: a heap, and its next one, which leaves n - 1.
void make_rank_heap(int64_t* ranks, int64_t n);
int64_t pop_rank(int64_t* ranks, int64_t n);

}  // namespace onnxlet
