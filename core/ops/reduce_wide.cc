// The reductions of double and of integers (as int64): the kernels' templates, compiled for size.
#include "kernels/reduce_rows.h"

namespace onnxlet {

template <>
void reduce_axis(Reduction op, const double* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, double* y) {
  reduce_rows::dispatch<Lane<double>>(op, x, outer, n, inner, chunk, y);
}
template <>
double reduce_identity(Reduction op) {
  return reduce_rows::identity<double>(op);
}
template <>
void arg_reduce(bool smallest, bool last, const double* x, int64_t outer, int64_t n, int64_t inner, int64_t* y) {
  reduce_rows::arg_rows(smallest, last, x, outer, n, inner, y);
}

template <>
void reduce_axis(Reduction op, const int64_t* x, int64_t outer, int64_t n, int64_t inner, int64_t chunk, int64_t* y) {
  reduce_rows::dispatch<Lane<int64_t>>(op, x, outer, n, inner, chunk, y);
}
template <>
int64_t reduce_identity(Reduction op) {
  return reduce_rows::identity<int64_t>(op);
}
template <>
void arg_reduce(bool smallest, bool last, const int64_t* x, int64_t outer, int64_t n, int64_t inner, int64_t* y) {
  reduce_rows::arg_rows(smallest, last, x, outer, n, inner, y);
}

}  // namespace onnxlet
