// com.microsoft: Gelu and what transformer exporters fuse with it.
#include "base/parallel.h"
#include "kernels/binary.h"
#include "kernels/unary.h"
#include "ops/unary.h"

namespace onnxlet {
namespace {

// Gelu(X + bias), the bias optional and along the last axis.
struct BiasedGelu : Op {
  const UnaryKernel* kernel;
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    const Tensor* bias = ctx.opt(1);
    if (bias != nullptr) {
      OL_ASSIGN(const Shape shape, broadcast(x.shape, bias->shape()));
      if (!(shape == x.shape)) {
        return run_failed("a bias of shape ", bias->shape(), " does not broadcast to the input, which is ", x.shape);
      }
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, x.shape));
    if (bias != nullptr) apply_binary(kAddKernel, x, bias->view(), y->mutable_view());
    apply_unary(*kernel, {}, bias != nullptr ? y->view() : x, y->mutable_view());
    return {};
  }
};

template <const UnaryKernel& kKernel>
Result<OpPtr> make_biased(Attrs&) {
  auto op = std::make_unique<BiasedGelu>();
  op->kernel = &kKernel;
  return OpPtr(std::move(op));
}

// X + bias cut in two along the last axis: left * Gelu(right).
struct BiasSplitGelu : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view(), bias = ctx.in(1).view();
    if (x.shape.rank() < 1 || x.shape.back() % 2 != 0 || bias.size() != x.shape.back() || bias.shape.rank() != 1) {
      return run_failed("BiasSplitGelu: the last axis must be even and as long as the bias; they are ", x.shape,
                        " and ", bias.shape);
    }
    const auto size = static_cast<int64_t>(element_size(x.dtype));
    const int64_t width = x.shape.back(), half = width / 2, rows = width == 0 ? 0 : x.size() / width;
    Shape shape = x.shape;
    shape[shape.rank() - 1] = half;
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, shape));
    OL_ASSIGN(void* sum, ctx.scratch(static_cast<size_t>(x.size() * size)));
    const View biased{sum, x.dtype, x.shape};
    apply_binary(kAddKernel, x, bias, biased);
    char* to = static_cast<char*>(y->mutable_raw());
    const Shape row{half};
    for (int64_t r = 0; r < rows; ++r) {
      char* left = biased.as<char>() + r * width * size;
      const View right{left + half * size, x.dtype, row};
      apply_unary(kGeluKernel, {}, right, right);
      apply_binary_run(kMulKernel, x.dtype, left, right.data, to + r * half * size, half);
    }
    return {};
  }
};

Result<OpPtr> make_quick_gelu(Attrs& attrs) { return make_unary<kSwishKernel>(attrs); }

const OpRow kRows[] = {
    {"BiasGelu", 1, make_biased<kGeluKernel>, kInPlace},        {"BiasSplitGelu", 1, make<BiasSplitGelu>},
    {"FastGelu", 1, make_biased<kGeluTanhKernel>, kInPlace},    {"Gelu", 1, make_biased<kGeluKernel>, kInPlace},
    {"QuickGelu", 1, make_quick_gelu, kInPlace | kElementwise},
};

}  // namespace

extern const OpTable kGeluContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
