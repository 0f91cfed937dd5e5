// ConvInteger and QLinearConv.
#include "ops/channels_last.h"
#include "ops/int_operands.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// Weights [M, C / group, kernel...], in the form their kernel reads: packed panels, or as they are for depthwise.
struct IntConvOp : Op {
  WindowAttrs window;
  int64_t group = 1;
  Tensor packed;
  size_t packed_input = 0;

  bool reads(size_t i) const override { return !packed.valid() || i != packed_input; }
  Status read(Attrs& a) {
    group = a.i("group", 1);
    return window.read(a);
  }
  Status pack_constant(std::span<const Tensor> constants, size_t w_index, Pool& pool) {
    if (constants.size() <= w_index || !constants[w_index].valid()) return {};
    const Tensor& w = constants[w_index];
    if (w.rank() < 3 || group < 1 || w.dim(0) % group != 0 || w.size() == 0) return {};  // run() says what is wrong
    OL_ASSIGN(packed, pack(w, pool));
    packed_input = w_index;
    return {};
  }
  bool depthwise(const Tensor& w) const { return group > 1 && w.dim(1) == 1; }
  Result<Tensor> pack(const Tensor& w, Pool& pool) const {
    if (depthwise(w)) return w;
    const IntFilters f{w.dim(0), w.dim(1), w.shape().product(2, w.rank()), group};
    OL_ASSIGN(Tensor t, Tensor::allocate(pool, DType::kUint8, Shape{packed_int_conv_size(f)}));
    pack_int_conv_weights(w.raw(), w.dtype() == DType::kInt8, f, t.mutable_data<uint8_t>());
    return t;
  }

  // Shapes, zero points and weights; the caller adds the output.
  Status describe(OpContext& ctx, const Tensor& x, const Tensor& w, const Tensor* x_zero, const Tensor* w_zero,
                  IntConv* c, Shape* out, Tensor* packed_now) const {
    if (x.rank() < 3 || w.rank() != x.rank()) {
      return run_failed("x and w must have the same rank, at least 3; got ", x.shape(), " and ", w.shape());
    }
    if (group < 1 || x.dim(1) % group != 0 || x.dim(1) / group != w.dim(1) || w.dim(0) % group != 0) {
      return run_failed("channels do not fit: x is ", x.shape(), ", w is ", w.shape(), ", group is ", group);
    }
    if (!window.kernel_shape.empty() && !(Shape(window.kernel_shape) == spatial(w.shape()))) {
      return run_failed("kernel_shape ", Shape(window.kernel_shape), " differs from the weights' ", spatial(w.shape()));
    }
    OL_ASSIGN(c->window, window.resolve(spatial(x.shape()), spatial(w.shape())));
    *out = with_spatial(x.dim(0), w.dim(0), c->window.out);
    c->batch = x.dim(0);
    c->channels = x.dim(1);
    c->out_channels = w.dim(0);
    c->groups = group;
    c->x = static_cast<const uint8_t*>(x.raw());
    c->x_signed = x.dtype() == DType::kInt8;
    c->w_signed = w.dtype() == DType::kInt8;
    OL_ASSIGN(Parameter<int32_t> xz, zero_points(ctx, x_zero));
    if (!xz.single()) return not_implemented("more than one zero point for x");
    c->x_zero = xz.data ? *xz.data : 0;
    OL_ASSIGN(Parameter<int32_t> wz, zero_points(ctx, w_zero));
    OL_TRY(wz.check(w.dim(0), 1, "the zero point of w"));
    c->w_zero = wz.at(0, w.dim(0));
    if (!packed.valid()) {
      OL_ASSIGN(*packed_now, pack(w, ctx.pool()));
    }
    c->weights = static_cast<const uint8_t*>(packed.valid() ? packed.raw() : packed_now->raw());
    return {};
  }

  Status execute(OpContext& ctx, const Tensor& w, const IntConv& c) const {
    if (c.batch == 0 || c.out_channels == 0 || c.window.pixels() == 0) return {};
    const bool by_plane = depthwise(w);
    OL_ASSIGN(char* scratch, ctx.scratch_of<char>(by_plane ? int_conv_depthwise_scratch(c) : int_conv_scratch(c)));
    ctx.set_kernel(by_plane ? int_conv_depthwise(c, scratch) : int_conv(c, scratch));
    return {};
  }
};

struct ConvInteger : IntConvOp {
  Status init(Attrs& a) { return read(a); }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override { return pack_constant(constants, 1, pool); }
  Status run(OpContext& ctx) const override {
    IntConv c;
    Shape out;
    Tensor packed_now;
    OL_TRY(describe(ctx, ctx.in(0), ctx.in(1), ctx.opt(2), ctx.opt(3), &c, &out, &packed_now));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt32, out));
    c.out.data = y->mutable_raw();
    return execute(ctx, ctx.in(1), c);
  }
};

struct QLinearConv : IntConvOp {
  Status init(Attrs& a) { return read(a); }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override { return pack_constant(constants, 3, pool); }
  Status run(OpContext& ctx) const override {
    const Tensor& w = ctx.in(3);
    IntConv c;
    Shape out;
    Tensor packed_now;
    OL_TRY(describe(ctx, ctx.in(0), w, ctx.opt(2), ctx.opt(5), &c, &out, &packed_now));
    OL_ASSIGN(Parameter<float> x_scale, scales(ctx, ctx.opt(1)));
    OL_ASSIGN(Parameter<float> w_scale, scales(ctx, ctx.opt(4)));
    OL_ASSIGN(Parameter<float> y_scale, scales(ctx, ctx.opt(6)));
    OL_TRY(w_scale.check(w.dim(0), 1, "the scale of w"));
    if (x_scale.count != 1 || y_scale.count != 1) return not_implemented("more than one scale for x or y");
    OL_ASSIGN(float* factor, ctx.scratch_of<float>(w_scale.count));
    for (int64_t i = 0; i < w_scale.count; ++i) factor[i] = *x_scale.data * w_scale.data[i] / *y_scale.data;
    c.out.col_scale = {factor, w_scale.count > 1 ? 1 : 0};
    const DType type = ctx.in(7).dtype();
    OL_ASSIGN(Parameter<int32_t> y_zero, zero_points(ctx, ctx.opt(7)));
    if (!y_zero.single()) return not_implemented("more than one zero point for y");
    c.out.zero_point = y_zero.data ? *y_zero.data : 0;
    c.out.kind = type == DType::kInt8 ? IntOutput::kInt8 : IntOutput::kUint8;
    if (const Tensor* bias = ctx.opt(8)) {
      if (bias->size() != w.dim(0))
        return run_failed("B needs one value per output channel; B is ", bias->shape(), ", w is ", w.shape());
      c.out.bias = bias->data<int32_t>();
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, type, out));
    c.out.data = y->mutable_raw();
    return execute(ctx, w, c);
  }
};

const OpRow kRows[] = {
    {"ConvInteger", 10, make<ConvInteger>},
    {"QLinearConv", 10, make<QLinearConv>},
};
const OpRow kContribRows[] = {
    {"QLinearConv", 1, make_by_layout<QLinearConv, 0>},
};

}  // namespace

extern const OpTable kConvIntegerOps{"", kRows};
extern const OpTable kConvIntegerContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
