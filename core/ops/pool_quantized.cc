// onnxruntime's average pools of 8-bit integers, in both layouts.
#include "base/parallel.h"
#include "kernels/pool.h"
#include "ops/int_operands.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// Inputs: X, its scale and zero point, the result's. `pool(const float* x, float* y)` on all planes.
Status pool_as_float(OpContext& ctx, const Shape& out, FunctionRef<void(const float*, float*)> pool) {
  const Tensor& x = ctx.in(0);
  OL_ASSIGN(const QuantParams from, quant_params(ctx, 1));
  OL_ASSIGN(const QuantParams to, quant_params(ctx, 3));
  OL_ASSIGN(float* in, ctx.scratch_of<float>(x.size()));
  OL_ASSIGN(float* pooled, ctx.scratch_of<float>(out.size()));
  OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), out));
  dequantize_8bit(x.dtype(), x.raw(), from, in, x.size());
  pool(in, pooled);
  quantize_8bit(x.dtype(), pooled, to, y->mutable_raw(), out.size());
  return {};
}

Status check_planes(const Shape& s) {
  if (s.rank() < 3) return run_failed("pooling needs an input of rank 3 or more; got ", s);
  return {};
}

// The layout is an attribute of the operators, or the layout pass's choice.
bool is_channels_last(Attrs& a) { return a.i("channels_last") != 0 || a.channels_last(); }

struct QLinearAveragePool : Op {
  WindowAttrs window;
  bool include_pad = false, channels_last = false;

  Status init(Attrs& a) {
    channels_last = is_channels_last(a);
    OL_TRY(window.read(a, false));
    window.ceil_mode = a.i("ceil_mode") != 0;
    include_pad = a.i("count_include_pad") != 0;
    return window.kernel_shape.empty() ? invalid_graph("kernel_shape is required") : Status();
  }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    OL_TRY(check_planes(s));
    OL_ASSIGN(Window w, window.resolve(spatial(s, channels_last), Shape(window.kernel_shape)));
    const int64_t channels = channels_of(s, channels_last);
    return pool_as_float(ctx, with_spatial(s[0], channels, w.out, channels_last), [&](const float* x, float* y) {
      channels_last ? pool_average_nhwc(w, s[0], channels, x, y, include_pad)
                    : pool_average(w, s[0] * channels, x, y, include_pad);
    });
  }
};

struct QLinearGlobalAveragePool : Op {
  bool channels_last = false;
  Status init(Attrs& a) {
    channels_last = is_channels_last(a);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    OL_TRY(check_planes(s));
    const int64_t channels = channels_of(s, channels_last), pixels = spatial(s, channels_last).size();
    const Shape out = with_spatial(s[0], channels, Shape::filled(s.rank() - 2, 1), channels_last);
    return pool_as_float(ctx, out, [&](const float* x, float* y) {
      channels_last ? global_average_nhwc(s[0], pixels, channels, x, y) : global_average(s[0] * channels, pixels, x, y);
    });
  }
};

const OpRow kRows[] = {
    {"QLinearAveragePool", 1, make<QLinearAveragePool>, kChannelsLast},
    {"QLinearGlobalAveragePool", 1, make<QLinearGlobalAveragePool>, kChannelsLast},
};

}  // namespace

extern const OpTable kPoolQuantizedOps{"com.microsoft", kRows};

}  // namespace onnxlet
