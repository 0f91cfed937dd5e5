#include "kernels/reduce_rows.h"

namespace onnxlet {

template <>
void reduce_axis(Reduction op, const float* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, float* y) {
  reduce_rows::dispatch<simd::F32x4>(op, x, outer, n, inner, chunk, y);
}

void reduce_axis_scalar(Reduction op, const float* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk,
                        float* y) {
  reduce_rows::dispatch<simd::F32x1>(op, x, outer, n, inner, chunk, y);
}

template <>
float reduce_identity(Reduction op) {
  return reduce_rows::identity<float>(op);
}

template <>
void arg_reduce(bool smallest, bool last, const float* x, int64_t outer, int64_t n, int64_t inner, int64_t* y) {
  reduce_rows::arg_rows(smallest, last, x, outer, n, inner, y);
}

}  // namespace onnxlet
