// Resize and Upsample. Interpolation is separable: one axis after the other, each through a table of taps.
#include "kernels/resize.h"

#include <algorithm>
#include <cmath>

#include "base/visit.h"
#include "kernels/move.h"
#include "ops/as_float.h"
#include "ops/resize_plan.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

using AxisPlan = ResizePlan::AxisPlan;

struct Resize : Op {
  ResizePlan resize;

  Status init(Attrs& a) { return resize.init(a); }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    std::vector<AxisPlan> plan;
    OL_TRY(make_plan(ctx, &plan));
    Shape shape;
    bool identity = true;
    for (const AxisPlan& p : plan) {
      shape.push_back(p.out);
      identity = identity && p.identity;
    }
    OL_ASSIGN(const Shape checked, make_shape(shape.dims()));
    if (identity) {
      ctx.set(0, x);
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), checked));
    if (y->size() == 0) return {};
    if (x.size() == 0) return run_failed("an input without elements, ", x.shape(), ", cannot be resized to ", shape);
    if (resize.mode == ResizePlan::Mode::kNearest) return run_nearest(ctx, plan, y);
    return interpolate(ctx, plan, y);
  }

  Status make_plan(OpContext& ctx, std::vector<AxisPlan>* plan) const {
    std::span<const float> roi;
    if (resize.crops() && ctx.has(1)) {
      OL_ASSIGN(const float* edges, values_as<float>(ctx, ctx.in(1)));
      roi = {edges, static_cast<size_t>(ctx.in(1).size())};
    }
    const Tensor* sizes = resize.sizes_input >= 0 ? ctx.opt(resize.sizes_input) : nullptr;
    return resize.make(ctx.in(0).shape(), roi, sizes, ctx.opt(resize.scales_input), plan);
  }

  Status run_nearest(OpContext& ctx, const std::vector<AxisPlan>& plan, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    int64_t total = 0;
    for (const AxisPlan& p : plan) total += p.out;
    OL_ASSIGN(int64_t* table, ctx.scratch_of<int64_t>(total));
    const int64_t* tables[Shape::kMaxRank];
    const Shape strides = x.shape().strides();
    for (int axis = 0; axis < x.rank(); ++axis) {
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      tables[axis] = table;
      for (int64_t j = 0; j < p.out; ++j)
        *table++ = (p.identity ? j : resize.nearest_pixel(p, resize.source(p, j))) * strides[axis];
    }
    gather_axes(x.dtype(), y->shape(), x.raw(), tables, y->mutable_raw());
    extrapolate(plan, y);
    return {};
  }

  // tf_crop_and_resize: whatever lies outside the input becomes extrapolation_value.
  void extrapolate(const std::vector<AxisPlan>& plan, Tensor* y) const {
    if (!resize.crops()) return;
    alignas(16) unsigned char value[16];
    if (!store_scalar(y->dtype(), static_cast<double>(resize.extrapolation), value)) return;
    for (int axis = 0; axis < y->rank(); ++axis) {
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      const Rows rows = split_at(y->shape(), axis);
      for (int64_t j = 0; j < p.out; ++j) {
        if (!resize.outside(p, resize.source(p, j))) continue;
        copy_strided(y->dtype(), Shape{rows.outer, rows.inner}, value, Shape{0, 0},
                     element_at(y->dtype(), y->mutable_raw(), j * rows.inner), Shape{rows.n * rows.inner, 1});
      }
    }
  }

  Result<Taps> make_taps(OpContext& ctx, const AxisPlan& p) const {
    const int64_t n = resize.tap_count(p);
    OL_ASSIGN(int32_t* indices, ctx.scratch_of<int32_t>(p.out * n));
    OL_ASSIGN(double* weights, ctx.scratch_of<double>(p.out * n));
    OL_ASSIGN(float* narrow, ctx.scratch_of<float>(p.out * n));
    resize.fill_taps(p, indices, weights);
    for (int64_t i = 0; i < p.out * n; ++i) narrow[i] = static_cast<float>(weights[i]);
    return Taps{n, indices, narrow, weights};
  }

  Status interpolate(OpContext& ctx, const std::vector<AxisPlan>& plan, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    const DType type = compute_type(x.dtype());
    OL_ASSIGN(const void* current, values_as(ctx, x, type));
    std::vector<int> order;  // shrinking axes first, the innermost first among equals
    for (const bool shrinking : {true, false}) {
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        const AxisPlan& p = plan[static_cast<size_t>(axis)];
        if (!p.identity && (p.scale < 1) == shrinking) order.push_back(axis);
      }
    }
    Shape shape = x.shape();
    const bool direct = y->dtype() == type;
    for (size_t i = 0; i < order.size(); ++i) {
      const int axis = order[i];
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      if (p.in > INT32_MAX) return not_implemented("an axis of length ", p.in, " is too long for Resize");
      OL_ASSIGN(const Taps taps, make_taps(ctx, p));
      const Rows rows = split_at(shape, axis);
      shape[axis] = p.out;
      void* next = y->mutable_raw();
      if (!direct || i + 1 < order.size()) {
        OL_ASSIGN(next, ctx.scratch(static_cast<size_t>(shape.size()) * element_size(type)));
      }
      resample_axis(type, current, rows, p.out, taps, next);
      current = next;
    }
    if (!direct) round_into(current, type, y);
    extrapolate(plan, y);
    return {};
  }

  // Integers are rounded, to even, and saturate.
  static void round_into(const void* from, DType type, Tensor* y) {
    if (is_float(y->dtype())) return store(from, type, y);
    const auto step = static_cast<int64_t>(element_size(y->dtype()));
    for (int64_t i = 0; i < y->size(); ++i) {
      double v;
      to_double(type, element_at(type, from, i), &v, 1);
      store_scalar(y->dtype(), std::nearbyint(v), y->mutable_data<char>() + i * step);
    }
  }
};

const OpRow kRows[] = {
    {"Resize", 10, make<Resize>},
    {"Upsample", 1, make<Resize>},
};

}  // namespace

extern const OpTable kResizeOps{"", kRows};

}  // namespace onnxlet
