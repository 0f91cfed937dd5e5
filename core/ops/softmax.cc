// Softmax, LogSoftmax, Hardmax.
#include "kernels/softmax.h"

#include <algorithm>

#include "kernels/reduce.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

struct SoftmaxBase : Op {
  int64_t axis = -1;
  bool coerce_2d = false;  // before version 13 everything from `axis` on is one row

  Status init(Attrs& a) {
    coerce_2d = a.since_version() < 13;
    axis = a.i("axis", coerce_2d ? 1 : -1);
    return {};
  }

  Result<Rows> rows(const Shape& shape) const {
    if (shape.rank() == 0 && axis >= -1 && axis <= 1) return Rows{1, 1, 1};
    if (coerce_2d && axis == shape.rank()) return Rows{shape.size(), 1, 1};
    OL_ASSIGN(const int ax, normalize_axis(axis, shape.rank()));
    if (coerce_2d) return Rows{shape.product(0, ax), shape.product(ax, shape.rank()), 1};
    return split_at(shape, ax);
  }
};

template <bool kLog>
struct Softmax : SoftmaxBase {
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const Rows r, rows(x.shape()));
    if (x.dtype() == DType::kDouble) {
      const double* in = x.data<double>();
      OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
      softmax(kLog, in, r.outer, r.n, r.inner, y->mutable_data<double>());
      return {};
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    softmax(kLog, in, r.outer, r.n, r.inner, y.data);
    y.finish();
    return {};
  }
};

struct Hardmax : SoftmaxBase {
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const Rows r, rows(x.shape()));
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    if (x.size() == 0) return {};
    OL_ASSIGN(int64_t* best, ctx.scratch_of<int64_t>(r.outer * r.inner));
    if (x.dtype() == DType::kDouble) {
      arg_reduce(false, false, x.data<double>(), r.outer, r.n, r.inner, best);
    } else {
      arg_reduce(false, false, in, r.outer, r.n, r.inner, best);
    }
    std::fill_n(y.data, x.size(), 0.0f);
    for (int64_t i = 0; i < r.outer * r.inner; ++i) {
      y.data[(i / r.inner * r.n + best[i]) * r.inner + i % r.inner] = 1;
    }
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"Softmax", 1, make<Softmax<false>>, kInPlace},
    {"LogSoftmax", 1, make<Softmax<true>>, kInPlace},
    {"Hardmax", 1, make<Hardmax>},
};

}  // namespace

extern const OpTable kSoftmaxOps{"", kRows};

}  // namespace onnxlet
