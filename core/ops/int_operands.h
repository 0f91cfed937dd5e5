// What the operators on 8-bit integers share: packed constant weights, scales and zero points that are one or many.
#pragma once

#include "kernels/int_gemm.h"
#include "kernels/quantize.h"
#include "ops/matmul_shape.h"
#include "ops/op.h"

namespace onnxlet {

inline bool is_int8(DType t) { return t == DType::kInt8 || t == DType::kUint8; }

// A scale or zero point with one value, or with one per row or column, perhaps of every matrix of a batch.
template <class T>
struct Parameter {
  const T* data = nullptr;
  int64_t count = 0;

  bool single() const { return count <= 1; }
  // For matrix `batch` whose rows (or columns) are `extent`.
  PerAxis<T> at(int64_t batch, int64_t extent) const {
    if (count <= 1) return {data, 0};
    return {data + (count > extent ? batch * extent : 0), 1};
  }
  // "one, or one per row": an error otherwise.
  Status check(int64_t extent, int64_t batches, const char* what) const {
    if (count <= 1 || count == extent || count == extent * batches) return {};
    return run_failed(what, " needs 1 value, or ", extent, "; got ", count);
  }
};

// Zero points of int8, uint8 or int32 as int32; absent ones have no data.
Result<Parameter<int32_t>> zero_points(OpContext& ctx, const Tensor* t);
// Scales of float, float16 or bfloat16.
Result<Parameter<float>> scales(OpContext& ctx, const Tensor* t);

// A scale at input i and its zero point, which may be absent, at i + 1: one element each.
Result<QuantParams> quant_params(const OpContext& ctx, int i);

// B of an 8-bit product: packed at load when constant, else when asked for.
struct PackedIntB {
  Tensor panels, sums;
  Status pack(const Tensor& b, bool transposed, Pool& pool);
};

// Everything of an 8-bit matrix product but its output form.
struct IntProduct {
  MatMulShape shape;
  const void* a = nullptr;
  bool a_signed = false;
  const Tensor* b = nullptr;
  const PackedIntB* packed = nullptr;
  Parameter<int32_t> a_zero, b_zero;
  Parameter<float> row_scale, col_scale;
};
// `out`: kind, data (of the whole result, row-major), bias, zero point.
Status run_int_product(OpContext& ctx, const IntProduct& p, IntOutput out);

}  // namespace onnxlet
