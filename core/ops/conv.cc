// Conv and ConvTranspose, and onnxruntime's FusedConv, NhwcConv and NhwcFusedConv. 1-D, 2-D and any higher rank share
// the kernels.
#include "kernels/conv.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/trim.h"
#include "kernels/binary.h"
#include "kernels/unary.h"
#include "ops/float_io.h"
#include "ops/fused_activation.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// What Conv and ConvTranspose share: the window, and constant weights in the form their kernel reads.
struct ConvBase : Op {
  WindowAttrs window;
  int64_t group = 1;
  Tensor packed;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    return window.read(a);
  }

  virtual Result<Tensor> pack(const Tensor& w, Pool& pool) const = 0;

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 2 || !constants[1].valid() || !runs_as_float(constants[1].dtype())) return {};
    const Tensor& w = constants[1];
    if (w.rank() < 3 || group < 1 || w.dim(0) % group != 0 || w.size() == 0) return {};  // run() says what is wrong
    OL_ASSIGN(packed, pack(w, pool));
    return {};
  }
  Tensor* packed_form(size_t i) override { return i == 1 && packed.valid() ? &packed : nullptr; }

  // Packed into `now` where they are not constant.
  Result<const float*> weights(const Tensor& w, Pool& pool, Tensor* now) const {
    if (packed.valid()) return packed.data<float>();
    OL_ASSIGN(*now, pack(w, pool));
    return static_cast<const float*>(now->data<float>());
  }

  Status check_ranks(const Shape& x, const Shape& w) const {
    if (x.rank() < 3 || w.rank() != x.rank())
      return run_failed("X and W must have the same rank, at least 3; got ", x, " and ", w);
    if (!window.kernel_shape.empty() && !(Shape(window.kernel_shape) == spatial(w)))
      return run_failed("kernel_shape ", Shape(window.kernel_shape), " differs from the weights' ", spatial(w));
    return {};
  }
  static Status check_bias(const Tensor* bias, int64_t out_channels) {
    if (bias == nullptr || bias->size() == out_channels) return {};
    return run_failed("B needs one value per output channel; B is ", bias->shape(), ", output channels ", out_channels);
  }
};

// The ways a float convolution is computed, by layout, groups and window.
struct ConvRoute {
  int64_t (*scratch)(const Conv&);
  const char* (*run)(const Conv&, float*);  // nullptr: this build is trimmed, and no convolution of its models goes so
};
constexpr bool kWinograd = trim::keeps_kernel("conv_f32_winograd_4x4_3x3");
constexpr bool kDepthwiseNhwc =
    trim::keeps_kernel("conv_f32_depthwise_nhwc", "conv_f32_depthwise_nhwc_3x3", "conv_f32_depthwise_nhwc_3x3s2",
                       "conv_f32_depthwise_nhwc_5x5", "conv_f32_depthwise_nhwc_5x5s2");
constexpr bool kNhwc = trim::keeps_kernel("conv_f32_nhwc", "conv_f32_nhwc_pointwise_4x8", "conv_f32_nhwc_4x8");
constexpr bool kDepthwise = trim::keeps_kernel("conv_f32_depthwise");
constexpr bool kPlain = trim::keeps_kernel("conv_f32", "conv_f32_pointwise_4x8", "conv_f32_indirect_4x8");

template <bool kKept>
constexpr ConvRoute kept(decltype(ConvRoute::scratch) scratch, decltype(ConvRoute::run) run) {
  return kKept ? ConvRoute{scratch, run} : ConvRoute{};
}

struct ConvOp : ConvBase {
  FusedActivation activation;
  bool channels_last = false;

  Status init(Attrs& a) {
    channels_last = a.channels_last();
    return ConvBase::init(a);
  }

  bool depthwise(const Shape& w) const {
    if (group <= 1 || w[1] != 1) return false;
    return channels_last ? w[0] == group : w.rank() <= 4;
  }
  bool winograd(const Shape& w) const {
    if (!channels_last || w.rank() != 4) return false;
    const auto or_ones = [](const std::vector<int64_t>& v) { return v.empty() ? Shape{1, 1} : Shape(v); };
    return conv_winograd_fits(spatial(w), or_ones(window.strides), or_ones(window.dilations), w[1], w[0], group);
  }
  ConvRoute route(const Shape& w) const {
    if (channels_last) {
      if (winograd(w)) return kept<kWinograd>(conv_winograd_scratch, conv_winograd);
      if (depthwise(w)) return kept<kDepthwiseNhwc>(conv_depthwise_nhwc_scratch, conv_depthwise_nhwc);
      return kept<kNhwc>(conv_nhwc_scratch, conv_nhwc);
    }
    if (depthwise(w)) return kept<kDepthwise>(conv_depthwise_scratch, conv_depthwise);
    return kept<kPlain>(conv_scratch, conv);
  }

  Result<Tensor> pack(const Tensor& w, Pool& pool) const override {
    OL_ASSIGN(Tensor f, widened_constant(w, pool));
    if (route(w.shape()).run == nullptr) return left_out("the kernel of this convolution");
    if (depthwise(w.shape()) && !channels_last) return f;  // read as it is
    const int64_t out_channels = w.dim(0), cg = w.dim(1), taps = w.shape().product(2, w.rank());
    int64_t size = packed_conv_size(out_channels, cg * taps, group);
    if (depthwise(w.shape())) size = w.size();
    if (kWinograd && winograd(w.shape())) size = packed_winograd_size(out_channels, cg);
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{size}));
    const float* from = f.data<float>();
    float* to = out.mutable_data<float>();
    if (kDepthwiseNhwc && depthwise(w.shape())) {
      pack_conv_depthwise_weights_nhwc(from, out_channels, taps, to);
    } else if (kWinograd && winograd(w.shape())) {
      pack_conv_winograd_weights(from, out_channels, cg, to);
    } else if (channels_last) {
      pack_conv_weights_nhwc(from, out_channels, cg, taps, group, to);
    } else {
      pack_conv_weights(from, out_channels, cg * taps, group, to);
    }
    return out;
  }

  Status check(const Shape& x, const Shape& w, const Tensor* bias) const {
    OL_TRY(check_ranks(x, w));
    const int64_t channels = channels_of(x, channels_last);
    if (group < 1 || channels % group != 0 || channels / group != w[1] || w[0] % group != 0) {
      return run_failed("channels do not fit: X is ", x, ", W is ", w, ", group is ", group,
                        "; X has W's second dimension times group");
    }
    return check_bias(bias, w[0]);
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const Tensor *bias = ctx.opt(2), *sum = ctx.opt(3);
    OL_TRY(check(x.shape(), w.shape(), bias));
    OL_ASSIGN(Window win, window.resolve(spatial(x.shape(), channels_last), spatial(w.shape())));
    const Shape out = with_spatial(x.dim(0), w.dim(0), win.out, channels_last);
    const bool fits = sum == nullptr || sum->shape() == out;
    Shape total = out;
    if (!fits) {
      OL_ASSIGN(total, broadcast(out, sum->shape()));
    }
    if (total.size() == 0) return ctx.out(0, x.dtype(), total).status();
    if (trim::keeps_type(DType::kDouble) && x.dtype() == DType::kDouble) return run_double(ctx, win, out, total);
    Conv c;
    c.window = win;
    c.batch = x.dim(0);
    c.channels = w.dim(1) * group;
    c.out_channels = w.dim(0);
    c.groups = group;
    OL_ASSIGN(c.x, float_input(ctx, x));
    Tensor packed_now;
    OL_ASSIGN(c.weights, weights(w, ctx.pool(), &packed_now));
    if (bias) {
      OL_ASSIGN(c.epilogue.bias, float_input(ctx, *bias));
    }
    const float* z = nullptr;
    if (sum) {
      OL_ASSIGN(z, float_input(ctx, *sum));
    }
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), total));
    c.y = y.data();
    if (fits) {
      c.epilogue.residual = z;
      activation.add_to(&c.epilogue);
    } else {
      OL_ASSIGN(c.y, ctx.scratch_of<float>(out.size()));
    }
    const ConvRoute how = route(w.shape());
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(how.scratch(c)));
    ctx.set_kernel(how.run(c, scratch));
    if (!fits) add_broadcast({c.y, DType::kFloat, out}, {z, DType::kFloat, sum->shape()}, total, y.data());
    activation.apply(y.data(), total.size());
    y.finish();
    return {};
  }

  // y = clamp(x + z), for a Z that is not as large as the result.
  void add_broadcast(ConstView x, ConstView z, const Shape& total, float* y) const {
    Epilogue e;
    activation.add_to(&e);
    apply_binary(kAddKernel, x, z, {y, DType::kFloat, total});
    if (e.clamps()) clip_elements(DType::kFloat, y, y, total.size(), &e.lo, &e.hi);
  }

  Status run_double(OpContext& ctx, const Window& win, const Shape& out, const Shape& total) const {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const Tensor *bias = ctx.opt(2), *sum = ctx.opt(3);
    if (channels_last) return not_implemented("double with the channels last");
    if (!(out == total))
      return run_failed("in double, Z must have the shape of the result; Z is ", total, ", the result ", out);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, out));
    conv_plain(win, x.dim(0), x.dim(1), w.dim(0), group, x.data<double>(), w.data<double>(),
               bias ? bias->data<double>() : nullptr, y->mutable_data<double>());
    for (int64_t i = 0; sum && i < out.size(); ++i) y->mutable_data<double>()[i] += sum->data<double>()[i];
    activation.apply(y->mutable_data<double>(), out.size());
    ctx.set_kernel("conv_plain");
    return {};
  }
};

struct FusedConv : ConvOp {
  Status init(Attrs& a) {
    OL_TRY(ConvOp::init(a));
    return activation.set(a.s("activation"), a.floats("activation_params"));
  }
};

template <class Base>
struct Nhwc : Base {
  Status init(Attrs& a) {
    OL_TRY(Base::init(a));
    this->channels_last = true;
    return {};
  }
};

struct ConvTransposeOp : ConvBase {
  std::vector<int64_t> output_padding, output_shape;

  Status init(Attrs& a) {
    output_padding = a.ints("output_padding");
    output_shape = a.ints("output_shape");
    return ConvBase::init(a);
  }

  Result<Tensor> pack(const Tensor& w, Pool& pool) const override {
    OL_ASSIGN(Tensor f, widened_constant(w, pool));
    const int64_t n = w.shape().product(1, w.rank());
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{packed_conv_transpose_size(w.dim(0), n, group)}));
    pack_conv_transpose_weights(f.data<float>(), w.dim(0), n, group, out.mutable_data<float>());
    return out;
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const Tensor* bias = ctx.opt(2);
    OL_TRY(check_ranks(x.shape(), w.shape()));
    if (group < 1 || group > std::max<int64_t>(x.dim(1), 1) || x.dim(1) != w.dim(0) || x.dim(1) % group != 0) {
      return run_failed("channels do not fit: X is ", x.shape(), ", W is ", w.shape(), ", group is ", group);
    }
    const int64_t out_channels = w.dim(1) * group;
    OL_TRY(check_bias(bias, out_channels));
    OL_ASSIGN(Window win,
              window.resolve_transposed(spatial(x.shape()), spatial(w.shape()), output_padding, output_shape));
    const Shape out = with_spatial(x.dim(0), out_channels, win.in);
    if (out.size() == 0) return ctx.out(0, x.dtype(), out).status();
    if (trim::keeps_type(DType::kDouble) && x.dtype() == DType::kDouble) {
      OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, out));
      conv_transpose_plain(win, x.dim(0), x.dim(1), out_channels, group, x.data<double>(), w.data<double>(),
                           bias ? bias->data<double>() : nullptr, y->mutable_data<double>());
      ctx.set_kernel("conv_transpose_plain");
      return {};
    }
    ConvTranspose c;
    c.window = win;
    c.batch = x.dim(0);
    c.channels = x.dim(1);
    c.out_channels = out_channels;
    c.groups = group;
    OL_ASSIGN(c.x, float_input(ctx, x));
    Tensor packed_now;
    OL_ASSIGN(c.weights, weights(w, ctx.pool(), &packed_now));
    if (bias) {
      OL_ASSIGN(c.bias, float_input(ctx, *bias));
    }
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), out));
    c.y = y.data();
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(conv_transpose_scratch(c)));
    ctx.set_kernel(conv_transpose(c, scratch));
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"Conv", 1, make<ConvOp>, kChannelsLast},
    {"ConvTranspose", 1, make<ConvTransposeOp>},
};
const OpRow kContribRows[] = {
    {"FusedConv", 1, make<FusedConv>, kChannelsLast},
    {"NhwcConv", 1, make<Nhwc<ConvOp>>},
    {"NhwcFusedConv", 1, make<Nhwc<FusedConv>>},
};

}  // namespace

extern const OpTable kConvOps{"", kRows};
extern const OpTable kConvContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
