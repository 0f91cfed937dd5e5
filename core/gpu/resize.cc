// Resize and Upsample: one axis after the other through tables of places and weights, resample.wgsl.
#include "gpu/parts.h"
#include "ops/resize_plan.h"

namespace onnxlet::gpu {
namespace {

using AxisPlan = ResizePlan::AxisPlan;

struct Resize : Kernel {
  ResizePlan resize;

  Status init(Attrs& a) { return resize.init(a); }

  bool takes_empty() const override { return true; }  // the region, or the scales where there are sizes
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.dtype() != DType::kFloat || x.size() == 0) return Answer::kDeclined;
    for (int i = 1; i < ctx.input_count(); ++i) {
      if (ctx.has(i) && (!ctx.is_here(i) || (i == 1 && ctx.in(i).dtype() != DType::kFloat))) return Answer::kDeclined;
    }
    std::vector<AxisPlan> plan;
    std::span<const float> roi;
    if (resize.crops() && ctx.has(1)) roi = ctx.in(1).values<float>();
    const Tensor* sizes = resize.sizes_input >= 0 ? ctx.opt(resize.sizes_input) : nullptr;
    OL_TRY(resize.make(x.shape(), roi, sizes, ctx.opt(resize.scales_input), &plan));
    Shape shape;
    int last = -1;
    for (int i = 0; i < x.rank(); ++i) {
      const AxisPlan& p = plan[static_cast<size_t>(i)];
      shape.push_back(p.out);
      if (!p.identity) last = i;
    }
    if (last < 0) return ctx.alias(0, 0, shape), Answer::kDone;
    if (shape.size() <= 0 || shape.size() > INT32_MAX) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    DeviceBufferPtr current = ctx.buffer(0);
    Shape now = x.shape();
    for (int axis = 0; axis <= last; ++axis) {
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      if (p.identity) continue;
      const Rows rows = split_at(now, axis);
      now[axis] = p.out;
      DeviceBufferPtr next = axis == last ? out : ctx.scratch(static_cast<uint64_t>(now.size()) * sizeof(float));
      OL_TRY(resample(ctx, p, rows, current, next));
      current = std::move(next);
    }
    return Answer::kDone;
  }

 private:
  bool nearest() const { return resize.mode == ResizePlan::Mode::kNearest; }

  Status resample(Context& ctx, const AxisPlan& p, const Rows& rows, const DeviceBufferPtr& from,
                  const DeviceBufferPtr& to) const {
    const int64_t taps = nearest() ? 1 : resize.tap_count(p);
    OL_ASSIGN(Tensor places, Tensor::allocate(ctx.pool(), DType::kInt32, Shape{p.out * taps}));
    OL_ASSIGN(Tensor weights, Tensor::allocate(ctx.pool(), DType::kFloat, Shape{p.out * taps}));
    fill(p, taps, places.mutable_data<int32_t>(), weights.mutable_data<float>());
    const int64_t count = rows.outer * p.out * rows.inner;
    Uniforms u;
    u.u(count).u(rows.n).u(p.out).u(rows.inner).u(taps).f(resize.extrapolation);
    const DeviceBufferPtr buffers[] = {from, ctx.upload(std::move(places)), ctx.upload(std::move(weights)), to};
    ctx.dispatch(Shader("resample"), buffers, u, count);
    return {};
  }

  void fill(const AxisPlan& p, int64_t taps, int32_t* places, float* weights) const {
    if (nearest()) {
      for (int64_t j = 0; j < p.out; ++j) {
        places[j] = static_cast<int32_t>(resize.nearest_pixel(p, resize.source(p, j)));
        weights[j] = 1;
      }
    } else {
      std::vector<double> exact(static_cast<size_t>(p.out * taps));
      resize.fill_taps(p, places, exact.data());
      for (size_t i = 0; i < exact.size(); ++i) weights[i] = static_cast<float>(exact[i]);
    }
    for (int64_t j = 0; j < p.out; ++j) {
      if (resize.outside(p, resize.source(p, j))) places[j * taps] = -1;
    }
  }
};

const Row kRows[] = {
    {"", "Resize", 10, make<Resize>},
    {"", "Upsample", 1, make<Resize>},
};

}  // namespace

Table resize_rows() { return kRows; }

}  // namespace onnxlet::gpu
