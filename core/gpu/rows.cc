// Softmax, LpNormalization and reductions: rows.wgsl.
#include <algorithm>

#include "gpu/kernel.h"
#include "ops/reduce_passes.h"

namespace onnxlet::gpu {
namespace {

struct RowCall {
  std::string_view kind;
  Rows rows;
  float divisor = 1;
  std::string_view finish = "none";
};

void dispatch_rows(Context& ctx, const RowCall& c, std::span<const DeviceBufferPtr> buffers) {
  const int64_t count = c.rows.outer * c.rows.inner;
  Uniforms u;
  u.u(count).u(c.rows.n).u(c.rows.inner).f(c.divisor);
  ctx.dispatch(Shader("rows").set("KIND", c.kind).set("FINISH", c.finish), buffers, u, groups_for(count));
}

struct Softmax : Kernel {
  int64_t axis = -1;
  bool coerce_2d = false, logarithm = false;

  Status init(Attrs& a) {
    logarithm = a.op_type() == "LogSoftmax";
    coerce_2d = a.since_version() < 13;
    axis = a.i("axis", coerce_2d ? 1 : -1);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    if (ctx.in(0).dtype() != DType::kFloat || at < 0 || at >= shape.rank()) return Answer::kDeclined;
    const int ax = static_cast<int>(at);
    const Rows rows = coerce_2d ? Rows{shape.product(0, ax), shape.product(ax, shape.rank()), 1} : split_at(shape, ax);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(out)};
    dispatch_rows(ctx, {logarithm ? "log_softmax" : "softmax", rows}, buffers);
    return Answer::kDone;
  }
};

struct LpNormalization : Kernel {
  int64_t axis = -1, power = 2;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    power = a.i("p", 2);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    if (ctx.in(0).dtype() != DType::kFloat || at < 0 || at >= shape.rank()) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(out)};
    dispatch_rows(ctx, {power == 1 ? "norm_1" : "norm_2", split_at(shape, static_cast<int>(at))}, buffers);
    return Answer::kDone;
  }
};

struct Reduction {
  std::string_view op, kind, later;  // of the first pass over the elements, of those over its results
  std::string_view finish = "none";
};
constexpr Reduction kReductions[] = {
    {"ReduceSum", "sum", "sum"},
    {"ReduceMean", "sum", "sum"},
    {"ReduceMax", "max", "max"},
    {"ReduceMin", "min", "min"},
    {"ReduceProd", "product", "product"},
    {"ReduceL1", "sum_abs", "sum"},
    {"ReduceL2", "sum_square", "sum", "sqrt"},
    {"ReduceSumSquare", "sum_square", "sum"},
    {"ReduceLogSum", "sum", "sum", "log"},
    {"ReduceLogSumExp", "log_sum_exp", "log_sum_exp"},
};

struct Reduce : Kernel {
  const Reduction* reduction = nullptr;
  bool mean = false, keepdims = true, noop_with_empty_axes = false;

  Status init(Attrs& a) {
    reduction = std::find_if(std::begin(kReductions), std::end(kReductions),
                             [&](const Reduction& r) { return r.op == a.op_type(); });
    mean = a.op_type() == "ReduceMean";
    keepdims = a.i("keepdims", 1) != 0;
    noop_with_empty_axes = a.i("noop_with_empty_axes", 0) != 0;
    return {};
  }

  bool takes_empty() const override { return true; }  // the axes, which are all of them then
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    if (ctx.in(0).size() == 0) return Answer::kDeclined;
    std::vector<int> axes;
    if (ctx.has(1)) {
      if (!ctx.is_here(1)) return Answer::kDeclined;
      OL_ASSIGN(const auto list, to_ints(ctx.in(1), "axes"));
      OL_ASSIGN(axes, normalize_axes(list, shape.rank()));
    }
    if (ctx.in(0).dtype() != DType::kFloat || (axes.empty() && noop_with_empty_axes)) return Answer::kDeclined;
    std::vector<bool> reduced(static_cast<size_t>(shape.rank()), axes.empty());
    for (const int axis : axes) reduced[static_cast<size_t>(axis)] = true;
    Shape out_shape;
    int64_t count = 1;
    for (int i = 0; i < shape.rank(); ++i) {
      const bool gone = reduced[static_cast<size_t>(i)];
      if (gone) count *= shape[i];
      if (!gone || keepdims) out_shape.push_back(gone ? 1 : shape[i]);
    }
    const std::vector<Rows> passes = reduction_passes(shape, reduced);
    if (passes.empty()) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, out_shape));
    DeviceBufferPtr from = ctx.buffer(0);
    for (size_t i = 0; i < passes.size(); ++i) {
      const bool last = i + 1 == passes.size();
      RowCall call{i == 0 ? reduction->kind : reduction->later, passes[i]};
      if (last && mean) call.divisor = static_cast<float>(count);
      if (last) call.finish = reduction->finish;
      DeviceBufferPtr to = out;
      if (!last) to = ctx.scratch(static_cast<uint64_t>(passes[i].outer * passes[i].inner) * sizeof(float));
      const DeviceBufferPtr buffers[] = {from, to};
      dispatch_rows(ctx, call, buffers);
      from = std::move(to);
    }
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"", "Softmax", 1, make<Softmax>},
    {"", "LogSoftmax", 1, make<Softmax>},
    {"", "LpNormalization", 1, make<LpNormalization>},
    {"", "ReduceSum", 1, make<Reduce>},
    {"", "ReduceMean", 1, make<Reduce>},
    {"", "ReduceMax", 1, make<Reduce>},
    {"", "ReduceMin", 1, make<Reduce>},
    {"", "ReduceProd", 1, make<Reduce>},
    {"", "ReduceL1", 1, make<Reduce>},
    {"", "ReduceL2", 1, make<Reduce>},
    {"", "ReduceSumSquare", 1, make<Reduce>},
    {"", "ReduceLogSum", 1, make<Reduce>},
    {"", "ReduceLogSumExp", 1, make<Reduce>},
};

}  // namespace

Table row_rows() { return kRows; }

}  // namespace onnxlet::gpu
