// Operators whose kernels know one element type only: other types are converted on the way in and out.
#pragma once

#include "kernels/convert_rows.h"
#include "ops/op.h"

namespace onnxlet {

// The tensor's elements as float: its own bytes, or a converted copy in scratch.
inline Result<const float*> floats_of(OpContext& ctx, const Tensor& t) {
  if (t.dtype() == DType::kFloat) return t.data<float>();
  OL_ASSIGN(float* copy, ctx.scratch_of<float>(t.size()));
  to_floats(t.dtype(), t.raw(), t.size(), copy);
  return static_cast<const float*>(copy);
}
// nullptr when input i is absent.
inline Result<const float*> optional_floats(OpContext& ctx, int i) {
  if (!ctx.has(i)) return static_cast<const float*>(nullptr);
  return floats_of(ctx, ctx.in(i));
}

// An output written as float through `data`; finish() converts it where the output has another type.
struct FloatOutput {
  float* data = nullptr;
  Tensor* tensor = nullptr;
  void finish() const {
    if (tensor->dtype() != DType::kFloat) from_floats(tensor->dtype(), data, tensor->size(), tensor->mutable_raw());
  }
};
inline Result<FloatOutput> float_output(OpContext& ctx, int i, DType dtype, const Shape& shape) {
  OL_ASSIGN(Tensor * t, ctx.out(i, dtype, shape));
  if (dtype == DType::kFloat) return FloatOutput{t->mutable_data<float>(), t};
  OL_ASSIGN(float* copy, ctx.scratch_of<float>(t->size()));
  return FloatOutput{copy, t};
}

}  // namespace onnxlet
