#include <algorithm>

#include "base/parallel.h"
#include "kernels/gemm.h"

namespace onnxlet {

template <class T>
void gemm_plain(const PlainGemm<T>& g) {
  parallel_for(g.m, grain_for(g.n * g.k), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* c = g.c + i * g.n;
      std::fill(c, c + g.n, T{});
      for (int64_t k = 0; k < g.k; ++k) {
        const T a = g.a[i * g.a_row_stride + k * g.a_col_stride];
        const T* b = g.b + k * g.b_row_stride;
        if (g.b_col_stride == 1) {
          for (int64_t j = 0; j < g.n; ++j) c[j] += a * b[j];
        } else {
          for (int64_t j = 0; j < g.n; ++j) c[j] += a * b[j * g.b_col_stride];
        }
      }
    }
  });
}
template void gemm_plain(const PlainGemm<double>&);
template void gemm_plain(const PlainGemm<uint32_t>&);
template void gemm_plain(const PlainGemm<uint64_t>&);

}  // namespace onnxlet
