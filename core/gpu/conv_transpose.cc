// ConvTranspose: conv_transpose.wgsl.
#include "gpu/parts.h"
#include "ops/window.h"

namespace onnxlet::gpu {
namespace {

struct ConvTranspose : Kernel {
  WindowAttrs window;
  int64_t group = 1;
  std::vector<int64_t> output_padding, output_shape;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    output_padding = a.ints("output_padding");
    output_shape = a.ints("output_shape");
    return window.read(a);
  }

  // Everything that the CPU's would refuse is its to refuse.
  bool fits(const Context& ctx) const {
    const Shape &x = ctx.in(0).shape(), &w = ctx.in(1).shape();
    return ctx.in(0).dtype() == DType::kFloat && x.rank() >= 3 && x.rank() <= 2 + kMostSpace && w.rank() == x.rank() &&
           group > 0 && x[1] == w[0] && x[1] % group == 0 && (!ctx.has(2) || ctx.in(2).size() == w[1] * group) &&
           (window.kernel_shape.empty() || Shape(window.kernel_shape) == spatial(w));
  }

  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx)) return Answer::kDeclined;
    const Shape &x = ctx.in(0).shape(), &w = ctx.in(1).shape();
    OL_ASSIGN(const Window win, window.resolve_transposed(spatial(x), spatial(w), output_padding, output_shape));
    const Shape shape = with_spatial(x[0], w[1] * group, win.in);  // of the convolution that this one reverses
    if (shape.size() == 0) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    Uniforms u;
    u.u(shape.size()).u(x[1]).u(shape[1]).u(group);
    u.window(win);
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(0), ctx.buffer(1)};
    if (ctx.has(2)) buffers.push_back(ctx.buffer(2));
    buffers.push_back(std::move(out));
    ctx.dispatch(Shader("conv_transpose").set("BIAS", ctx.has(2)), buffers, u, shape.size());
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"", "ConvTranspose", 1, make<ConvTranspose>},
};

}  // namespace

Table conv_transpose_rows() { return kRows; }

}  // namespace onnxlet::gpu
