// numpy's matmul rules as numbers a matrix kernel can use: sizes, strides and where each matrix of a batch begins.
#pragma once

#include "ops/op.h"

namespace onnxlet {

struct MatMulOptions {
  bool trans_a = false, trans_b = false;
  bool trans_batch_a = false, trans_batch_b = false;  // com.microsoft FusedMatMul: the rows are the first axis
};

struct MatMulShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t a_row = 0, a_col = 0, b_row = 0, b_col = 0;  // strides in elements
  Shape out;
  Shape batch, a_batch, b_batch;  // broadcast batch dimensions and the operands' strides in them

  int64_t batches() const { return batch.size(); }
  // One matrix B for all, and the matrices of A follow each other: a single product with batches * m rows.
  bool can_fold_batch_into_rows() const;
  // Element offsets of every matrix, batches() each.
  void batch_offsets(int64_t* a, int64_t* b) const;
};

// A second operand that is one matrix, not empty, and so can be packed once: its sizes, strides in elements. k is 0 for
// others.
struct LoneMatrix {
  int64_t k = 0, n = 0, row_stride = 0, col_stride = 0;
};
LoneMatrix lone_matrix(const Tensor& b, bool transposed);

Result<MatMulShape> matmul_shape(const Shape& a, const Shape& b, const MatMulOptions& options = {});

}  // namespace onnxlet
