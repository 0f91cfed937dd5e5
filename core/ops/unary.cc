// Mathematical functions of one element, and the predicates on one element.
#include "ops/unary.h"

#include <algorithm>

#include "base/parallel.h"

namespace onnxlet {
namespace {

struct UnaryOp : Op {
  const UnaryKernel* kernel;
  UnaryParams params;

  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, x.shape));
    ctx.set_kernel(kernel->name);
    apply_unary(*kernel, params, x, y->mutable_view());
    return {};
  }
};

struct IsNaN : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, x.shape()));
    is_nan(x.dtype(), x.raw(), y->mutable_data<bool>(), x.size());
    return {};
  }
};

struct IsInf : Op {
  bool negative, positive;
  Status init(Attrs& a) {
    negative = a.i("detect_negative", 1) != 0;
    positive = a.i("detect_positive", 1) != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, x.shape()));
    is_inf(x.dtype(), x.raw(), y->mutable_data<bool>(), x.size(), negative, positive);
    return {};
  }
};

struct Not : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, x.shape));
    const uint8_t* src = x.as<uint8_t>();
    bool* dst = y->mutable_data<bool>();
    for (int64_t i = 0, n = x.size(); i < n; ++i) dst[i] = src[i] == 0;
    return {};
  }
};

struct BitwiseNot : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, x.shape));
    bitwise_not(x.dtype, x.data, y->mutable_raw(), x.size());
    return {};
  }
};

// Whether no element of any input is NaN or infinite, or one of the two where the attributes say so.
struct IsAllFinite : Op {
  bool nan = true, infinite = true;

  Status init(Attrs& a) {
    nan = a.i("isinf_only", 0) == 0;
    infinite = a.i("isnan_only", 0) == 0;
    if (!nan && !infinite) return invalid_graph("isinf_only and isnan_only exclude each other");
    return {};
  }
  Status run(OpContext& ctx) const override {
    bool all = true;
    for (int i = 0; i < ctx.input_count(); ++i) {
      const Tensor& x = ctx.in(i);
      OL_ASSIGN(bool* found, ctx.scratch_of<bool>(2 * x.size()));
      std::fill_n(found, 2 * x.size(), false);
      if (nan) is_nan(x.dtype(), x.raw(), found, x.size());
      if (infinite) is_inf(x.dtype(), x.raw(), found + x.size(), x.size(), true, true);
      all = all && std::find(found, found + 2 * x.size(), true) == found + 2 * x.size();
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, Shape{}));
    *y->mutable_data<bool>() = all;
    return {};
  }
};

const OpRow kContribRows[] = {{"IsAllFinite", 1, make<IsAllFinite>}};

const OpRow kRows[] = {
    {"Abs", 1, make_unary<kAbsKernel>, kInPlace | kElementwise},
    {"Acos", 7, make_unary<kAcosKernel>, kInPlace | kElementwise},
    {"Acosh", 9, make_unary<kAcoshKernel>, kInPlace | kElementwise},
    {"Asin", 7, make_unary<kAsinKernel>, kInPlace | kElementwise},
    {"Asinh", 9, make_unary<kAsinhKernel>, kInPlace | kElementwise},
    {"Atan", 7, make_unary<kAtanKernel>, kInPlace | kElementwise},
    {"Atanh", 9, make_unary<kAtanhKernel>, kInPlace | kElementwise},
    {"BitwiseNot", 18, make<BitwiseNot>, kInPlace | kElementwise},
    {"Ceil", 1, make_unary<kCeilKernel>, kInPlace | kElementwise},
    {"Cos", 7, make_unary<kCosKernel>, kInPlace | kElementwise},
    {"Cosh", 9, make_unary<kCoshKernel>, kInPlace | kElementwise},
    {"Erf", 9, make_unary<kErfKernel>, kInPlace | kElementwise},
    {"Exp", 1, make_unary<kExpKernel>, kInPlace | kElementwise},
    {"Floor", 1, make_unary<kFloorKernel>, kInPlace | kElementwise},
    {"IsInf", 10, make<IsInf>},
    {"IsNaN", 9, make<IsNaN>},
    {"Log", 1, make_unary<kLogKernel>, kInPlace | kElementwise},
    {"Neg", 1, make_unary<kNegKernel>, kInPlace | kElementwise},
    {"Not", 1, make<Not>, kInPlace | kElementwise},
    {"Reciprocal", 1, make_unary<kReciprocalKernel>, kInPlace | kElementwise},
    {"Round", 11, make_unary<kRoundKernel>, kInPlace | kElementwise},
    {"Sign", 9, make_unary<kSignKernel>, kInPlace | kElementwise},
    {"Sin", 7, make_unary<kSinKernel>, kInPlace | kElementwise},
    {"Sinh", 9, make_unary<kSinhKernel>, kInPlace | kElementwise},
    {"Sqrt", 1, make_unary<kSqrtKernel>, kInPlace | kElementwise},
    {"Tan", 7, make_unary<kTanKernel>, kInPlace | kElementwise},
    {"Tanh", 1, make_unary<kTanhKernel>, kInPlace | kElementwise},
};

}  // namespace

Result<OpPtr> make_unary_op(Attrs& attrs, const UnaryKernel& kernel) {
  auto op = std::make_unique<UnaryOp>();
  op->kernel = &kernel;
  attrs.ignore("consumed_inputs");  // a memory hint of opset 1
  for (int i = 0; i < kUnaryParams && kernel.attributes[i] != nullptr; ++i) {
    op->params.set(i, attrs.f(kernel.attributes[i]));
  }
  return OpPtr(std::move(op));
}

extern const OpTable kUnaryOps{"", kRows};
extern const OpTable kUnaryContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
