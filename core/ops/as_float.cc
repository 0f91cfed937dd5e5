#include "ops/as_float.h"

namespace onnxlet {

DType compute_type(DType t) {
  switch (t) {
    case DType::kDouble:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint32:
    case DType::kUint64:
      return DType::kDouble;
    default:
      return DType::kFloat;
  }
}

Result<const void*> values_as(OpContext& ctx, const Tensor& t, DType type) {
  if (t.dtype() == type) return t.raw();
  if (t.dtype() == DType::kString || t.dtype() == DType::kComplex64 || t.dtype() == DType::kComplex128) {
    return not_implemented("tensor(", t.dtype(), ") is not supported here");
  }
  OL_ASSIGN(void* copy, ctx.scratch(static_cast<size_t>(t.size()) * element_size(type)));
  cast_elements(t.dtype(), t.raw(), type, copy, t.size(), {});
  return static_cast<const void*>(copy);
}

Result<void*> staging_for(OpContext& ctx, Tensor* y, DType type) {
  if (y->dtype() == type) return y->mutable_raw();
  return ctx.scratch(static_cast<size_t>(y->size()) * element_size(type));
}

void store(const void* from, DType type, Tensor* y) {
  if (y->dtype() != type) cast_elements(type, from, y->dtype(), y->mutable_raw(), y->size(), {});
}

}  // namespace onnxlet
