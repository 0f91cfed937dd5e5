// ConvInteger and QLinearConv.
#include "ops/int_operands.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// Weights [M, C / group, kernel...], packed at load where they and their zero points are constant.
struct IntConvOp : Op {
  WindowAttrs window;
  int64_t group = 1;
  bool channels_last = false;

  // Packed weights, and for which kernel: depthwise ones have no zero points.
  struct Packed {
    Tensor bytes, sums;
    bool depthwise = false;
  };
  Packed packed;
  size_t packed_input = 0;

  Tensor* packed_form(size_t i) override { return packed.bytes.valid() && i == packed_input ? &packed.bytes : nullptr; }
  Status init(Attrs& a) {
    group = a.i("group", 1);
    channels_last = a.channels_last();
    return window.read(a);
  }
  Status pack_constant(std::span<const Tensor> constants, size_t w_index, size_t zero_index, bool zero_given,
                       Pool& pool) {
    if (constants.size() <= w_index || !constants[w_index].valid()) return {};
    const Tensor& w = constants[w_index];
    if (w.rank() < 3 || group < 1 || w.dim(0) % group != 0 || w.size() == 0) return {};  // run() says what is wrong
    const bool known = constants.size() > zero_index && constants[zero_index].valid();
    if (zero_given && !known) return {};
    OL_ASSIGN(packed, pack(w, known ? &constants[zero_index] : nullptr, pool));
    packed_input = w_index;
    return {};
  }
  Result<Packed> pack(const Tensor& w, const Tensor* zero, Pool& pool) const {
    Packed p;
    const int64_t out_channels = w.dim(0), taps = w.shape().product(2, w.rank());
    if (group > 1 && w.dim(1) == 1 && out_channels == group) {
      OL_ASSIGN(Tensor plain, Tensor::allocate(pool, DType::kInt8, w.shape()));
      p.depthwise = without_zero(w, zero, plain.mutable_data<int8_t>());
      if (p.depthwise) {
        OL_ASSIGN(p.bytes, Tensor::allocate(pool, DType::kUint8, Shape{packed_int_depthwise_size(out_channels, taps)}));
        pack_int_depthwise_weights(plain.data<int8_t>(), out_channels, taps, p.bytes.mutable_data<uint8_t>());
        return p;
      }
    }
    const IntFilters f{out_channels, w.dim(1), taps, group};
    OL_ASSIGN(p.bytes, Tensor::allocate(pool, DType::kUint8, Shape{packed_int_conv_size(f)}));
    OL_ASSIGN(p.sums, Tensor::allocate(pool, DType::kInt32, Shape{int_conv_sums_size(f)}));
    pack_int_conv_weights(w.raw(), w.dtype() == DType::kInt8, f, p.bytes.mutable_data<uint8_t>(),
                          p.sums.mutable_data<int32_t>());
    return p;
  }
  // Whether the weights minus their zero points, one or one per output channel, are 8-bit numbers: those.
  static bool without_zero(const Tensor& w, const Tensor* zero, int8_t* out) {
    const auto at = [](const Tensor& t, int64_t i) {
      return t.dtype() == DType::kInt8 ? int32_t{t.data<int8_t>()[i]} : int32_t{t.data<uint8_t>()[i]};
    };
    const int64_t filter = w.size() / w.dim(0), zeros = zero != nullptr ? zero->size() : 0;
    if (zeros > 1 && zeros != w.dim(0)) return false;
    for (int64_t i = 0; i < w.size(); ++i) {
      const int32_t v = at(w, i) - (zeros == 0 ? 0 : at(*zero, zeros == 1 ? 0 : i / filter));
      if (v < -128 || v > 127) return false;
      out[i] = static_cast<int8_t>(v);
    }
    return true;
  }

  // Shapes, zero points and weights; the caller adds the output.
  Status describe(OpContext& ctx, const Tensor& x, const Tensor& w, const Tensor* x_zero, const Tensor* w_zero,
                  IntConv* c, Shape* out, Packed* packed_now) const {
    if (x.rank() < 3 || w.rank() != x.rank()) {
      return run_failed("x and w must have the same rank, at least 3; got ", x.shape(), " and ", w.shape());
    }
    const int64_t channels = channels_of(x.shape(), channels_last);
    if (group < 1 || channels % group != 0 || channels / group != w.dim(1) || w.dim(0) % group != 0) {
      return run_failed("channels do not fit: x is ", x.shape(), ", w is ", w.shape(), ", group is ", group);
    }
    if (!window.kernel_shape.empty() && !(Shape(window.kernel_shape) == spatial(w.shape()))) {
      return run_failed("kernel_shape ", Shape(window.kernel_shape), " differs from the weights' ", spatial(w.shape()));
    }
    OL_ASSIGN(c->window, window.resolve(spatial(x.shape(), channels_last), spatial(w.shape())));
    *out = with_spatial(x.dim(0), w.dim(0), c->window.out, channels_last);
    c->batch = x.dim(0);
    c->channels = channels;
    c->channels_last = channels_last;
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
    if (!packed.bytes.valid() && out->size() != 0) {
      OL_ASSIGN(*packed_now, pack(w, w_zero, ctx.pool()));
    }
    return {};
  }

  Status execute(OpContext& ctx, IntConv& c, const Packed& packed_now) const {
    if (c.batch == 0 || c.out_channels == 0 || c.window.pixels() == 0) return {};
    const Packed& p = packed.bytes.valid() ? packed : packed_now;
    c.weights = static_cast<const uint8_t*>(p.bytes.raw());
    if (!p.depthwise) c.w_sums = p.sums.data<int32_t>();
    OL_ASSIGN(char* scratch, ctx.scratch_of<char>(p.depthwise ? int_depthwise_scratch(c) : int_conv_scratch(c)));
    ctx.set_kernel(p.depthwise ? int_depthwise(c, scratch) : int_conv(c, scratch));
    return {};
  }
};

struct ConvInteger : IntConvOp {
  bool zero_given = false;
  Status init(Attrs& a) {
    zero_given = a.input_given(3);
    return IntConvOp::init(a);
  }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    return pack_constant(constants, 1, 3, zero_given, pool);
  }
  Status run(OpContext& ctx) const override {
    IntConv c;
    Shape out;
    Packed packed_now;
    OL_TRY(describe(ctx, ctx.in(0), ctx.in(1), ctx.opt(2), ctx.opt(3), &c, &out, &packed_now));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt32, out));
    c.out.data = y->mutable_raw();
    return execute(ctx, c, packed_now);
  }
};

struct QLinearConv : IntConvOp {
  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    return pack_constant(constants, 3, 5, true, pool);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& w = ctx.in(3);
    IntConv c;
    Shape out;
    Packed packed_now;
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
    return execute(ctx, c, packed_now);
  }
};

// Of com.microsoft: an attribute says which layout x and y have.
struct QLinearConvByLayout : QLinearConv {
  Status init(Attrs& a) {
    const bool last = a.i("channels_last") != 0;
    OL_TRY(IntConvOp::init(a));
    channels_last = channels_last || last;
    return {};
  }
};

const OpRow kRows[] = {
    {"ConvInteger", 10, make<ConvInteger>, kChannelsLast},
    {"QLinearConv", 10, make<QLinearConv>, kChannelsLast},
};
const OpRow kContribRows[] = {
    {"QLinearConv", 1, make<QLinearConvByLayout>, kChannelsLast},
};

}  // namespace

extern const OpTable kConvIntegerOps{"", kRows};
extern const OpTable kConvIntegerContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
