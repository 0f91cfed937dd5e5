// Linear quantization per tensor, per axis and in blocks, and the quantization parameters of a tensor met at run time.
#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>

#include "kernels/dynamic_quantize.h"
#include "ops/scale_layout.h"

namespace onnxlet {

Result<ScaleLayout> scale_layout(const Shape& x, const Shape& scale, int64_t axis, int64_t block) {
  if (scale.rank() == 0 || (scale.size() == 1 && block == 0)) return scale_per_tensor(x.size());
  OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
  const Rows rows = split_at(x, at);
  if (scale.rank() == 1 && block == 0) {
    if (scale[0] != x[at]) {
      return run_failed("a scale per index of axis ", at, " needs ", x[at], " elements; it has ", scale[0]);
    }
    return scale_per_axis(rows);
  }
  if (block < 0 || scale.rank() != x.rank()) {
    return run_failed("the scale must be a scalar, 1-D, or blocked like X ", x, "; its shape is ", scale,
                      ", block_size ", block);
  }
  const int64_t length = block != 0 ? block : scale[at] > 0 ? (x[at] + scale[at] - 1) / scale[at] : 1;
  Shape expected = x;
  expected[at] = (x[at] + length - 1) / length;
  if (!(expected == scale)) {
    return run_failed("blocks of ", length, " along axis ", at, " of ", x, " need a scale of shape ", expected,
                      "; it is ", scale);
  }
  return scale_blocked(rows, length);
}

namespace {

Result<ConstView> zero_point_of(const OpContext& ctx, const Shape& scale) {
  const Tensor* zero = ctx.opt(2);
  if (zero == nullptr) return ConstView();
  if (zero->size() != scale.size()) {
    return run_failed("zero point and scale must have one shape; they are ", zero->shape(), " and ", scale);
  }
  return zero->view();
}

struct QuantizeLinear : Op {
  int64_t axis, block;
  bool saturate;
  DType output, precision;
  Status init(Attrs& a) {
    axis = a.i("axis", 1);
    block = a.i("block_size", 0);
    saturate = a.i("saturate", 1) != 0;
    output = a.dtype("output_dtype");
    precision = a.dtype("precision");
    return {};
  }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view(), scale = ctx.in(1).view();
    OL_ASSIGN(const ScaleLayout layout, scale_layout(x.shape, scale.shape, axis, block));
    OL_ASSIGN(const ConstView zero, zero_point_of(ctx, scale.shape));
    DType type = output == DType::kUndefined ? DType::kUint8 : output;
    if (zero.data != nullptr || zero.dtype != DType::kUndefined) type = zero.dtype;
    if (output != DType::kUndefined && type != output) {
      return invalid_graph("output_dtype is ", output, ", but the zero point is ", type);
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, type, x.shape));
    quantize(x, scale, zero, layout, precision != DType::kUndefined ? precision : scale.dtype, saturate,
             y->mutable_view());
    return {};
  }
};

struct DequantizeLinear : Op {
  int64_t axis, block;
  DType output;
  Status init(Attrs& a) {
    axis = a.i("axis", 1);
    block = a.i("block_size", 0);
    output = a.dtype("output_dtype");
    return {};
  }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view(), scale = ctx.in(1).view();
    OL_ASSIGN(const ScaleLayout layout, scale_layout(x.shape, scale.shape, axis, block));
    OL_ASSIGN(const ConstView zero, zero_point_of(ctx, scale.shape));
    OL_ASSIGN(Tensor * y, ctx.out(0, output != DType::kUndefined ? output : scale.dtype, x.shape));
    dequantize(x, scale, zero, layout, y->mutable_view());
    return {};
  }
};

struct DynamicQuantizeLinear : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y_scale, ctx.out(1, DType::kFloat, Shape()));
    OL_ASSIGN(Tensor * y_zero, ctx.out(2, DType::kUint8, Shape()));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kUint8, x.shape()));
    dynamic_quantize(x.data<float>(), x.size(), y->mutable_data<uint8_t>(), y_scale->mutable_data<float>(),
                     y_zero->mutable_data<uint8_t>());
    return {};
  }
};

const OpRow kRows[] = {
    {"DequantizeLinear", 10, make<DequantizeLinear>},
    {"DynamicQuantizeLinear", 11, make<DynamicQuantizeLinear>},
    {"QuantizeLinear", 10, make<QuantizeLinear>},
};
// The same operators under onnxruntime's domain.
const OpRow kContribRows[] = {
    {"DequantizeLinear", 1, make<DequantizeLinear>},
    {"QuantizeLinear", 1, make<QuantizeLinear>},
};

}  // namespace

extern const OpTable kQuantizeOps{"", kRows};
extern const OpTable kQuantizeContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
