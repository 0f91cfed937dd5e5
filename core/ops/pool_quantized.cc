// onnxruntime's pools on 8-bit integers, both layouts.
#include <algorithm>
#include <cmath>

#include "kernels/pool.h"
#include "ops/int_operands.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

// An [N, C, space] or [N, space, C] tensor.
struct Layout {
  int64_t batch, channels, pixels;
  bool channels_last;

  static Layout of(const Shape& s, bool channels_last) {
    const int r = s.rank();
    if (channels_last) return {s[0], s[r - 1], s.product(1, r - 1), true};
    return {s[0], s[1], s.product(2, r), false};
  }
  int64_t planes() const { return batch * channels; }
  int64_t at(int64_t plane, int64_t pixel) const {
    return channels_last ? (plane / channels * pixels + pixel) * channels + plane % channels : plane * pixels + pixel;
  }
};

Shape spatial_of(const Shape& s, bool channels_last) {
  Shape out;
  for (int i = channels_last ? 1 : 2; i < s.rank() - (channels_last ? 1 : 0); ++i) out.push_back(s[i]);
  return out;
}
Shape shape_of(const Shape& s, bool channels_last, const Shape& space) {
  if (!channels_last) return with_spatial(s[0], s[1], space);
  Shape out{s[0]};
  for (const int64_t d : space) out.push_back(d);
  out.push_back(s.back());
  return out;
}

int32_t read(const void* data, bool is_signed, int64_t i) {
  return is_signed ? int32_t{static_cast<const int8_t*>(data)[i]} : int32_t{static_cast<const uint8_t*>(data)[i]};
}

struct Quantization {
  float x_scale, y_scale;
  int32_t x_zero, y_zero;
};

Result<Quantization> quantization(OpContext& ctx) {
  Quantization q{};
  OL_ASSIGN(Parameter<float> xs, scales(ctx, ctx.opt(1)));
  OL_ASSIGN(Parameter<int32_t> xz, zero_points(ctx, ctx.opt(2)));
  OL_ASSIGN(Parameter<float> ys, scales(ctx, ctx.opt(3)));
  OL_ASSIGN(Parameter<int32_t> yz, zero_points(ctx, ctx.opt(4)));
  if (xs.count != 1 || ys.count != 1 || !xz.single() || !yz.single())
    return not_implemented("more than one scale or zero point");
  q.x_scale = *xs.data;
  q.y_scale = *ys.data;
  q.x_zero = xz.data ? *xz.data : 0;
  q.y_zero = yz.data ? *yz.data : 0;
  return q;
}

// Planes as float, pooled by `pool(const float* x, float* y)`, rounded back.
template <class F>
Status pool_as_float(OpContext& ctx, bool channels_last, const Shape& out, F pool) {
  const Tensor& x = ctx.in(0);
  const bool is_signed = x.dtype() == DType::kInt8;
  OL_ASSIGN(const Quantization q, quantization(ctx));
  const Layout from = Layout::of(x.shape(), channels_last), to = Layout::of(out, channels_last);
  OL_ASSIGN(float* in, ctx.scratch_of<float>(x.size()));
  OL_ASSIGN(float* pooled, ctx.scratch_of<float>(out.size()));
  OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), out));
  for (int64_t p = 0; p < from.planes(); ++p) {
    for (int64_t i = 0; i < from.pixels; ++i) {
      in[p * from.pixels + i] = static_cast<float>(read(x.raw(), is_signed, from.at(p, i)) - q.x_zero) * q.x_scale;
    }
  }
  pool(in, pooled);
  const float lo = is_signed ? -128 : 0, hi = is_signed ? 127 : 255;
  for (int64_t p = 0; p < to.planes(); ++p) {
    for (int64_t i = 0; i < to.pixels; ++i) {
      const float v = std::nearbyint(pooled[p * to.pixels + i] / q.y_scale + static_cast<float>(q.y_zero));
      y->mutable_data<uint8_t>()[to.at(p, i)] = static_cast<uint8_t>(static_cast<int32_t>(std::clamp(v, lo, hi)));
    }
  }
  return {};
}

struct QLinearAveragePool : Op {
  WindowAttrs window;
  bool include_pad, channels_last;

  Status init(Attrs& a) {
    OL_TRY(window.read(a, false));
    window.ceil_mode = a.i("ceil_mode") != 0;
    include_pad = a.i("count_include_pad") != 0;
    channels_last = a.i("channels_last") != 0;
    return window.kernel_shape.empty() ? invalid_graph("kernel_shape is required") : Status();
  }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    if (s.rank() < 3) return run_failed("pooling needs an input of rank 3 or more; got ", s);
    OL_ASSIGN(Window w, window.resolve(spatial_of(s, channels_last), Shape(window.kernel_shape)));
    const int64_t planes = Layout::of(s, channels_last).planes();
    return pool_as_float(ctx, channels_last, shape_of(s, channels_last, w.out),
                         [&](const float* x, float* y) { pool_average(w, planes, x, y, include_pad); });
  }
};

struct QLinearGlobalAveragePool : Op {
  bool channels_last;

  Status init(Attrs& a) {
    channels_last = a.i("channels_last") != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Shape& s = ctx.in(0).shape();
    if (s.rank() < 3) return run_failed("pooling needs an input of rank 3 or more; got ", s);
    const Layout l = Layout::of(s, channels_last);
    return pool_as_float(ctx, channels_last, shape_of(s, channels_last, Shape::filled(s.rank() - 2, 1)),
                         [&](const float* x, float* y) { global_average(l.planes(), l.pixels, x, y); });
  }
};

struct NhwcMaxPool : Op {
  WindowAttrs window;

  Status init(Attrs& a) {
    OL_TRY(window.read(a));
    window.ceil_mode = a.i("ceil_mode") != 0;
    return window.kernel_shape.empty() ? invalid_graph("kernel_shape is required") : Status();
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 3) return run_failed("pooling needs an input of rank 3 or more; got ", x.shape());
    OL_ASSIGN(Window w, window.resolve(spatial_of(x.shape(), true), Shape(window.kernel_shape)));
    const Shape out = shape_of(x.shape(), true, w.out);
    const Layout from = Layout::of(x.shape(), true), to = Layout::of(out, true);
    OL_ASSIGN(uint8_t* in, ctx.scratch_of<uint8_t>(x.size()));
    OL_ASSIGN(uint8_t* pooled, ctx.scratch_of<uint8_t>(out.size()));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), out));
    for (int64_t p = 0; p < from.planes(); ++p) {
      for (int64_t i = 0; i < from.pixels; ++i) in[p * from.pixels + i] = x.data<uint8_t>()[from.at(p, i)];
    }
    if (x.dtype() == DType::kInt8) {
      pool_max(w, from.planes(), reinterpret_cast<const int8_t*>(in), reinterpret_cast<int8_t*>(pooled));
    } else {
      pool_max(w, from.planes(), static_cast<const uint8_t*>(in), pooled);
    }
    for (int64_t p = 0; p < to.planes(); ++p) {
      for (int64_t i = 0; i < to.pixels; ++i) y->mutable_data<uint8_t>()[to.at(p, i)] = pooled[p * to.pixels + i];
    }
    return {};
  }
};

const OpRow kContribRows[] = {
    {"QLinearAveragePool", 1, make<QLinearAveragePool>},
    {"QLinearGlobalAveragePool", 1, make<QLinearGlobalAveragePool>},
    {"NhwcMaxPool", 1, make<NhwcMaxPool>},
};

}  // namespace

extern const OpTable kPoolContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
