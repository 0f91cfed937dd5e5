// onnxruntime's average pools of 8-bit integers, in both layouts.
#include "kernels/pool.h"
#include "ops/channels_last.h"
#include "ops/int_operands.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// Inputs: X, its scale and zero point, the result's. `pool(const float* x, float* y)` on all planes.
template <class F>
Status pool_as_float(OpContext& ctx, const Shape& out, F pool) {
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

struct QLinearAveragePool : Op {
  WindowAttrs window;
  bool include_pad = false;

  Status init(Attrs& a) {
    OL_TRY(window.read(a, false));
    window.ceil_mode = a.i("ceil_mode") != 0;
    include_pad = a.i("count_include_pad") != 0;
    return window.kernel_shape.empty() ? invalid_graph("kernel_shape is required") : Status();
  }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    OL_TRY(check_planes(s));
    OL_ASSIGN(Window w, window.resolve(spatial(s), Shape(window.kernel_shape)));
    const int64_t planes = s[0] * s[1];
    return pool_as_float(ctx, with_spatial(s[0], s[1], w.out),
                         [&](const float* x, float* y) { pool_average(w, planes, x, y, include_pad); });
  }
};

struct QLinearGlobalAveragePool : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    OL_TRY(check_planes(s));
    return pool_as_float(ctx, with_spatial(s[0], s[1], Shape::filled(s.rank() - 2, 1)),
                         [&](const float* x, float* y) { global_average(s[0] * s[1], s.product(2, s.rank()), x, y); });
  }
};

const OpRow kRows[] = {
    {"QLinearAveragePool", 1, make_by_layout<QLinearAveragePool, 0>},
    {"QLinearGlobalAveragePool", 1, make_by_layout<QLinearGlobalAveragePool, 0>},
};

}  // namespace

extern const OpTable kPoolQuantizedOps{"com.microsoft", kRows};

}  // namespace onnxlet
