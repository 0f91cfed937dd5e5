// An operator that is one unary kernel with its float attributes as parameters.
#pragma once

#include "kernels/unary.h"
#include "ops/op.h"

namespace onnxlet {

Result<OpPtr> make_unary_op(Attrs& attrs, const UnaryKernel& kernel);

template <const UnaryKernel& kKernel>
Result<OpPtr> make_unary(Attrs& attrs) {
  return make_unary_op(attrs, kKernel);
}

}  // namespace onnxlet
