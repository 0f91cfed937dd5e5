// MaxPool, AveragePool and the global pools: pool.wgsl.
#include "gpu/kernel.h"
#include "ops/window.h"

namespace onnxlet::gpu {
namespace {

Result<Answer> run_pool(Context& ctx, std::string_view kind, const Window& w, bool include_pad) {
  const Shape& x = ctx.in(0).shape();
  const Shape shape = with_spatial(x[0], x[1], w.out);
  if (shape.size() == 0) return Answer::kDeclined;
  OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
  Uniforms u;
  u.u(shape.size()).u(w.pixels()).u(include_pad);
  u.window(w).dims(with_leading(w.pad_end, kMostSpace, 0), 1);
  const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(out)};
  ctx.dispatch(Shader("pool").set("KIND", kind), buffers, u, shape.size());
  return Answer::kDone;
}

bool fits(const Context& ctx) {
  const Tensor& x = ctx.in(0);
  return x.dtype() == DType::kFloat && x.rank() >= 3 && x.rank() <= 2 + kMostSpace && !ctx.wants(1);
}

struct SlidingPool : Kernel {
  WindowAttrs window;
  bool average = false, include_pad = false;

  Status init(Attrs& a) {
    average = a.op_type() == "AveragePool";
    include_pad = average && a.i("count_include_pad") != 0;
    OL_TRY(window.read(a));
    window.ceil_mode = a.i("ceil_mode") != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx) || window.kernel_shape.empty()) return Answer::kDeclined;
    OL_ASSIGN(const Window w, window.resolve(spatial(ctx.in(0).shape()), Shape(window.kernel_shape)));
    return run_pool(ctx, average ? "average" : "max", w, include_pad);
  }
};

struct GlobalPool : Kernel {
  bool average = false;

  Status init(Attrs& a) {
    average = a.op_type() == "GlobalAveragePool";
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx)) return Answer::kDeclined;
    Window w;
    w.in = w.kernel = spatial(ctx.in(0).shape());
    w.out = w.stride = w.dilation = Shape::filled(w.in.rank(), 1);
    w.pad = w.pad_end = Shape::filled(w.in.rank(), 0);
    return run_pool(ctx, average ? "average" : "max", w, false);
  }
};

const Row kRows[] = {
    {"", "AveragePool", 7, make<SlidingPool>},
    {"", "MaxPool", 1, make<SlidingPool>},
    {"", "GlobalAveragePool", 1, make<GlobalPool>},
    {"", "GlobalMaxPool", 1, make<GlobalPool>},
};

}  // namespace

Table pool_rows() { return kRows; }

}  // namespace onnxlet::gpu
