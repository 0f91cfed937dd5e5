#include "ops/matmul_shape.h"

namespace onnxlet {
namespace {

// A matrix operand: batch dimensions with their strides, then rows and columns.
struct Operand {
  Shape batch, batch_strides;
  int64_t rows, cols, row_stride, col_stride;
};

Operand split(const Shape& s, bool transposed, bool batch_transposed) {
  Operand o{};
  const Shape strides = s.strides();
  const int r = s.rank(), row = batch_transposed ? 0 : r - 2;
  for (int i = 0; i < r - 1; ++i) {
    if (i == row) continue;
    o.batch.push_back(s[i]);
    o.batch_strides.push_back(strides[i]);
  }
  o.rows = s[row];
  o.cols = s[r - 1];
  o.row_stride = strides[row];
  o.col_stride = 1;
  if (transposed) {
    std::swap(o.rows, o.cols);
    std::swap(o.row_stride, o.col_stride);
  }
  return o;
}

// Strides of an operand's batch dimensions along the broadcast ones.
Shape spread_strides(const Operand& o, const Shape& out) {
  Shape s = Shape::filled(out.rank(), 0);
  const int lead = out.rank() - o.batch.rank();
  for (int i = 0; i < o.batch.rank(); ++i) {
    if (o.batch[i] != 1) s[lead + i] = o.batch_strides[i];
  }
  return s;
}

}  // namespace

LoneMatrix lone_matrix(const Tensor& b, bool transposed) {
  if (!b.valid() || b.rank() < 2 || b.size() == 0 || b.shape().product(0, b.rank() - 2) != 1) return {};
  const int64_t rows = b.dim(b.rank() - 2), cols = b.dim(b.rank() - 1);
  return transposed ? LoneMatrix{cols, rows, 1, cols} : LoneMatrix{rows, cols, cols, 1};
}

Result<MatMulShape> matmul_shape(const Shape& a_in, const Shape& b_in, const MatMulOptions& options) {
  if (a_in.rank() == 0 || b_in.rank() == 0) {
    return run_failed("a matrix product needs operands of rank 1 or more; shapes ", a_in, " and ", b_in);
  }
  Shape a = a_in, b = b_in;
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (row) a.insert(0, 1);
  if (column) b.insert(1, 1);
  const Operand oa = split(a, options.trans_a && !row, options.trans_batch_a && a.rank() > 2);
  const Operand ob = split(b, options.trans_b && !column, options.trans_batch_b && b.rank() > 2);
  if (oa.cols != ob.rows) {
    return run_failed("inner dimensions of a matrix product must agree; shapes ", a_in, " and ", b_in, " give ",
                      oa.cols, " and ", ob.rows);
  }
  MatMulShape s;
  s.m = oa.rows;
  s.n = ob.cols;
  s.k = oa.cols;
  s.a_row = oa.row_stride;
  s.a_col = oa.col_stride;
  s.b_row = ob.row_stride;
  s.b_col = ob.col_stride;
  if (!broadcast_shapes(oa.batch, ob.batch, &s.batch)) {
    return run_failed("batch dimensions of a matrix product must broadcast; shapes ", a_in, " and ", b_in);
  }
  s.a_batch = spread_strides(oa, s.batch);
  s.b_batch = spread_strides(ob, s.batch);
  s.out = s.batch;
  if (!row) s.out.push_back(s.m);
  if (!column) s.out.push_back(s.n);
  return s;
}

bool MatMulShape::can_fold_batch_into_rows() const {
  if (batches() <= 1) return false;
  int64_t expected = m * a_row;
  for (int i = batch.rank() - 1; i >= 0; --i) {
    if (batch[i] == 1) continue;
    if (b_batch[i] != 0 || a_batch[i] != expected) return false;
    expected *= batch[i];
  }
  return true;
}

void MatMulShape::batch_offsets(int64_t* a, int64_t* b) const {
  const int64_t n = batches();
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    a[i] = b[i] = 0;
    for (int d = batch.rank() - 1; d >= 0; --d) {
      const int64_t at = rest % batch[d];
      rest /= batch[d];
      a[i] += at * a_batch[d];
      b[i] += at * b_batch[d];
    }
  }
}

}  // namespace onnxlet
