// ReduceSum and its relatives, ArgMax, ArgMin.
#include "kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "base/visit.h"
#include "ops/reduce_passes.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

enum class Kind : uint8_t { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kLogSum, kLogSumExp, kSumSquare };

// What the first pass does to the elements, and what later passes do to its partial results.
Reduction first_pass(Kind kind) {
  switch (kind) {
    case Kind::kMax:
      return Reduction::kMax;
    case Kind::kMin:
      return Reduction::kMin;
    case Kind::kProd:
      return Reduction::kProd;
    case Kind::kL1:
      return Reduction::kSumAbs;
    case Kind::kL2:
    case Kind::kSumSquare:
      return Reduction::kSumSquare;
    case Kind::kLogSumExp:
      return Reduction::kLogSumExp;
    default:
      return Reduction::kSum;
  }
}
Reduction later_pass(Reduction first) {
  return first == Reduction::kSumAbs || first == Reduction::kSumSquare ? Reduction::kSum : first;
}

// One reduction pass over [outer, n, inner].
using Pass = Rows;

std::vector<Pass> plan_passes(const Shape& shape, const std::vector<bool>& reduced) {
  std::vector<Pass> passes = reduction_passes(shape, reduced);
  if (passes.empty()) passes.push_back({shape.size(), 1, 1});
  return passes;
}

// Long axes with few results are reduced in chunks that threads can share; the split depends on the shape alone.
int64_t chunk_of(const Pass& p) {
  constexpr int64_t kChunk = 8192;
  return p.n >= 2 * kChunk && p.outer * p.inner < 1024 ? kChunk : std::max<int64_t>(p.n, 1);
}

template <class T>
Status reduce_all(OpContext& ctx, Reduction op, const T* x, const std::vector<Pass>& passes, T* y) {
  for (size_t k = 0; k < passes.size(); ++k) {
    for (Pass p = passes[k];;) {
      const int64_t chunk = chunk_of(p);
      const int64_t chunks = (p.n + chunk - 1) / chunk;
      const bool last = k + 1 == passes.size() && chunks == 1;
      T* out = y;
      if (!last) {
        OL_ASSIGN(out, ctx.scratch_of<T>(p.outer * chunks * p.inner));
      }
      reduce_axis(op, x, p.outer, p.n, p.inner, chunk, out);
      x = out;
      op = later_pass(op);
      if (chunks == 1) break;
      p.n = chunks;
    }
  }
  return {};
}

template <class T>
void finish_floats(Kind kind, int64_t count, T* y, int64_t n) {
  if (kind == Kind::kMean) {
    for (int64_t i = 0; i < n; ++i) y[i] = y[i] / static_cast<T>(count);
  } else if (kind == Kind::kL2) {
    for (int64_t i = 0; i < n; ++i) y[i] = std::sqrt(y[i]);
  } else if (kind == Kind::kLogSum) {
    for (int64_t i = 0; i < n; ++i) y[i] = std::log(y[i]);
  }
}

// Integers are reduced as int64; the results of these kinds are no integers, so they go through double.
bool needs_double(Kind kind) { return kind == Kind::kL2 || kind == Kind::kLogSum || kind == Kind::kLogSumExp; }

struct Reduce : Op {
  Kind kind = Kind::kSum;
  bool keepdims = true, noop_with_empty_axes = false;

  Status init(Attrs& a) {
    keepdims = a.i("keepdims", 1) != 0;
    noop_with_empty_axes = a.i("noop_with_empty_axes", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    std::vector<int> axes;
    if (ctx.has(1)) {
      OL_ASSIGN(const std::vector<int64_t> given, to_ints(ctx.in(1), "axes"));
      OL_ASSIGN(axes, normalize_axes(given, x.rank()));
    }
    std::vector<bool> reduced(static_cast<size_t>(x.rank()), axes.empty() && !noop_with_empty_axes);
    for (int axis : axes) reduced[static_cast<size_t>(axis)] = true;
    Shape shape;
    int64_t count = 1;
    for (int i = 0; i < x.rank(); ++i) {
      if (!reduced[static_cast<size_t>(i)]) {
        shape.push_back(x.dim(i));
      } else {
        count *= x.dim(i);
        if (keepdims) shape.push_back(1);
      }
    }
    return reduce(ctx, reduced, count, shape);
  }

  // Over the marked axes, which have `count` elements.
  Status reduce(OpContext& ctx, const std::vector<bool>& reduced, int64_t count, const Shape& shape) const {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    if (y->size() == 0) return {};
    const std::vector<Pass> passes = plan_passes(x.shape(), reduced);
    if (x.dtype() == DType::kFloat) {
      return run_as(ctx, kind, x.data<float>(), passes, count, y->mutable_data<float>(), y->size());
    }
    if (x.dtype() == DType::kDouble) {
      return run_as(ctx, kind, x.data<double>(), passes, count, y->mutable_data<double>(), y->size());
    }
    if (is_float(x.dtype())) return run_half(ctx, x, passes, count, y);
    return run_integers(ctx, x, passes, count, y);
  }

  template <class T>
  static Status run_as(OpContext& ctx, Kind kind, const T* x, const std::vector<Pass>& passes, int64_t count, T* y,
                       int64_t n) {
    const Reduction op = first_pass(kind);
    if (count == 0) {
      std::fill_n(y, n, reduce_identity<T>(op));
    } else {
      OL_TRY(reduce_all(ctx, op, x, passes, y));
    }
    if constexpr (!std::is_integral_v<T>) finish_floats(kind, count, y, n);
    return {};
  }

  Status run_half(OpContext& ctx, const Tensor& x, const std::vector<Pass>& passes, int64_t count, Tensor* y) const {
    OL_ASSIGN(const float* values, floats_of(ctx, x));
    OL_ASSIGN(float* result, ctx.scratch_of<float>(y->size()));
    OL_TRY(run_as(ctx, kind, values, passes, count, result, y->size()));
    from_floats(y->dtype(), result, y->size(), y->mutable_raw());
    return {};
  }

  Status run_integers(OpContext& ctx, const Tensor& x, const std::vector<Pass>& passes, int64_t count,
                      Tensor* y) const {
    const bool ordered = kind == Kind::kMax || kind == Kind::kMin;
    const bool is_unsigned = x.dtype() == DType::kUint64;
    OL_ASSIGN(int64_t* result, ctx.scratch_of<int64_t>(y->size()));
    const int64_t* values = x.data<int64_t>();
    if (x.dtype() != DType::kInt64) {
      OL_ASSIGN(int64_t* wide, ctx.scratch_of<int64_t>(x.size()));
      to_int64(x.dtype(), x.raw(), x.size(), wide, ordered);
      values = wide;
    }
    if (needs_double(kind)) {
      OL_ASSIGN(double* in, ctx.scratch_of<double>(x.size()));
      OL_ASSIGN(double* out, ctx.scratch_of<double>(y->size()));
      for (int64_t i = 0; i < x.size(); ++i) {
        in[i] = is_unsigned ? static_cast<double>(static_cast<uint64_t>(values[i])) : static_cast<double>(values[i]);
      }
      OL_TRY(run_as(ctx, kind, in, passes, count, out, y->size()));
      for (int64_t i = 0; i < y->size(); ++i) result[i] = to_integer(out[i]);
    } else {
      const Kind effective = kind == Kind::kL1 && is_unsigned ? Kind::kSum : kind;
      OL_TRY(run_as(ctx, effective, values, passes, count, result, y->size()));
    }
    if (kind == Kind::kMean && count != 0) {
      for (int64_t i = 0; i < y->size(); ++i) {
        result[i] = is_unsigned ? static_cast<int64_t>(static_cast<uint64_t>(result[i]) / static_cast<uint64_t>(count))
                                : result[i] / count;
      }
    }
    from_int64(x.dtype(), result, y->size(), y->mutable_raw(), ordered);
    return {};
  }

  static int64_t to_integer(double v) {
    if (!(v > -9.2e18)) return std::numeric_limits<int64_t>::min();
    return v < 9.2e18 ? static_cast<int64_t>(v) : std::numeric_limits<int64_t>::max();
  }
};

template <Kind kKind>
struct ReduceOf : Reduce {
  Status init(Attrs& a) {
    kind = kKind;
    return Reduce::init(a);
  }
};

template <bool kSmallest>
struct ArgReduce : Op {
  int64_t axis = 0;
  bool keepdims = true, last = false;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    keepdims = a.i("keepdims", 1) != 0;
    last = a.i("select_last_index", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    int ax = 0;
    if (x.rank() > 0 || (axis != 0 && axis != -1)) {
      OL_ASSIGN(ax, normalize_axis(axis, x.rank()));
    }
    Shape shape = x.shape();
    if (x.rank() > 0) {
      if (keepdims) {
        shape[ax] = 1;
      } else {
        shape.erase(ax);
      }
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, shape));
    if (y->size() == 0) return {};
    const Rows rows = split_at(x.shape(), ax);
    if (rows.n == 0) return run_failed("axis ", axis, " of shape ", x.shape(), " has no elements to choose from");
    int64_t* out = y->mutable_data<int64_t>();
    const auto reduce = [&](const auto* values) {
      arg_reduce(kSmallest, last, values, rows.outer, rows.n, rows.inner, out);
    };
    if (x.dtype() == DType::kDouble) {
      reduce(x.data<double>());
    } else if (x.dtype() == DType::kInt64) {
      reduce(x.data<int64_t>());
    } else if (is_float(x.dtype())) {
      OL_ASSIGN(const float* values, floats_of(ctx, x));
      reduce(values);
    } else {
      OL_ASSIGN(int64_t* wide, ctx.scratch_of<int64_t>(x.size()));
      to_int64(x.dtype(), x.raw(), x.size(), wide, true);
      reduce(static_cast<const int64_t*>(wide));
    }
    return {};
  }
};

// What broadcasting made of `like` becomes of its shape again: the sum over the axes it lacks or has with length 1.
struct SumToShapeOf : Reduce {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Shape &from = ctx.in(0).shape(), &to = ctx.in(1).shape();
    if (from == to) {
      ctx.set(0, ctx.value(0));
      return {};
    }
    const int lead = from.rank() - to.rank();
    bool fits = lead >= 0;
    std::vector<bool> reduced(static_cast<size_t>(from.rank()));
    int64_t count = 1;
    for (int i = 0; fits && i < from.rank(); ++i) {
      const int64_t n = i < lead ? 1 : to[i - lead];
      fits = n == from[i] || n == 1;
      if (i >= lead && n == from[i]) continue;
      reduced[static_cast<size_t>(i)] = true;
      count *= from[i];
    }
    if (!fits) return run_failed("shape ", to, " does not broadcast to ", from);
    return reduce(ctx, reduced, count, to);
  }
};

const OpRow kGradientRows[] = {
    {"SumToShapeOf", 1, make<SumToShapeOf>},
};

const OpRow kRows[] = {
    {"ReduceSum", 1, make<ReduceOf<Kind::kSum>>},
    {"ReduceMean", 1, make<ReduceOf<Kind::kMean>>},
    {"ReduceMax", 1, make<ReduceOf<Kind::kMax>>},
    {"ReduceMin", 1, make<ReduceOf<Kind::kMin>>},
    {"ReduceProd", 1, make<ReduceOf<Kind::kProd>>},
    {"ReduceL1", 1, make<ReduceOf<Kind::kL1>>},
    {"ReduceL2", 1, make<ReduceOf<Kind::kL2>>},
    {"ReduceLogSum", 1, make<ReduceOf<Kind::kLogSum>>},
    {"ReduceLogSumExp", 1, make<ReduceOf<Kind::kLogSumExp>>},
    {"ReduceSumSquare", 1, make<ReduceOf<Kind::kSumSquare>>},
    {"ArgMax", 1, make<ArgReduce<false>>},
    {"ArgMin", 1, make<ArgReduce<true>>},
};

}  // namespace

extern const OpTable kGradientOps{"onnxlet", kGradientRows};
extern const OpTable kReduceOps{"", kRows};

}  // namespace onnxlet
