// NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss.
#include <algorithm>

#include "kernels/convert.h"
#include "kernels/softmax.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// Input [N, C, d...], target [N, d...], optional weight [C]. Everything is computed in double.
template <bool kSoftmax>
struct CrossEntropy : Op {
  enum class Reduction : uint8_t { kNone, kSum, kMean } reduction = Reduction::kMean;
  bool has_ignore = false;
  int64_t ignore = -1;

  Status init(Attrs& a) {
    has_ignore = a.has("ignore_index");
    ignore = a.i("ignore_index", -1);
    const std::string_view r = a.s("reduction", "mean");
    if (r == "none") {
      reduction = Reduction::kNone;
    } else if (r == "sum") {
      reduction = Reduction::kSum;
    } else if (r != "mean") {
      return invalid_graph("reduction must be none, sum or mean; it is '", r, "'");
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const Tensor& target = ctx.in(1);
    if (x.rank() < 2) return run_failed("the scores need a class dimension; their shape is ", x.shape());
    Shape expected = x.shape();
    expected.erase(1);
    if (!(target.shape() == expected)) {
      return run_failed("the targets must have shape ", expected, "; they have ", target.shape());
    }
    const int64_t n = x.dim(0), classes = x.dim(1), inner = x.shape().product(2, x.rank());
    if (ctx.has(2) && ctx.in(2).size() != classes) {
      return run_failed("weight has shape ", ctx.in(2).shape(), "; there are ", classes, " classes");
    }
    OL_ASSIGN(double* log_prob, ctx.scratch_of<double>(x.size()));
    to_double(x.dtype(), x.raw(), log_prob, x.size());
    if (kSoftmax) {
      softmax(true, static_cast<const double*>(log_prob), n, classes, inner, log_prob);
      if (ctx.wants(1)) {
        OL_ASSIGN(Tensor * out, ctx.out(1, x.dtype(), x.shape()));
        from_double(log_prob, x.dtype(), out->mutable_raw(), x.size());
      }
    }
    double* weight = nullptr;
    if (ctx.has(2)) {
      OL_ASSIGN(weight, ctx.scratch_of<double>(classes));
      to_double(ctx.in(2).dtype(), ctx.in(2).raw(), weight, classes);
    }
    OL_ASSIGN(double* loss, ctx.scratch_of<double>(target.size()));
    double sum = 0, total_weight = 0;
    for (int64_t i = 0; i < target.size(); ++i) {
      const int64_t t = target.dtype() == DType::kInt32 ? target.data<int32_t>()[i] : target.data<int64_t>()[i];
      loss[i] = 0;
      if (has_ignore && t == ignore) continue;
      if (t < 0 || t >= classes) return run_failed("target ", t, " is outside [0, ", classes - 1, "]");
      const double w = weight ? weight[t] : 1;
      loss[i] = -log_prob[(i / inner * classes + t) * inner + i % inner] * w;
      sum += loss[i];
      total_weight += w;
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), reduction == Reduction::kNone ? target.shape() : Shape{}));
    if (reduction == Reduction::kMean) sum /= total_weight;
    from_double(reduction == Reduction::kNone ? loss : &sum, x.dtype(), y->mutable_raw(), y->size());
    return {};
  }
};

const OpRow kRows[] = {
    {"NegativeLogLikelihoodLoss", 12, make<CrossEntropy<false>>},
    {"SoftmaxCrossEntropyLoss", 12, make<CrossEntropy<true>>},
};

}  // namespace

extern const OpTable kLossOps{"", kRows};

}  // namespace onnxlet
