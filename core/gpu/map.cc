// Operators that work element by element, with broadcasting: one shader, map.wgsl, which knows them by name.
#include <algorithm>
#include <limits>

#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int kMostDims = 8;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool is_wide(DType t) { return t == DType::kInt64 || t == DType::kUint64; }
bool is_real(DType t) { return t == DType::kFloat || t == DType::kFloat16; }
bool is_signed(DType t) {
  return t == DType::kInt64 || t == DType::kInt32 || t == DType::kInt16 || t == DType::kInt8 || is_real(t);
}
bool one_of(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

// Element types that an operator's formula is written for; moving ones take all.
bool has_formula(std::string_view op, DType t) {
  if (wgsl_type(t).empty()) return false;
  if (one_of(op, {"Where", "Cast", "Equal"})) return true;
  if (one_of(op, {"And", "Or", "Xor", "Not"})) return t == DType::kBool;
  const bool bitwise = one_of(op, {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "ShiftLeft", "ShiftRight"});
  if (is_real(t)) return !bitwise;
  if (t == DType::kBool) return false;
  if (op == "Pow") return !is_wide(t);
  if (one_of(op, {"Abs", "Neg", "Sign"})) return is_signed(t);
  return bitwise || one_of(op, {"Add", "Sub", "Mul", "Div", "Mod", "Fmod", "Min", "Max", "Less", "Greater",
                                "LessOrEqual", "GreaterOrEqual"});
}

}  // namespace

Answer map(Context& ctx, const MapCall& call, const Shape& shape, DeviceBufferPtr out) {
  static constexpr std::string_view kTypeNames[] = {"A", "B", "C"};
  Shape dims = shape;
  std::vector<Shape> strides;
  bool flat = true;
  for (const Operand& o : call.operands) {
    if (!has_formula(call.op, o.dtype)) return Answer::kDeclined;
    flat = flat && o.shape == shape;
    strides.push_back(broadcast_strides(o.shape, shape));
  }
  collapse_dims(&dims, strides);
  if (dims.rank() > kMostDims || wgsl_type(call.out).empty()) return Answer::kDeclined;
  const DType first = call.operands.front().dtype, last = call.operands.back().dtype;
  Shader shader("map");
  shader.set("OP", call.op).set("O", wgsl_type(call.out)).set("FLAT", flat);
  if (is_wide(first) || is_wide(last)) {
    shader.set("SIGNED", is_signed(is_wide(first) ? first : last) ? "true" : "false");
    shader.set("WIDE", is_wide(first) && call.op != "Cast");
  }
  if (!is_real(first)) shader.set("WHOLE", 1);
  Uniforms uniforms;
  uniforms.u(shape.size()).u(dims.rank()).f(call.alpha).f(call.beta);
  if (!flat) uniforms.dims(dims, 2);
  std::vector<DeviceBufferPtr> buffers;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    shader.set(kTypeNames[i], wgsl_type(call.operands[i].dtype));
    if (!flat) uniforms.dims(strides[i], 2);
    buffers.push_back(call.operands[i].buffer);
  }
  buffers.push_back(std::move(out));
  ctx.dispatch(shader, buffers, uniforms, invocations_for(call.out, shape.size()));
  return Answer::kDone;
}

namespace {

// Output 0 of these inputs.
Result<Answer> map_inputs(Context& ctx, std::string_view op, int count, DType out_type, float alpha = 0,
                          float beta = 0) {
  MapCall call{op, {}, out_type, alpha, beta};
  Shape shape = ctx.in(0).shape();
  for (int i = 0; i < count; ++i) {
    const Shape before = shape;
    if (!broadcast_shapes(before, ctx.in(i).shape(), &shape) || !has_formula(op, ctx.in(i).dtype())) {
      return Answer::kDeclined;
    }
  }
  if (wgsl_type(out_type).empty()) return Answer::kDeclined;
  for (int i = 0; i < count; ++i) call.operands.push_back(operand(ctx, i));
  OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, out_type, shape));
  return map(ctx, call, shape, std::move(out));
}

// What each operator calls its two numbers, if it has them.
struct Parameters {
  std::string_view op, alpha, beta;
  float alpha_default = 0, beta_default = 0;
};
constexpr Parameters kParameters[] = {
    {"LeakyRelu", "alpha", {}, 0.01f},
    {"Elu", "alpha", {}, 1},
    {"Celu", "alpha", {}, 1},
    {"Swish", "alpha", {}, 1},
    {"QuickGelu", "alpha", {}, 1.702f},
    {"ThresholdedRelu", "alpha", {}, 1},
    {"HardSigmoid", "alpha", "beta", 0.2f, 0.5f},
    {"Selu", "alpha", "gamma", 1.67326319217681884765625f, 1.05070102214813232421875f},
    {"Shrink", "lambd", "bias", 0.5f, 0},
};

// f(x), of the same type.
struct Unary : Kernel {
  std::string op;
  float alpha = 0, beta = 0;

  Status init(Attrs& a) {
    op = a.op_type();
    if (op == "Gelu" && a.s("approximate", "none") == "tanh") op = "GeluTanh";
    for (const Parameters& p : kParameters) {
      if (p.op != op) continue;
      alpha = a.f(p.alpha, p.alpha_default);
      if (!p.beta.empty()) beta = a.f(p.beta, p.beta_default);
    }
    return {};
  }
  Result<Answer> run(Context& ctx) const override { return map_inputs(ctx, op, 1, ctx.in(0).dtype(), alpha, beta); }
};

// IsNaN and IsInf, whose two numbers say whether infinities of either sign count.
struct Predicate : Kernel {
  std::string op;
  bool positive = true, negative = true;

  Status init(Attrs& a) {
    op = a.op_type();
    if (op == "IsInf") positive = a.i("detect_positive", 1) != 0, negative = a.i("detect_negative", 1) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    if (!is_real(ctx.in(0).dtype())) return Answer::kDeclined;
    return map_inputs(ctx, op, 1, DType::kBool, positive ? 1.0f : 0, negative ? 1.0f : 0);
  }
};

struct Clip : Kernel {
  Result<Answer> run(Context& ctx) const override {
    if (ctx.in(0).dtype() != DType::kFloat) return Answer::kDeclined;
    float bounds[] = {-kInfinity, kInfinity};
    for (int i = 1; i <= 2; ++i) {
      if (!ctx.has(i)) continue;
      if (!ctx.is_here(i) || ctx.in(i).size() != 1) return Answer::kDeclined;
      bounds[i - 1] = *ctx.in(i).data<float>();
    }
    return map_inputs(ctx, "Clip", 1, DType::kFloat, bounds[0], bounds[1]);
  }
};

struct Cast : Kernel {
  DType to = DType::kFloat;
  Status init(Attrs& a) {
    to = a.dtype("to");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    if (to == ctx.in(0).dtype()) return ctx.alias(0, 0, ctx.in(0).shape()), Answer::kDone;
    return map_inputs(ctx, "Cast", 1, to);
  }
};

// To the type of a second input.
struct CastLike : Kernel {
  bool takes_empty() const override { return true; }  // that input: its elements do not matter
  Result<Answer> run(Context& ctx) const override {
    const DType to = ctx.in(1).dtype();
    if (ctx.in(0).size() == 0) return Answer::kDeclined;
    if (to == ctx.in(0).dtype()) return ctx.alias(0, 0, ctx.in(0).shape()), Answer::kDone;
    return map_inputs(ctx, "Cast", 1, to);
  }
};

// f(a, b): of their type, or a truth value.
template <bool kTruth>
struct Binary : Kernel {
  std::string op;
  bool legacy = false;  // before numpy's broadcasting

  Status init(Attrs& a) {
    op = a.op_type();
    legacy = a.has("broadcast") || a.has("axis");
    if (op == "Mod") op = a.i("fmod") != 0 ? "Fmod" : "Mod";
    if (op == "BitShift") op = a.s("direction") == "LEFT" ? "ShiftLeft" : "ShiftRight";
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const DType a = ctx.in(0).dtype(), b = ctx.in(1).dtype();
    // Powers may have exponents of another type, but not broken ones of whole numbers.
    const bool types = a == b || (op == "Pow" && (is_real(a) || !is_real(b)));
    if (legacy || !types) return Answer::kDeclined;
    const DType out = kTruth ? DType::kBool : a;
    return map_inputs(ctx, op, 2, out);
  }
};

struct Where : Kernel {
  Result<Answer> run(Context& ctx) const override { return map_inputs(ctx, "Where", 3, ctx.in(1).dtype()); }
};

// Max, Min, Sum, Mean of any number of inputs: two at a time.
struct Variadic : Kernel {
  std::string op;
  bool mean = false;
  Status init(Attrs& a) {
    mean = a.op_type() == "Mean";
    op = mean || a.op_type() == "Sum" ? "Add" : a.op_type();
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const int n = ctx.input_count();
    const DType t = ctx.in(0).dtype();
    if (n == 1) return ctx.alias(0, 0, ctx.in(0).shape()), Answer::kDone;
    if (n == 2 && !mean) return map_inputs(ctx, op, 2, t);
    if (!has_formula(op, t)) return Answer::kDeclined;
    Shape shape;
    for (int i = 0; i < n; ++i) {
      const Shape before = shape;
      if (!broadcast_shapes(before, ctx.in(i).shape(), &shape)) return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, t, shape));
    const auto bytes = static_cast<uint64_t>(shape.size()) * element_size(t);
    Operand sum = operand(ctx, 0);
    for (int i = 1; i < n; ++i) {
      DeviceBufferPtr to = i + 1 < n || mean ? ctx.scratch(bytes) : out;
      if (map(ctx, {op, {sum, operand(ctx, i)}, t}, shape, to) == Answer::kDeclined) return Answer::kDeclined;
      sum = {std::move(to), t, shape};
    }
    if (mean) return map(ctx, {"Affine", {sum}, t, 1.0f / static_cast<float>(n)}, shape, std::move(out));
    return Answer::kDone;
  }
};

// BiasGelu, FastGelu and Gelu of com.microsoft.
struct ContribGelu : Kernel {
  std::string op;
  Status init(Attrs& a) {
    op = a.op_type() == "FastGelu" ? "GeluTanh" : "Gelu";
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    if (!ctx.has(1)) return map_inputs(ctx, op, 1, ctx.in(0).dtype());
    return map_inputs(ctx, "Bias" + op, 2, ctx.in(0).dtype());
  }
};

constexpr std::string_view kMicrosoft = "com.microsoft";

const Row kRows[] = {
    {"", "Abs", 6, make<Unary>},
    {"", "Acos", 7, make<Unary>},
    {"", "Acosh", 9, make<Unary>},
    {"", "Asin", 7, make<Unary>},
    {"", "Asinh", 9, make<Unary>},
    {"", "Atan", 7, make<Unary>},
    {"", "Atanh", 9, make<Unary>},
    {"", "Ceil", 6, make<Unary>},
    {"", "Celu", 12, make<Unary>},
    {"", "Cos", 7, make<Unary>},
    {"", "Cosh", 9, make<Unary>},
    {"", "Elu", 6, make<Unary>},
    {"", "Erf", 9, make<Unary>},
    {"", "Exp", 6, make<Unary>},
    {"", "Floor", 6, make<Unary>},
    {"", "Gelu", 20, make<Unary>},
    {"", "HardSigmoid", 6, make<Unary>},
    {"", "HardSwish", 14, make<Unary>},
    {"", "LeakyRelu", 6, make<Unary>},
    {"", "Log", 6, make<Unary>},
    {"", "Mish", 18, make<Unary>},
    {"", "Neg", 6, make<Unary>},
    {"", "Not", 1, make<Unary>},
    {"", "Reciprocal", 6, make<Unary>},
    {"", "Relu", 6, make<Unary>},
    {"", "Round", 11, make<Unary>},
    {"", "Selu", 6, make<Unary>},
    {"", "Shrink", 9, make<Unary>},
    {"", "Sigmoid", 6, make<Unary>},
    {"", "Sign", 9, make<Unary>},
    {"", "Sin", 7, make<Unary>},
    {"", "Sinh", 9, make<Unary>},
    {"", "Softplus", 1, make<Unary>},
    {"", "Softsign", 1, make<Unary>},
    {"", "Sqrt", 6, make<Unary>},
    {"", "Swish", 24, make<Unary>},
    {"", "Tan", 7, make<Unary>},
    {"", "Tanh", 6, make<Unary>},
    {"", "ThresholdedRelu", 10, make<Unary>},
    {kMicrosoft, "QuickGelu", 1, make<Unary>},
    {kMicrosoft, "BiasGelu", 1, make<ContribGelu>},
    {kMicrosoft, "FastGelu", 1, make<ContribGelu>},
    {kMicrosoft, "Gelu", 1, make<ContribGelu>},
    {"", "IsInf", 10, make<Predicate>},
    {"", "IsNaN", 9, make<Predicate>},
    {"", "Clip", 1, make<Clip>},
    {"", "Cast", 6, make<Cast>},
    {"", "CastLike", 15, make<CastLike>},
    {"", "Add", 7, make<Binary<false>>},
    {"", "Sub", 7, make<Binary<false>>},
    {"", "Mul", 7, make<Binary<false>>},
    {"", "Div", 7, make<Binary<false>>},
    {"", "Pow", 7, make<Binary<false>>},
    {"", "PRelu", 9, make<Binary<false>>},
    {"", "Mod", 10, make<Binary<false>>},
    {"", "BitShift", 11, make<Binary<false>>},
    {"", "BitwiseAnd", 18, make<Binary<false>>},
    {"", "BitwiseOr", 18, make<Binary<false>>},
    {"", "BitwiseXor", 18, make<Binary<false>>},
    {"", "BitwiseNot", 18, make<Unary>},
    {"", "And", 7, make<Binary<true>>},
    {"", "Or", 7, make<Binary<true>>},
    {"", "Xor", 7, make<Binary<true>>},
    {"", "Equal", 7, make<Binary<true>>},
    {"", "Greater", 7, make<Binary<true>>},
    {"", "GreaterOrEqual", 12, make<Binary<true>>},
    {"", "Less", 7, make<Binary<true>>},
    {"", "LessOrEqual", 12, make<Binary<true>>},
    {"", "Where", 9, make<Where>},
    {"", "Max", 8, make<Variadic>},
    {"", "Min", 8, make<Variadic>},
    {"", "Sum", 8, make<Variadic>},
    {"", "Mean", 8, make<Variadic>},
};

}  // namespace

Table map_rows() { return kRows; }

}  // namespace onnxlet::gpu
