// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: quantize.wgsl, range.wgsl. Operators of com.microsoft
// between levels, which are done in float: map.wgsl.
#include "gpu/parts.h"
#include "ops/scale_layout.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kParts = 64;  // groups that look for a range

bool is_level(DType t) {
  switch (t) {
    case DType::kUint8:
    case DType::kInt8:
    case DType::kUint16:
    case DType::kInt16:
    case DType::kUint4:
    case DType::kInt4:
      return true;
    default:
      return false;
  }
}

}  // namespace

void quantize(Context& ctx, const QuantizeCall& call, DType out_type, DeviceBufferPtr out) {
  const ScaleLayout& l = call.layout;
  const bool of_sums = call.input_scale != nullptr;
  Shader shader("quantize");
  shader.set("KIND", of_sums ? "requantize" : out_type == DType::kFloat ? "dequantize" : "quantize");
  shader.set("X", wgsl_type(call.x.dtype)).set("S", "f32").set("O", wgsl_type(out_type));
  std::vector<DeviceBufferPtr> buffers{call.x.buffer, call.scale.buffer};
  if (of_sums) {
    buffers.push_back(call.input_scale);
    buffers.push_back(call.output_scale);
    shader.set("BIAS", call.bias != nullptr);
    if (call.bias != nullptr) buffers.push_back(call.bias);
  }
  if (call.zero) {
    shader.set("Z", wgsl_type(call.zero->dtype));
    buffers.push_back(call.zero->buffer);
  }
  buffers.push_back(std::move(out));
  const int64_t bits = dtype_bits(out_type), levels = int64_t{1} << (bits > 16 ? 0 : bits);
  const int64_t low = is_signed_integer(out_type) ? -levels / 2 : 0;
  Uniforms u;
  u.u(l.outer * l.axis * l.inner).u(l.axis).u(l.inner).u(l.block).u(l.outer_step).u(l.axis_step).u(l.inner_step);
  u.f(static_cast<float>(low)).f(static_cast<float>(low + levels - 1));
  ctx.dispatch(shader, buffers, u, invocations_for(out_type, l.outer * l.axis * l.inner));
}

namespace {

struct Linear : Kernel {
  bool dequantizes = false;
  int64_t axis = 1, block = 0;
  DType output = DType::kUndefined, precision = DType::kUndefined;

  Status init(Attrs& a) {
    dequantizes = a.op_type() == "DequantizeLinear";
    axis = a.i("axis", 1);
    block = a.i("block_size", 0);
    output = a.dtype("output_dtype");
    if (!dequantizes) precision = a.dtype("precision");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &scale = ctx.in(1);
    const Tensor* zero = ctx.opt(2);
    const DType number = dequantizes ? (output == DType::kUndefined ? scale.dtype() : output) : x.dtype();
    const DType given = output == DType::kUndefined ? DType::kUint8 : output;
    const DType level = dequantizes ? x.dtype() : zero != nullptr ? zero->dtype() : given;
    // float16 is rounded on the way, which the CPU does.
    if (number != DType::kFloat || scale.dtype() != DType::kFloat || precision == DType::kFloat16 ||
        precision == DType::kBFloat16 || !(is_level(level) || (dequantizes && level == DType::kInt32)) ||
        (zero != nullptr && (zero->size() != scale.size() || zero->dtype() != level)) ||
        (!dequantizes && output != DType::kUndefined && output != level)) {
      return Answer::kDeclined;
    }
    QuantizeCall call{operand(ctx, 0), operand(ctx, 1)};
    OL_ASSIGN(call.layout, scale_layout(x.shape(), scale.shape(), axis, block));
    if (zero != nullptr) call.zero = operand(ctx, 2);
    const DType type = dequantizes ? DType::kFloat : level;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, type, x.shape()));
    quantize(ctx, call, type, std::move(out));
    return Answer::kDone;
  }
};

struct DynamicQuantizeLinear : Kernel {
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kUint8, x.shape()));
    OL_ASSIGN(DeviceBufferPtr scale, ctx.out(1, DType::kFloat, Shape()));
    OL_ASSIGN(DeviceBufferPtr zero, ctx.out(2, DType::kUint8, Shape()));
    const DeviceBufferPtr parts = ctx.scratch(kParts * 2 * sizeof(float));
    const Uniforms u = Uniforms().u(x.size());
    const auto dispatch = [&](std::string_view kind, const DeviceBufferPtr& from, const DeviceBufferPtr& to,
                              uint32_t groups) {
      const DeviceBufferPtr buffers[] = {from, to};
      ctx.dispatch(Shader("range").set("KIND", kind), buffers, u, Groups{groups, 1, 1});
    };
    dispatch("parts", ctx.buffer(0), parts, kParts);
    dispatch("scale", parts, scale, 1);
    dispatch("zero_point", parts, zero, 1);
    QuantizeCall call{operand(ctx, 0), {scale, DType::kFloat, Shape()}};
    call.zero = Operand{zero, DType::kUint8, Shape()};
    call.layout = scale_per_tensor(x.size());
    quantize(ctx, call, DType::kUint8, std::move(out));
    return Answer::kDone;
  }
};

// f(x) or f(x, y) of levels; the scale and the zero point of each follow it, and those of the result come last.
struct OfLevels : Kernel {
  std::string_view op;
  int count = 1;
  float alpha = 0;

  Status init(Attrs& a) {
    const std::string_view name = a.op_type();
    op = name == "QLinearAdd"       ? "Add"
         : name == "QLinearMul"     ? "Mul"
         : name == "QLinearSigmoid" ? "Sigmoid"
                                    : "LeakyRelu";
    count = op == "Add" || op == "Mul" ? 2 : 1;
    if (op == "LeakyRelu") alpha = a.f("alpha", 0.01f);
    return {};
  }
  static bool fits(const Context& ctx, int scale) {
    return ctx.in(scale).dtype() == DType::kFloat && ctx.in(scale).size() == 1 &&
           (!ctx.has(scale + 1) || ctx.in(scale + 1).size() == 1);
  }
  static QuantizeCall call_of(Context& ctx, Operand x, int scale) {
    QuantizeCall call{std::move(x), operand(ctx, scale)};
    if (ctx.has(scale + 1)) call.zero = operand(ctx, scale + 1);
    call.layout = scale_per_tensor(call.x.shape.size());
    return call;
  }
  Result<Answer> run(Context& ctx) const override {
    const DType level = ctx.in(0).dtype();
    MapCall call{op, {}, DType::kFloat, alpha};
    Shape shape = ctx.in(0).shape();
    if (level != DType::kUint8 && level != DType::kInt8) return Answer::kDeclined;
    for (int i = 0; i <= count; ++i) {
      const Shape before = shape;
      if (!fits(ctx, i == count ? 3 * count : 3 * i + 1)) return Answer::kDeclined;
      if (i < count && !broadcast_shapes(before, ctx.in(3 * i).shape(), &shape)) return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, level, shape));
    for (int i = 0; i < count; ++i) {
      const Shape& dims = ctx.in(3 * i).shape();
      call.operands.push_back({ctx.scratch(static_cast<uint64_t>(dims.size()) * sizeof(float)), DType::kFloat, dims});
      quantize(ctx, call_of(ctx, operand(ctx, 3 * i), 3 * i + 1), DType::kFloat, call.operands.back().buffer);
    }
    Operand result{ctx.scratch(static_cast<uint64_t>(shape.size()) * sizeof(float)), DType::kFloat, shape};
    if (map(ctx, call, shape, result.buffer) == Answer::kDeclined) return Answer::kDeclined;
    quantize(ctx, call_of(ctx, std::move(result), 3 * count), level, std::move(out));
    return Answer::kDone;
  }
};

constexpr std::string_view kMicrosoft = "com.microsoft";

const Row kRows[] = {
    {"", "DequantizeLinear", 10, make<Linear>},
    {"", "QuantizeLinear", 10, make<Linear>},
    {"", "DynamicQuantizeLinear", 11, make<DynamicQuantizeLinear>},
    {kMicrosoft, "DequantizeLinear", 1, make<Linear>},
    {kMicrosoft, "QuantizeLinear", 1, make<Linear>},
    {kMicrosoft, "QLinearAdd", 1, make<OfLevels>},
    {kMicrosoft, "QLinearMul", 1, make<OfLevels>},
    {kMicrosoft, "QLinearSigmoid", 1, make<OfLevels>},
    {kMicrosoft, "QLinearLeakyRelu", 1, make<OfLevels>},
};

}  // namespace

Table quantize_rows() { return kRows; }

}  // namespace onnxlet::gpu
