// com.microsoft: elementwise arithmetic, activations, data movement and means of 8-bit quantized tensors.
#include <algorithm>
#include <array>

#include "kernels/binary.h"
#include "kernels/broadcast.h"
#include "kernels/select.h"
#include "kernels/softmax.h"
#include "kernels/unary.h"
#include "ops/concat.h"
#include "ops/int_operands.h"

namespace onnxlet {
namespace {

Status check_8bit(DType type) {
  if (is_int8(type)) return {};
  return not_implemented("quantized elements must be uint8 or int8; they are ", type);
}

void look_up_all(const uint8_t* table, const Tensor& x, uint8_t* y) {
  const auto* src = static_cast<const uint8_t*>(x.raw());
  parallel_for(x.size(), grain_for(2),
               [&](int64_t begin, int64_t end) { look_up(table, src + begin, y + begin, end - begin); });
}

// What every byte of one quantization is in another, after `function` of a value (null: none).
struct ByteTable {
  uint8_t to[256];

  ByteTable(DType from_type, QuantParams from, DType to_type, QuantParams into, const UnaryKernel* function = nullptr,
            const float* params = nullptr) {
    float values[256];
    for (int i = 0; i < 256; ++i) to[i] = static_cast<uint8_t>(i);
    dequantize_8bit(from_type, to, from, values, 256);
    if (function) function->f32(values, values, 256, params);
    quantize_8bit(to_type, values, into, to, 256);
  }
  void apply(const Tensor& x, uint8_t* y) const { look_up_all(to, x, y); }
};

// y[i] = table[x[i]] of bytes, whatever they mean.
struct ByteTableOp : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &table = ctx.in(1);
    if (table.size() != 256) return run_failed("the table needs 256 elements; its shape is ", table.shape());
    OL_ASSIGN(Tensor * y, ctx.out(0, table.dtype(), x.shape()));
    look_up_all(static_cast<const uint8_t*>(table.raw()), x, static_cast<uint8_t*>(y->mutable_raw()));
    return {};
  }
};

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
    ByteTable(type, from, type, to, kernel, params.f).apply(x, y->mutable_data<uint8_t>());
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

// Inputs: the result's scale and zero point, then a tensor, its scale and its zero point, again and again.
struct QLinearConcat : Op {
  int64_t axis = 0;
  Status init(Attrs& a) {
    axis = a.i("axis");
    return {};
  }
  Status run(OpContext& ctx) const override {
    const int count = (ctx.input_count() - 2) / 3;
    if (count < 1 || ctx.input_count() != 2 + 3 * count) {
      return run_failed("every tensor needs a scale and a zero point behind it; there are ", ctx.input_count(),
                        " inputs");
    }
    const DType type = ctx.in(1).dtype();
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams into, quant_params(ctx, 0));
    std::vector<Tensor> converted(static_cast<size_t>(count));
    std::vector<const Tensor*> parts;
    for (int i = 0; i < count; ++i) {
      const Tensor& x = ctx.in(2 + 3 * i);
      OL_TRY(check_8bit(x.dtype()));
      OL_ASSIGN(const QuantParams from, quant_params(ctx, 3 + 3 * i));
      parts.push_back(&x);
      if (x.dtype() == type && from.scale == into.scale && from.zero_point == into.zero_point) continue;
      Tensor& own = converted[static_cast<size_t>(i)];
      OL_ASSIGN(own, Tensor::allocate(ctx.pool(), type, x.shape()));
      ByteTable(x.dtype(), from, type, into).apply(x, own.mutable_data<uint8_t>());
      parts.back() = &own;
    }
    return concat(ctx, parts, axis);
  }
};

// Inputs: condition, X, its scale and zero point, Y, its scale and zero point, the result's scale and zero point.
struct QLinearWhere : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& condition = ctx.in(0);
    const DType type = ctx.in(1).dtype();
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams into, quant_params(ctx, 7));
    OL_ASSIGN(const Shape both, broadcast(ctx.in(1).shape(), ctx.in(4).shape()));
    OL_ASSIGN(const Shape shape, broadcast(condition.shape(), both));
    uint8_t* sides[2];
    for (int i = 0; i < 2; ++i) {
      const Tensor& x = ctx.in(1 + 3 * i);
      OL_ASSIGN(const QuantParams from, quant_params(ctx, 2 + 3 * i));
      OL_ASSIGN(sides[i], ctx.scratch_of<uint8_t>(x.size()));
      ByteTable(type, from, type, into).apply(x, sides[i]);
    }
    OL_ASSIGN(Tensor * z, ctx.out(0, type, shape));
    where(type, shape, condition.data<bool>(), broadcast_strides(condition.shape(), shape), sides[0],
          broadcast_strides(ctx.in(1).shape(), shape), sides[1], broadcast_strides(ctx.in(4).shape(), shape),
          z->mutable_raw());
    return {};
  }
};

// Inputs: X, its scale and zero point, the result's.
struct QLinearSoftmax : Op {
  int64_t axis = -1;
  bool coerce_2d = false;  // the Softmax it replaces had an opset below 13: everything from `axis` on is one row
  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    coerce_2d = a.i("opset") < 13;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const DType type = x.dtype();
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams from, quant_params(ctx, 1));
    OL_ASSIGN(const QuantParams into, quant_params(ctx, 3));
    OL_ASSIGN(const int ax, normalize_axis(axis, x.rank()));
    Rows rows = split_at(x.shape(), ax);
    if (coerce_2d) rows = {rows.outer, rows.n * rows.inner, 1};
    OL_ASSIGN(Tensor * y, ctx.out(0, type, x.shape()));
    OL_ASSIGN(float* values, ctx.scratch_of<float>(x.size()));
    dequantize_8bit(type, x.raw(), from, values, x.size());
    softmax(false, values, rows.outer, rows.n, rows.inner, values);
    quantize_8bit(type, values, into, y->mutable_raw(), x.size());
    return {};
  }
};

// Inputs: X, its scale and zero point, the result's.
struct QLinearReduceMean : Op {
  std::vector<int64_t> axes;
  bool keepdims = true;
  Status init(Attrs& a) {
    axes = a.ints("axes");
    keepdims = a.i("keepdims", 1) != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const DType type = x.dtype();
    OL_TRY(check_8bit(type));
    OL_ASSIGN(const QuantParams from, quant_params(ctx, 1));
    OL_ASSIGN(const QuantParams into, quant_params(ctx, 3));
    OL_ASSIGN(std::vector<int> reduced, normalize_axes(axes, x.rank()));
    Shape kept = x.shape(), shape;
    for (int i = 0; i < x.rank(); ++i) {
      const bool gone = reduced.empty() || std::find(reduced.begin(), reduced.end(), i) != reduced.end();
      if (gone) kept[i] = 1;
      if (!gone || keepdims) shape.push_back(kept[i]);
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
    OL_ASSIGN(int64_t* sums, ctx.scratch_of<int64_t>(kept.size()));
    OL_ASSIGN(float* means, ctx.scratch_of<float>(kept.size()));
    std::fill_n(sums, kept.size(), 0);
    const bool is_signed = type == DType::kInt8;
    const auto* bytes = static_cast<const uint8_t*>(x.raw());
    const std::array<Shape, 2> strides{x.shape().strides(), broadcast_strides(kept, x.shape())};
    for (StridedIterator it(x.shape(), strides); x.size() != 0 && !it.done(); it.next()) {
      for (int64_t i = 0; i < it.inner(); ++i) {
        const uint8_t v = bytes[it.offset(0) + i * it.inner_stride(0)];
        sums[it.offset(1) + i * it.inner_stride(1)] += is_signed ? int64_t{static_cast<int8_t>(v)} : int64_t{v};
      }
    }
    const int64_t count = kept.size() == 0 ? 0 : x.size() / kept.size();
    for (int64_t i = 0; i < kept.size(); ++i) {
      const double sum = static_cast<double>(sums[i] - count * from.zero_point);
      means[i] = static_cast<float>(sum / static_cast<double>(std::max<int64_t>(count, 1))) * from.scale;
    }
    quantize_8bit(type, means, into, y->mutable_raw(), kept.size());
    return {};
  }
};

const OpRow kRows[] = {
    {"QLinearAdd", 1, make_qlinear_binary<kAddKernel>, kElementwise},
    {"QLinearConcat", 1, make<QLinearConcat>},
    {"QLinearLeakyRelu", 1, make_leaky_relu},
    {"QLinearMul", 1, make_qlinear_binary<kMulKernel>, kElementwise},
    {"QLinearReduceMean", 1, make<QLinearReduceMean>},
    {"QLinearSigmoid", 1, make_sigmoid},
    {"QLinearSoftmax", 1, make<QLinearSoftmax>},
    {"QLinearWhere", 1, make<QLinearWhere>},
};

const OpRow kByteTableRows[] = {
    {"ByteTable", 1, make<ByteTableOp>, kInPlace},
};

}  // namespace

extern const OpTable kQLinearOps{"com.microsoft", kRows};
extern const OpTable kByteTableOps{"onnxlet", kByteTableRows};

}  // namespace onnxlet
