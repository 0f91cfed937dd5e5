// Activation functions. Those of one element and float attributes are rows over kernels/unary.h.
#include <limits>

#include "base/parallel.h"
#include "kernels/binary.h"
#include "kernels/convert.h"
#include "ops/unary.h"

namespace onnxlet {
namespace {

// min and max are inputs 1 and 2; models that give them as attributes are rewritten at load.
struct Clip : Op {
  bool limited = false;  // the defaults of version 6 are float's largest numbers, so infinity is cut
  Status init(Attrs& a) {
    a.ignore("consumed_inputs");
    limited = a.since_version() == 6;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    Bound bounds[2];
    OL_ASSIGN(const void* lo, bound(ctx, 1, "min", x.dtype, &bounds[0]));
    OL_ASSIGN(const void* hi, bound(ctx, 2, "max", x.dtype, &bounds[1]));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, x.shape));
    const auto size = static_cast<int64_t>(element_size(x.dtype));
    char* to = static_cast<char*>(y->mutable_raw());
    parallel_for(x.size(), grain_for(2), [&](int64_t begin, int64_t end) {
      clip_elements(x.dtype, x.as<char>() + begin * size, to + begin * size, end - begin, lo, hi);
    });
    return {};
  }
  struct Bound {
    alignas(8) char bytes[8];
  };
  // Attributes are floats whatever the input is.
  static const void* as_bound(float value, DType type, Bound* out) {
    cast_elements(DType::kFloat, &value, type, out->bytes, 1, {});
    return out->bytes;
  }
  Result<const void*> bound(const OpContext& ctx, int i, const char* what, DType type, Bound* out) const {
    const Tensor* t = ctx.opt(i);
    if (t == nullptr) {
      const float limit = std::numeric_limits<float>::max();
      return limited ? as_bound(i == 1 ? -limit : limit, type, out) : static_cast<const void*>(nullptr);
    }
    if (t->size() != 1) return run_failed("Clip: ", what, " must hold one element; its shape is ", t->shape());
    if (t->dtype() == type) return t->raw();
    if (t->dtype() == DType::kFloat) return as_bound(*t->data<float>(), type, out);
    return run_failed("Clip: ", what, " is ", t->dtype(), ", the input is ", type);
  }
};

struct SwiGLU : Op {
  UnaryParams params;
  Status init(Attrs& a) {
    params.set(0, a.f("alpha", 1));
    return {};
  }
  Status run(OpContext& ctx) const override {
    const ConstView gate = ctx.in(0).view(), linear = ctx.in(1).view();
    if (!(gate.shape == linear.shape)) {
      return run_failed("SwiGLU: A and B must have one shape; they are ", gate.shape, " and ", linear.shape);
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, gate.dtype, gate.shape));
    apply_unary(kSwishKernel, params, gate, y->mutable_view());
    apply_binary(kMulKernel, y->view(), linear, y->mutable_view());
    return {};
  }
};

Result<OpPtr> make_gelu(Attrs& attrs) {
  const std::string_view approximate = attrs.s("approximate", "none");
  if (approximate == "none") return make_unary<kGeluKernel>(attrs);
  if (approximate == "tanh") return make_unary<kGeluTanhKernel>(attrs);
  return invalid_graph("Gelu: approximate must be none or tanh; it is ", approximate);
}

const OpRow kRows[] = {
    {"Celu", 12, make_unary<kCeluKernel>, kInPlace | kElementwise},
    {"Clip", 1, make<Clip>, kInPlace | kElementwise},
    {"Elu", 1, make_unary<kEluKernel>, kInPlace | kElementwise},
    {"Gelu", 20, make_gelu, kInPlace | kElementwise},
    {"HardSigmoid", 1, make_unary<kHardSigmoidKernel>, kInPlace | kElementwise},
    {"HardSwish", 14, make_unary<kHardSwishKernel>, kInPlace | kElementwise},
    {"LeakyRelu", 1, make_unary<kLeakyReluKernel>, kInPlace | kElementwise},
    {"Mish", 18, make_unary<kMishKernel>, kInPlace | kElementwise},
    {"Relu", 1, make_unary<kReluKernel>, kInPlace | kElementwise},
    {"Selu", 1, make_unary<kSeluKernel>, kInPlace | kElementwise},
    {"Shrink", 9, make_unary<kShrinkKernel>, kInPlace | kElementwise},
    {"Sigmoid", 1, make_unary<kSigmoidKernel>, kInPlace | kElementwise},
    {"Softplus", 1, make_unary<kSoftplusKernel>, kInPlace | kElementwise},
    {"Softsign", 1, make_unary<kSoftsignKernel>, kInPlace | kElementwise},
    {"SwiGLU", 28, make<SwiGLU>},
    {"Swish", 24, make_unary<kSwishKernel>, kInPlace | kElementwise},
    {"ThresholdedRelu", 1, make_unary<kThresholdedReluKernel>, kInPlace | kElementwise},
};

}  // namespace

extern const OpTable kActivationOps{"", kRows};

}  // namespace onnxlet
