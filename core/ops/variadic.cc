// Sum, Max, Min and Mean of any number of broadcast operands.
#include "kernels/binary.h"
#include "kernels/convert.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct Variadic : Op {
  const BinaryKernel* kernel;
  bool mean = false;

  Status run(OpContext& ctx) const override {
    const DType type = ctx.in(0).dtype();
    if (!supports(*kernel, type)) return not_implemented("element type ", type, " is not supported here");
    Shape shape = ctx.in(0).shape();
    for (int i = 1; i < ctx.input_count(); ++i) {
      OL_ASSIGN(shape, broadcast(shape, ctx.in(i).shape()));
    }
    if (ctx.input_count() == 1) {
      ctx.set(0, ctx.in(0));
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
    ConstView so_far = ctx.in(0).view();
    for (int i = 1; i < ctx.input_count(); ++i) {
      apply_binary(*kernel, so_far, ctx.in(i).view(), y->mutable_view());
      so_far = y->view();
    }
    return mean ? divide(ctx, y) : Status();
  }

  Status divide(OpContext& ctx, Tensor* y) const {
    const double count = ctx.input_count();
    OL_ASSIGN(Tensor divisor, Tensor::allocate(ctx.pool(), y->dtype(), Shape()));
    from_double(&count, y->dtype(), divisor.mutable_raw(), 1);
    apply_binary(kDivKernel, y->view(), divisor.view(), y->mutable_view());
    return {};
  }
};

template <const BinaryKernel& kKernel, bool kMean = false>
Result<OpPtr> make_variadic(Attrs& attrs) {
  auto op = std::make_unique<Variadic>();
  attrs.ignore("consumed_inputs");
  op->kernel = &kKernel;
  op->mean = kMean;
  return OpPtr(std::move(op));
}

// Not in place: an operand may appear twice.
const OpRow kRows[] = {
    {"Max", 1, make_variadic<kMaxKernel>, kElementwise},
    {"Mean", 1, make_variadic<kAddKernel, true>, kElementwise},
    {"Min", 1, make_variadic<kMinKernel>, kElementwise},
    {"Sum", 1, make_variadic<kAddKernel>, kElementwise},
};

}  // namespace

extern const OpTable kVariadicOps{"", kRows};

}  // namespace onnxlet
