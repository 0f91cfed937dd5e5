// Conv and ConvTranspose, and onnxruntime's FusedConv, NhwcConv and NhwcFusedConv. 1-D, 2-D and any higher rank share
// the kernels.
#include "kernels/conv.h"

#include <algorithm>

#include "base/parallel.h"
#include "ops/channels_last.h"
#include "ops/float_io.h"
#include "ops/fused_activation.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// Checks X [N, C, ...], W [M, C / group, kernel...] and B [M].
Status check_conv(const Shape& x, const Shape& w, const Tensor* bias, int64_t group,
                  std::span<const int64_t> kernel_shape) {
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return run_failed("X and W must have the same rank, at least 3; got ", x, " and ", w);
  }
  if (group < 1 || x[1] % group != 0 || x[1] / group != w[1] || w[0] % group != 0) {
    return run_failed("channels do not fit: X is ", x, ", W is ", w, ", group is ", group,
                      "; X has W's second dimension times group");
  }
  if (!kernel_shape.empty() && !(Shape(kernel_shape) == spatial(w))) {
    return run_failed("kernel_shape ", Shape(kernel_shape), " differs from the weights' ", spatial(w));
  }
  if (bias && bias->size() != w[0])
    return run_failed("B needs one value per output channel; B is ", bias->shape(), ", W is ", w);
  return {};
}

// Constant weights in the form their kernel reads.
struct PackedWeights {
  Tensor data;
  const float* get() const { return data.valid() ? data.data<float>() : nullptr; }
};

struct ConvOp : Op {
  WindowAttrs window;
  int64_t group;
  FusedActivation activation;
  PackedWeights packed;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    return window.read(a);
  }

  static bool depthwise(const Shape& w, int64_t group) { return group > 1 && w[1] == 1 && w.rank() <= 4; }

  static Result<Tensor> pack(const Tensor& w, int64_t group, Pool& pool) {
    OL_ASSIGN(Tensor f, widened_constant(w, pool));
    if (depthwise(w.shape(), group)) return f;
    const int64_t k = w.shape().product(1, w.rank());
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{packed_conv_size(w.dim(0), k, group)}));
    pack_conv_weights(f.data<float>(), w.dim(0), k, group, out.mutable_data<float>());
    return out;
  }

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 2 || !constants[1].valid() || !runs_as_float(constants[1].dtype())) return {};
    const Tensor& w = constants[1];
    if (w.rank() < 3 || group < 1 || w.dim(0) % group != 0 || w.size() == 0) return {};  // run() says what is wrong
    OL_ASSIGN(packed.data, pack(w, group, pool));
    return {};
  }
  bool reads(size_t i) const override { return i != 1 || packed.get() == nullptr; }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const Tensor *bias = ctx.opt(2), *sum = ctx.opt(3);
    OL_TRY(check_conv(x.shape(), w.shape(), bias, group, window.kernel_shape));
    OL_ASSIGN(Window win, window.resolve(spatial(x.shape()), spatial(w.shape())));
    const Shape out = with_spatial(x.dim(0), w.dim(0), win.out);
    if (sum && !(sum->shape() == out)) {
      return run_failed("Z must have the shape of the result; Z is ", sum->shape(), ", the result ", out);
    }
    if (out.size() == 0) return ctx.out(0, x.dtype(), out).status();
    if (x.dtype() == DType::kDouble) {
      OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, out));
      conv_plain(win, x.dim(0), x.dim(1), w.dim(0), group, x.data<double>(), w.data<double>(),
                 bias ? bias->data<double>() : nullptr, y->mutable_data<double>());
      for (int64_t i = 0; sum && i < out.size(); ++i) y->mutable_data<double>()[i] += sum->data<double>()[i];
      activation.apply(y->mutable_data<double>(), out.size());
      ctx.set_kernel("conv_plain");
      return {};
    }
    Conv c;
    c.window = win;
    c.batch = x.dim(0);
    c.channels = x.dim(1);
    c.out_channels = w.dim(0);
    c.groups = group;
    OL_ASSIGN(c.x, float_input(ctx, x));
    c.weights = packed.get();
    Tensor packed_now;
    if (c.weights == nullptr) {
      OL_ASSIGN(packed_now, pack(w, group, ctx.pool()));
      c.weights = packed_now.data<float>();
    }
    if (bias) {
      OL_ASSIGN(c.epilogue.bias, float_input(ctx, *bias));
    }
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), out));
    c.y = y.data();
    c.x_channel_stride = win.in.size();
    c.y_channel_stride = win.out.size();
    activation.add_to(&c.epilogue);
    if (sum) {
      widen(sum->raw(), sum->dtype(), sum->size(), c.y);
      c.epilogue.accumulate = true;
    }
    const bool by_plane = depthwise(w.shape(), group);
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(by_plane ? conv_depthwise_scratch(c) : conv_scratch(c)));
    ctx.set_kernel(by_plane ? conv_depthwise(c, scratch) : conv(c, scratch));
    activation.apply(c.y, out.size());
    y.finish();
    return {};
  }
};

struct FusedConv : ConvOp {
  Status init(Attrs& a) {
    OL_TRY(ConvOp::init(a));
    return activation.set(a.s("activation"), a.floats("activation_params"));
  }
};

struct ConvTransposeOp : Op {
  WindowAttrs window;
  int64_t group;
  std::vector<int64_t> output_padding, output_shape;
  PackedWeights packed;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    output_padding = a.ints("output_padding");
    output_shape = a.ints("output_shape");
    return window.read(a);
  }

  static Result<Tensor> pack(const Tensor& w, int64_t group, Pool& pool) {
    OL_ASSIGN(Tensor f, widened_constant(w, pool));
    const int64_t n = w.shape().product(1, w.rank());
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{packed_conv_transpose_size(w.dim(0), n, group)}));
    pack_conv_transpose_weights(f.data<float>(), w.dim(0), n, group, out.mutable_data<float>());
    return out;
  }

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 2 || !constants[1].valid() || !runs_as_float(constants[1].dtype())) return {};
    const Tensor& w = constants[1];
    if (w.rank() < 3 || group < 1 || w.dim(0) % group != 0 || w.size() == 0) return {};
    OL_ASSIGN(packed.data, pack(w, group, pool));
    return {};
  }
  bool reads(size_t i) const override { return i != 1 || packed.get() == nullptr; }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const Tensor* bias = ctx.opt(2);
    if (x.rank() < 3 || w.rank() != x.rank()) {
      return run_failed("X and W must have the same rank, at least 3; got ", x.shape(), " and ", w.shape());
    }
    if (group < 1 || group > std::max<int64_t>(x.dim(1), 1) || x.dim(1) != w.dim(0) || x.dim(1) % group != 0) {
      return run_failed("channels do not fit: X is ", x.shape(), ", W is ", w.shape(), ", group is ", group);
    }
    const int64_t out_channels = w.dim(1) * group;
    if (bias && bias->size() != out_channels) {
      return run_failed("B needs one value per output channel; B is ", bias->shape(), ", output channels ",
                        out_channels);
    }
    if (!window.kernel_shape.empty() && !(Shape(window.kernel_shape) == spatial(w.shape()))) {
      return run_failed("kernel_shape ", Shape(window.kernel_shape), " differs from the weights' ", spatial(w.shape()));
    }
    OL_ASSIGN(Window win,
              window.resolve_transposed(spatial(x.shape()), spatial(w.shape()), output_padding, output_shape));
    const Shape out = with_spatial(x.dim(0), out_channels, win.in);
    if (out.size() == 0) return ctx.out(0, x.dtype(), out).status();
    if (x.dtype() == DType::kDouble) {
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
    c.weights = packed.get();
    Tensor packed_now;
    if (c.weights == nullptr) {
      OL_ASSIGN(packed_now, pack(w, group, ctx.pool()));
      c.weights = packed_now.data<float>();
    }
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
    {"Conv", 1, make<ConvOp>},
    {"ConvTranspose", 1, make<ConvTransposeOp>},
};
const OpRow kContribRows[] = {
    {"FusedConv", 1, make<FusedConv>},
    {"NhwcConv", 1, make<ChannelsLast<ConvOp, 0>>},
    {"NhwcFusedConv", 1, make<ChannelsLast<FusedConv, 0, 3>>},
};

}  // namespace

extern const OpTable kConvOps{"", kRows};
extern const OpTable kConvContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
