// Operators written for float and double take every other numeric type through a converted copy.
#pragma once

#include "kernels/convert.h"
#include "ops/op.h"

namespace onnxlet {

// double and the integers float cannot hold are computed in double, everything else in float.
DType compute_type(DType t);

// The elements of `t` as `type`: its own bytes, or a copy that lives until run() returns.
Result<const void*> values_as(OpContext& ctx, const Tensor& t, DType type);
// Where a kernel writes elements of `type`: the tensor itself, or scratch that store() converts into it.
Result<void*> staging_for(OpContext& ctx, Tensor* y, DType type);
void store(const void* from, DType type, Tensor* y);

template <class T>
Result<const T*> values_as(OpContext& ctx, const Tensor& t) {
  OL_ASSIGN(const void* p, values_as(ctx, t, dtype_of<T>));
  return static_cast<const T*>(p);
}

}  // namespace onnxlet
