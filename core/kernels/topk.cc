#include "kernels/topk.h"

#include "base/parallel.h"
#include "base/sort.h"

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

}  // namespace

template <class T>
void top_k(const T* x, int64_t rows, int64_t n, int64_t inner, int64_t k, bool largest, int64_t* indices) {
  if (k == 0) return;
  parallel_for(rows, grain_for(n * 4), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r / inner * n * inner + r % inner;
      if (largest) {
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
