// GroupNorm and SkipGroupNorm of com.microsoft.
#include "base/parallel.h"
#include "kernels/move.h"
#include "kernels/normalize.h"
#include "kernels/unary.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

// Inputs: X, gamma, beta, and with kSkip what is added before: skip, bias. Output 1 is then the sum.
template <bool kSkip>
struct GroupNorm : Op {
  int64_t groups = 1;
  float epsilon = 1e-5f;
  bool channels_last = true, silu = false;

  Status init(Attrs& a) {
    groups = a.i("groups");
    epsilon = a.f("epsilon", 1e-5f);
    channels_last = a.i("channels_last", 1) != 0;
    const int64_t activation = a.i("activation");
    silu = activation == 1;
    if (groups < 1) return invalid_graph("groups must be positive; it is ", groups);
    if (activation < 0 || activation > 1) return invalid_graph("activation must be 0 or 1; it is ", activation);
    return {};
  }

  // A tensor seen as [batch, channels, pixels].
  struct Planes {
    int64_t batch, channels, pixels;
  };
  // Between that order and the tensor's own.
  void reorder(const Planes& p, bool to_planes, const float* from, float* to) const {
    static constexpr int kSwap[] = {0, 2, 1}, kKeep[] = {0, 1, 2};
    const Shape view =
        to_planes && channels_last ? Shape{p.batch, p.pixels, p.channels} : Shape{p.batch, p.channels, p.pixels};
    permute(DType::kFloat, from, view, channels_last ? std::span<const int>(kSwap) : kKeep, to);
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int r = x.rank(), axis = channels_last ? r - 1 : 1;
    if (r < 3 || x.dim(axis) % groups != 0) {
      return run_failed("input of shape ", x.shape(), " needs a channel dimension divisible by groups = ", groups);
    }
    const int64_t c = x.dim(axis);
    const Planes p{x.dim(0), c, channels_last ? x.shape().product(1, r - 1) : x.shape().product(2, r)};
    if (ctx.in(1).size() != c || ctx.in(2).size() != c) {
      return run_failed("gamma and beta have shapes ", ctx.in(1).shape(), " and ", ctx.in(2).shape(), "; ", c,
                        " elements each are expected");
    }
    OL_ASSIGN(const float* gamma, floats_of(ctx, ctx.in(1)));
    OL_ASSIGN(const float* beta, floats_of(ctx, ctx.in(2)));
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(float* planes, ctx.scratch_of<float>(x.size()));
    reorder(p, true, in, planes);
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    if constexpr (kSkip) {
      OL_TRY(add_skip(ctx, p, planes));
      if (ctx.wants(1)) {
        OL_ASSIGN(const FloatOutput sum, float_output(ctx, 1, x.dtype(), x.shape()));
        reorder(p, false, planes, sum.data);
        sum.finish();
      }
    }
    normalize_groups(
        NormalizeGroups<float>{planes, p.batch, groups, c / groups, p.pixels, epsilon, gamma, beta, false, planes});
    constexpr float kOne[kUnaryParams] = {1};
    if (silu) {
      parallel_for(x.size(), grain_for(8), [&](int64_t begin, int64_t end) {
        kSwishKernel.f32(planes + begin, planes + begin, end - begin, kOne);
      });
    }
    reorder(p, false, planes, y.data);
    y.finish();
    return {};
  }

  // skip is as large as X, or has one value for every channel of every batch row.
  Status add_skip(OpContext& ctx, const Planes& p, float* planes) const {
    const Tensor &x = ctx.in(0), &skip = ctx.in(3);
    const bool whole = skip.shape() == x.shape();
    Shape one = x.shape();
    for (int i = channels_last ? 1 : 2; i < x.rank() - (channels_last ? 1 : 0); ++i) one[i] = 1;
    if (!whole && !(skip.shape() == one) && !(skip.shape() == Shape{p.batch, p.channels})) {
      return run_failed("skip of shape ", skip.shape(), " does not fit the input's shape ", x.shape());
    }
    OL_ASSIGN(const float* added, floats_of(ctx, skip));
    OL_ASSIGN(const float* bias, optional_floats(ctx, 4));
    if (bias && ctx.in(4).size() != p.channels) {
      return run_failed("bias has shape ", ctx.in(4).shape(), "; there are ", p.channels, " channels");
    }
    if (whole) {
      OL_ASSIGN(float* own, ctx.scratch_of<float>(skip.size()));
      reorder(p, true, added, own);
      added = own;
    }
    for (int64_t r = 0; r < p.batch * p.channels; ++r) {
      const float offset = bias ? bias[r % p.channels] : 0;
      for (int64_t i = r * p.pixels; i < (r + 1) * p.pixels; ++i) planes[i] += added[whole ? i : r] + offset;
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"GroupNorm", 1, make<GroupNorm<false>>},
    {"SkipGroupNorm", 1, make<GroupNorm<true>>},
};

}  // namespace

extern const OpTable kGroupNormContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
