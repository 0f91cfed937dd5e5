#include "kernels/topk.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "base/sort.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

// Does element a come before element b?
template <class T, bool kLargest>
struct Ranking {
  const T* x;
  int64_t stride;
  bool operator()(int64_t a, int64_t b) const {
    const T u = x[a * stride], v = x[b * stride];
    if (u == v) return a < b;
    const bool nan_u = u != u, nan_v = v != v;
    if (nan_u || nan_v) return nan_u == nan_v ? a < b : nan_u == kLargest;
    return kLargest ? u > v : u < v;
  }
};

// A heap of the k best so far, the worst of them on top.
template <class B>
void select(B before, int64_t n, int64_t k, int64_t* out) {
  for (int64_t i = 0; i < k; ++i) out[i] = i;
  if (k == 1) {
    for (int64_t i = 1; i < n; ++i) {
      if (before(i, out[0])) out[0] = i;
    }
    return;
  }
  if (k < n) {
    make_heap_by(out, k, before);
    for (int64_t i = k; i < n; ++i) {
      if (before(i, out[0])) replace_heap_top(out, k, i, before);
    }
  }
  sort_by(out, k, before);
}

int64_t with_index(int32_t key, int64_t index) {
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(key)) << 32 | static_cast<uint32_t>(index));
}
// The bits of a float as an integer that is ordered as the float is; NaN on top, both zeros alike.
int32_t ordered_bits(float v) {
  if (v != v) return INT32_MAX;
  const auto bits = __builtin_bit_cast(int32_t, v + 0.0f);
  return bits ^ (bits >> 31 & INT32_MAX);
}

int64_t rank_of(float v, int64_t index, bool largest) {
  return largest ? descending_rank(v, index, true) : ascending_rank(v, index);
}

// May any of the eight elements at x be better than `worst`? Equal ones are not: they come later.
bool any_better(const float* x, float worst, bool largest) {
  using simd::F32;
  const F32 a = F32::load(x), b = F32::load(x + 4), w = F32::splat(worst);
  if (largest) return any(!((a <= w) & (b <= w)));
  return worst != worst || any((a < w) | (b < w));
}

// Ranks of the k best of a row, then their indices.
void select_floats(const float* x, int64_t n, int64_t inner, int64_t k, bool largest, int64_t* out) {
  for (int64_t i = 0; i < k; ++i) out[i] = rank_of(x[i * inner], i, largest);
  std::make_heap(out, out + k);
  if (k < n) {
    for (int64_t i = k; i < n;) {
      if (inner == 1 && i + 8 <= n && !any_better(x + i, x[index_of_rank(out[0])], largest)) {
        i += 8;
        continue;
      }
      for (const int64_t end = std::min(n, i + 8); i < end; ++i) {
        const int64_t rank = rank_of(x[i * inner], i, largest);
        if (rank >= out[0]) continue;
        std::pop_heap(out, out + k);
        out[k - 1] = rank;
        std::push_heap(out, out + k);
      }
    }
  }
  std::sort_heap(out, out + k);  // std::sort would be some kilobytes more
  for (int64_t i = 0; i < k; ++i) out[i] = index_of_rank(out[i]);
}

}  // namespace

int64_t ascending_rank(float v, int64_t index) { return with_index(ordered_bits(v), index); }
int64_t descending_rank(float v, int64_t index, bool nan_first) {
  return with_index(v != v && !nan_first ? INT32_MAX : ~ordered_bits(v), index);
}
void make_rank_heap(int64_t* ranks, int64_t n) { std::make_heap(ranks, ranks + n, std::greater<int64_t>()); }
int64_t pop_rank(int64_t* ranks, int64_t n) {
  std::pop_heap(ranks, ranks + n, std::greater<int64_t>());
  return ranks[n - 1];
}

template <class T>
void top_k(const T* x, int64_t rows, int64_t n, int64_t inner, int64_t k, bool largest, int64_t* indices) {
  if (k == 0) return;
  parallel_for(rows, grain_for(n * 4), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r / inner * n * inner + r % inner;
      if constexpr (std::is_same_v<T, float>) {
        select_floats(row, n, inner, k, largest, indices + r * k);
      } else if (largest) {
        select(Ranking<T, true>{row, inner}, n, k, indices + r * k);
      } else {
        select(Ranking<T, false>{row, inner}, n, k, indices + r * k);
      }
    }
  });
}
template void top_k(const float*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);
template void top_k(const double*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);
template void top_k(const int64_t*, int64_t, int64_t, int64_t, int64_t, bool, int64_t*);

}  // namespace onnxlet
