// Operators written for float and double take every other numeric type through a converted copy.
#pragma once

#include "kernels/convert.h"
#include "ops/op.h"

namespace onnxlet {

// The elements of `t` as T: its own bytes, or a copy that lives until run() returns.
template <class T>
Result<const T*> values_as(OpContext& ctx, const Tensor& t) {
  if (t.dtype() == dtype_of<T>) return t.data<T>();
  if (t.dtype() == DType::kString) return not_implemented("strings are not supported here");
  OL_ASSIGN(T* copy, ctx.scratch_of<T>(t.size()));
  cast_elements(t.dtype(), t.raw(), dtype_of<T>, copy, t.size(), {});
  return static_cast<const T*>(copy);
}

// Where a kernel writes T: the tensor itself, or scratch that store() converts into it.
template <class T>
Result<T*> staging_for(OpContext& ctx, Tensor* y) {
  if (y->dtype() == dtype_of<T>) return y->mutable_data<T>();
  return ctx.scratch_of<T>(y->size());
}
template <class T>
void store(const T* from, Tensor* y) {
  if (y->dtype() != dtype_of<T>) cast_elements(dtype_of<T>, from, y->dtype(), y->mutable_raw(), y->size(), {});
}

// double and the integers float cannot hold are computed in double, everything else in float.
inline bool wants_double(DType t) {
  return t == DType::kDouble || t == DType::kInt32 || t == DType::kInt64 || t == DType::kUint32 || t == DType::kUint64;
}

}  // namespace onnxlet
