// com.microsoft: arithmetic and activations on 8-bit quantized tensors.
#include <cmath>

#include "kernels/binary.h"
#include "kernels/broadcast.h"
#include "kernels/convert.h"
#include "kernels/quantize.h"
#include "kernels/unary.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// Scale at input i, zero point (optional) at i + 1: one element each.
Result<QuantParams> quant_params(const OpContext& ctx, int i) {
  QuantParams p;
  OL_ASSIGN(const double scale, to_double(ctx.in(i), "scale"));
  p.scale = static_cast<float>(scale);
  if (const Tensor* zero = ctx.opt(i + 1)) {
    OL_ASSIGN(const double z, to_double(*zero, "zero point"));
    p.zero_point = static_cast<int32_t>(z);
  }
  return p;
}

Status check_8bit(DType type) {
  if (type == DType::kUint8 || type == DType::kInt8) return {};
  return not_implemented("quantized elements must be uint8 or int8; they are ", type);
}

// Inputs: A, its scale and zero point, B, its scale and zero point, the result's scale and zero point.
struct QLinearBinary : Op {
  const BinaryKernel* kernel;
  Status run(OpContext& ctx) const override {
    const ConstView operands[] = {ctx.in(0).view(), ctx.in(3).view()};
    const DType type = operands[0].dtype;
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams a, quant_params(ctx, 1));
    OL_ASSIGN(const QuantParams b, quant_params(ctx, 4));
    OL_ASSIGN(const QuantParams c, quant_params(ctx, 6));
    OL_ASSIGN(const Shape shape, broadcast(operands[0].shape, operands[1].shape));
    OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
    uint8_t* to = y->mutable_data<uint8_t>();
    broadcast_runs(operands, shape, true, 8, [&](const void* const* in, int64_t at, int64_t n) {
      float left[kBroadcastRun], right[kBroadcastRun];
      dequantize_8bit(type, in[0], a, left, n);
      dequantize_8bit(type, in[1], b, right, n);
      apply_binary_run(*kernel, DType::kFloat, left, right, left, n);
      quantize_8bit(type, left, c, to + at, n);
    });
    return {};
  }
};

template <const BinaryKernel& kKernel>
Result<OpPtr> make_qlinear_binary(Attrs&) {
  auto op = std::make_unique<QLinearBinary>();
  op->kernel = &kKernel;
  return OpPtr(std::move(op));
}

// Inputs: X, its scale and zero point, the result's. A function of a byte is a table of 256.
struct QLinearUnary : Op {
  const UnaryKernel* kernel;
  UnaryParams params;
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const DType type = x.dtype();
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams from, quant_params(ctx, 1));
    OL_ASSIGN(const QuantParams to, quant_params(ctx, 3));
    OL_ASSIGN(Tensor * y, ctx.out(0, type, x.shape()));
    uint8_t table[256];
    float values[256];
    for (int i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(i);
    dequantize_8bit(type, table, from, values, 256);
    kernel->f32(values, values, 256, params.f);
    quantize_8bit(type, values, to, table, 256);
    const uint8_t* src = x.data<uint8_t>();
    uint8_t* dst = y->mutable_data<uint8_t>();
    parallel_for(x.size(), grain_for(2),
                 [&](int64_t begin, int64_t end) { look_up(table, src + begin, dst + begin, end - begin); });
    return {};
  }
};

Result<OpPtr> make_leaky_relu(Attrs& attrs) {
  auto op = std::make_unique<QLinearUnary>();
  op->kernel = &kLeakyReluKernel;
  op->params.set(0, attrs.f("alpha", 0.01f));
  return OpPtr(std::move(op));
}
Result<OpPtr> make_sigmoid(Attrs&) {
  auto op = std::make_unique<QLinearUnary>();
  op->kernel = &kSigmoidKernel;
  return OpPtr(std::move(op));
}

const OpRow kRows[] = {
    {"QLinearAdd", 1, make_qlinear_binary<kAddKernel>},
    {"QLinearLeakyRelu", 1, make_leaky_relu},
    {"QLinearMul", 1, make_qlinear_binary<kMulKernel>},
    {"QLinearSigmoid", 1, make_sigmoid},
};

}  // namespace

extern const OpTable kQLinearOps{"com.microsoft", kRows};

}  // namespace onnxlet
