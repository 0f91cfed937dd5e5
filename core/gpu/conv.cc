// Conv, and FusedConv with what a clamp can do: conv.wgsl, and conv_depthwise.wgsl for a filter per channel.
#include <algorithm>
#include <limits>

#include "gpu/kernel.h"
#include "ops/fused_activation.h"
#include "ops/window.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kBlock = 4;    // output channels that lie side by side in packed weights
constexpr int64_t kDepth = 4;    // invocations over channels of a group of conv.wgsl
constexpr int64_t kPixels = 64;  // of such a group; runs of conv_depthwise.wgsl's
constexpr int64_t kManyInvocations = 1 << 14;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Conv : Kernel {
  WindowAttrs window;
  int64_t group = 1;
  FusedActivation activation;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    if (a.op_type() == "FusedConv" && a.has("activation")) {
      const std::vector<float> parameters = a.floats("activation_params");
      OL_TRY(activation.set(a.s("activation"), parameters));
    }
    return window.read(a);
  }

  // Everything that the CPU's Conv would refuse is its to refuse.
  bool fits(const Context& ctx) const {
    const Shape &x = ctx.in(0).shape(), &w = ctx.in(1).shape();
    const bool shapes = x.rank() >= 3 && x.rank() <= 2 + kMostSpace && w.rank() == x.rank() && group > 0 &&
                        x[1] == w[1] * group && w[0] % group == 0;
    const bool clamps = activation.kind == FusedActivation::kNone || activation.kind == FusedActivation::kRelu ||
                        activation.kind == FusedActivation::kClip;
    return shapes && clamps && ctx.in(0).dtype() == DType::kFloat && (!ctx.has(2) || ctx.in(2).size() == w[0]) &&
           (window.kernel_shape.empty() || Shape(window.kernel_shape) == spatial(w));
  }

  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx)) return Answer::kDeclined;
    const Shape &x = ctx.in(0).shape(), &w = ctx.in(1).shape();
    OL_ASSIGN(Window win, window.resolve(spatial(x), spatial(w)));
    const Shape shape = with_spatial(x[0], w[0], win.out);
    if (shape.size() == 0 || (ctx.has(3) && !(ctx.in(3).shape() == shape))) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    if (is_pointwise(win)) flatten(&win);
    const bool depthwise = w[1] == 1 && w[0] == group;
    const int64_t outputs = w[0] / group, blocks = ceil_div(outputs, kBlock);
    const int64_t runs = win.pixels() / win.out.back() * ceil_div(win.out.back(), 4);  // of four pixels of a row
    const int64_t share = share_of(blocks, ctx.on_processor() ? kManyInvocations : runs * group * x[0]);
    const int64_t spans = ceil_div(blocks, kDepth * share);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    float low = -kInfinity, high = kInfinity;
    if (activation.kind == FusedActivation::kRelu) low = 0;
    if (activation.kind == FusedActivation::kClip) low = activation.alpha, high = activation.beta;
    Uniforms u;
    u.u(depthwise ? runs : win.pixels()).u(x[1]);
    if (!depthwise) u.u(w[0]).u(w[1]).u(outputs).u(blocks).u(spans);
    u.f(low).f(high);
    u.window(win);
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(0), depthwise ? ctx.buffer(1) : packed_weights(ctx)};
    if (ctx.has(2)) buffers.push_back(ctx.buffer(2));
    if (ctx.has(3)) buffers.push_back(ctx.buffer(3));
    buffers.push_back(std::move(out));
    Shader shader(depthwise ? "conv_depthwise" : "conv");
    shader.set("BIAS", ctx.has(2)).set("SUM", ctx.has(3));
    if (!depthwise) shader.set("PADDED", is_padded(win)).set("BLOCKS", share);
    const auto count = [](int64_t n) { return static_cast<uint32_t>(n); };
    ctx.dispatch(shader, buffers, u,
                 Groups{count(ceil_div(depthwise ? runs : win.pixels(), kPixels)),
                        count(depthwise ? w[0] : group * spans), count(x[0])});
    return Answer::kDone;
  }

 private:
  // Blocks of an invocation: two share the pixels that it reads, where few are idle and a GPU has enough to do.
  static int64_t share_of(int64_t blocks, int64_t invocations_of_block) {
    const int64_t pairs = ceil_div(blocks, 2);
    return 8 * pairs <= 5 * blocks && pairs * invocations_of_block >= kManyInvocations ? 2 : 1;
  }
  static bool is_padded(const Window& w) {
    const auto any = [](const Shape& s) { return std::any_of(s.begin(), s.end(), [](int64_t v) { return v != 0; }); };
    return any(w.pad) || any(w.pad_end);
  }
  static bool is_pointwise(const Window& w) {
    const auto all = [](const Shape& s, int64_t v) { return std::count(s.begin(), s.end(), v) == s.rank(); };
    return all(w.kernel, 1) && all(w.stride, 1) && all(w.pad, 0) && w.in == w.out;
  }
  // Pixels side by side, whatever their rows.
  static void flatten(Window* w) {
    w->in = w->out = Shape{w->in.size()};
    w->kernel = w->stride = w->dilation = Shape{1};
    w->pad = w->pad_end = Shape{0};
  }

  // Made once of weights that stay the same.
  DeviceBufferPtr packed_weights(Context& ctx) const {
    const DeviceBufferPtr& from = ctx.buffer(1);
    if (packed_from_ == from) return packed_;
    const Shape& w = ctx.in(1).shape();
    const int64_t outputs = w[0] / group, blocks = ceil_div(outputs, kBlock), taps = w.product(2, w.rank());
    const int64_t count = group * blocks * w[1] * taps;
    packed_from_ = from;
    packed_ = ctx.scratch(static_cast<uint64_t>(count * kBlock) * sizeof(float));
    Uniforms u;
    u.u(count).u(outputs).u(blocks).u(w[1]).u(taps);
    const DeviceBufferPtr buffers[] = {packed_from_, packed_};
    ctx.dispatch(Shader("conv_pack"), buffers, u, count);
    return packed_;
  }

  mutable DeviceBufferPtr packed_from_, packed_;
};

const Row kRows[] = {
    {"", "Conv", 1, make<Conv>},
    {"com.microsoft", "FusedConv", 1, make<Conv>},
};

}  // namespace

Table conv_rows() { return kRows; }

}  // namespace onnxlet::gpu
