// float16 and bfloat16 run through the float kernels: operands are widened into work memory, results are rounded back.
#pragma once

#include "ops/op.h"

namespace onnxlet {

inline bool is_half(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }
// Served by the float kernels, directly or widened.
inline bool runs_as_float(DType t) { return t == DType::kFloat || is_half(t); }

void widen(const void* data, DType dtype, int64_t n, float* out);  // float, float16 or bfloat16
void narrow(const float* data, int64_t n, DType dtype, void* out);

// The tensor's elements as float: its own bytes, or a widened copy in scratch.
Result<const float*> float_input(OpContext& ctx, const Tensor& t);

// Where a float kernel writes output i; finish() rounds into the real output when that is narrower.
class FloatOutput {
 public:
  static Result<FloatOutput> make(OpContext& ctx, int i, DType dtype, const Shape& shape);
  float* data() const { return data_; }
  void finish();

 private:
  Tensor* tensor_ = nullptr;
  float* data_ = nullptr;
};

// A float (or widened) copy of a constant, packed or not: for prepare().
Result<Tensor> widened_constant(const Tensor& t, Pool& pool);

}  // namespace onnxlet
