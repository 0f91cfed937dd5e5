// Small shape helpers of the data-movement families.
#pragma once

#include "ops/op.h"

namespace onnxlet {

// Dimensions from user data: checks the rank limit and the signs.
inline Result<Shape> make_shape(std::span<const int64_t> dims) {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return not_implemented("a tensor of rank ", dims.size(), " is asked for; at most ", Shape::kMaxRank,
                           " is supported");
  }
  const Shape shape(dims);
  for (const int64_t d : shape) {
    if (d < 0) return run_failed("a dimension is negative: ", shape);
  }
  return shape;
}

// Brings every index of an int32/int64 tensor into [0, n): negative ones count from the end.
inline Result<const int64_t*> wrap_indices(OpContext& ctx, const Tensor& indices, int64_t n) {
  const int64_t count = indices.size();
  if (indices.dtype() == DType::kInt64) {  // seldom anything needs to be done
    const int64_t* given = indices.data<int64_t>();
    bool inside = true;
    for (int64_t i = 0; i < count; ++i) inside &= static_cast<uint64_t>(given[i]) < static_cast<uint64_t>(n);
    if (inside) return given;
  }
  OL_ASSIGN(int64_t* out, ctx.scratch_of<int64_t>(count));
  const bool narrow = indices.dtype() == DType::kInt32;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t v = narrow ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
    if (v < -n || v >= n) return run_failed("index ", v, " is outside [", -n, ", ", n - 1, "]");
    out[i] = v < 0 ? v + n : v;
  }
  return static_cast<const int64_t*>(out);
}

}  // namespace onnxlet
