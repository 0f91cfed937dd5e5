// CumSum, CumProd.
#include "kernels/cumulative.h"

#include "ops/staged.h"

namespace onnxlet {
namespace {

template <bool kProduct>
struct Cumulative : Op {
  CumulativeSpec spec{kProduct, false, false};

  Status init(Attrs& a) {
    spec.exclusive = a.i("exclusive", 0) != 0;
    spec.reverse = a.i("reverse", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int64_t axis, to_int(ctx.in(1), "axis"));
    OL_ASSIGN(const int ax, normalize_axis(axis, x.rank()));
    const Rows r = split_at(x.shape(), ax);
    if (x.dtype() == DType::kFloat16 || x.dtype() == DType::kBFloat16) {
      OL_ASSIGN(const float* in, floats_of(ctx, x));
      OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
      cumulative(spec, DType::kFloat, in, r.outer, r.n, r.inner, y.data);
      y.finish();
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    cumulative(spec, x.dtype(), x.raw(), r.outer, r.n, r.inner, y->mutable_raw());
    return {};
  }
};

const OpRow kRows[] = {
    {"CumSum", 11, make<Cumulative<false>>},
    {"CumProd", 26, make<Cumulative<true>>},
};

}  // namespace

extern const OpTable kCumulativeOps{"", kRows};

}  // namespace onnxlet
