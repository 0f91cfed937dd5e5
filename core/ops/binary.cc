// Arithmetic, comparison and logic on two broadcast operands.
#include "kernels/binary.h"

#include "ops/op.h"

namespace onnxlet {
namespace {

// Before opset 7 B was aligned with A by an attribute, and only where `broadcast` said so.
struct LegacyBroadcast {
  bool active = false, enabled = false, has_axis = false;
  int64_t axis = 0;

  void init(Attrs& a) {
    a.ignore("consumed_inputs");
    active = a.since_version() < 7 && a.opset_version() < 7;
    if (!active) return;
    enabled = a.i("broadcast", 0) != 0;
    has_axis = a.has("axis");
    axis = a.i("axis", 0);
  }
  // The shape of B with ones appended, so that numpy's rule lines it up.
  Result<Shape> align(const Shape& a, const Shape& b) const {
    if (!active || a == b || b.size() == 1) return b;
    if (!enabled) return invalid_graph("operands of one shape are needed where broadcast is 0; A is ", a, ", B ", b);
    if (!has_axis) return b;
    OL_ASSIGN(const int at, normalize_axis(axis, a.rank()));
    if (at + b.rank() > a.rank()) return run_failed("B of shape ", b, " does not fit into A ", a, " from axis ", at);
    Shape aligned = b;
    while (at + aligned.rank() < a.rank()) aligned.push_back(1);
    return aligned;
  }
};

struct Operands {
  ConstView a, b;
  Shape out;
};
Result<Operands> operands(OpContext& ctx, const LegacyBroadcast& legacy) {
  Operands o{ctx.in(0).view(), ctx.in(1).view(), {}};
  OL_ASSIGN(o.b.shape, legacy.align(o.a.shape, o.b.shape));
  if (legacy.active && o.b.size() == 1) o.b.shape = Shape();
  OL_ASSIGN(o.out, broadcast(o.a.shape, o.b.shape));
  return o;
}

struct BinaryOp : Op {
  const BinaryKernel* kernel;
  LegacyBroadcast legacy;

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Operands o, operands(ctx, legacy));
    if (trim::keeps_type(DType::kString) && o.a.dtype == DType::kString) return compare_strings(ctx, o);
    if (!supports(*kernel, o.a.dtype)) return not_implemented("element type ", o.a.dtype, " is not supported here");
    OL_ASSIGN(Tensor * y, ctx.out(0, kernel->predicate ? DType::kBool : o.a.dtype, o.out));
    ctx.set_kernel(kernel->name);
    apply_binary(*kernel, o.a, o.b, y->mutable_view());
    return {};
  }

  Status compare_strings(OpContext& ctx, const Operands& o) const {
    if (kernel != &kEqualKernel) return not_implemented("strings can be compared for equality only");
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, o.out));
    bool* to = y->mutable_data<bool>();
    Shape dims = o.out;
    Shape strides[] = {broadcast_strides(o.a.shape, dims), broadcast_strides(o.b.shape, dims)};
    collapse_dims(&dims, strides);
    for (StridedIterator it(dims, strides); !it.done(); it.next()) {
      for (int64_t i = 0; i < it.inner(); ++i) {
        const std::string& a = o.a.as<std::string>()[it.offset(0) + i * it.inner_stride(0)];
        const std::string& b = o.b.as<std::string>()[it.offset(1) + i * it.inner_stride(1)];
        *to++ = a == b;
      }
    }
    return {};
  }
};

template <const BinaryKernel& kKernel>
Result<OpPtr> make_binary(Attrs& attrs) {
  auto op = std::make_unique<BinaryOp>();
  op->kernel = &kKernel;
  op->legacy.init(attrs);
  return OpPtr(std::move(op));
}

// The slope lines up by numpy's rule from opset 7 on; before, one slope per channel (axis 1), or one for all.
struct PRelu : Op {
  bool per_channel;
  Status init(Attrs& a) {
    a.ignore("consumed_inputs");
    per_channel = a.since_version() < 7;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const ConstView x = ctx.in(0).view();
    ConstView slope = ctx.in(1).view();
    if (per_channel && slope.size() == 1) slope.shape = Shape();
    if (per_channel && slope.shape.rank() == 1 && x.shape.rank() > 1 && slope.shape[0] == x.shape[1]) {
      while (slope.shape.rank() < x.shape.rank() - 1) slope.shape.push_back(1);
    }
    OL_ASSIGN(const Shape shape, broadcast(x.shape, slope.shape));
    if (!(shape == x.shape)) {
      return run_failed("PRelu: slope of shape ", slope.shape, " does not broadcast to X, which is ", x.shape);
    }
    if (!supports(kPReluKernel, x.dtype)) return not_implemented("element type ", x.dtype, " is not supported here");
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype, x.shape));
    apply_binary(kPReluKernel, x, slope, y->mutable_view());
    return {};
  }
};

struct Pow : Op {
  LegacyBroadcast legacy;
  Status init(Attrs& a) {
    legacy.init(a);
    return {};
  }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Operands o, operands(ctx, legacy));
    OL_ASSIGN(Tensor * y, ctx.out(0, o.a.dtype, o.out));
    apply_pow(o.a, o.b, y->mutable_view());
    return {};
  }
};

Result<OpPtr> make_mod(Attrs& attrs) {
  const int64_t fmod = attrs.i("fmod", 0);
  if (fmod != 0 && fmod != 1) return invalid_graph("Mod: fmod must be 0 or 1; it is ", fmod);
  return fmod != 0 ? make_binary<kTruncModKernel>(attrs) : make_binary<kFloorModKernel>(attrs);
}

Result<OpPtr> make_bit_shift(Attrs& attrs) {
  const std::string_view direction = attrs.s("direction");
  if (direction == "LEFT") return make_binary<kShiftLeftKernel>(attrs);
  if (direction == "RIGHT") return make_binary<kShiftRightKernel>(attrs);
  return invalid_graph("BitShift: direction must be LEFT or RIGHT; it is ", direction);
}

const OpRow kRows[] = {
    {"Add", 1, make_binary<kAddKernel>, kInPlace | kElementwise},
    {"And", 1, make_binary<kAndKernel>, kInPlace | kElementwise},
    {"BitShift", 11, make_bit_shift, kInPlace | kElementwise},
    {"BitwiseAnd", 18, make_binary<kBitwiseAndKernel>, kInPlace | kElementwise},
    {"BitwiseOr", 18, make_binary<kBitwiseOrKernel>, kInPlace | kElementwise},
    {"BitwiseXor", 18, make_binary<kBitwiseXorKernel>, kInPlace | kElementwise},
    {"Div", 1, make_binary<kDivKernel>, kInPlace | kElementwise},
    {"Equal", 1, make_binary<kEqualKernel>, kElementwise},
    {"Greater", 1, make_binary<kGreaterKernel>, kElementwise},
    {"GreaterOrEqual", 12, make_binary<kGreaterOrEqualKernel>, kElementwise},
    {"Less", 1, make_binary<kLessKernel>, kElementwise},
    {"LessOrEqual", 12, make_binary<kLessOrEqualKernel>, kElementwise},
    {"Mod", 10, make_mod, kInPlace | kElementwise},
    {"Mul", 1, make_binary<kMulKernel>, kInPlace | kElementwise},
    {"Or", 1, make_binary<kOrKernel>, kInPlace | kElementwise},
    {"PRelu", 1, make<PRelu>, kInPlace | kElementwise},
    {"Pow", 1, make<Pow>, kInPlace | kElementwise},
    {"Sub", 1, make_binary<kSubKernel>, kInPlace | kElementwise},
    {"Xor", 1, make_binary<kXorKernel>, kInPlace | kElementwise},
};

}  // namespace

extern const OpTable kBinaryOps{"", kRows};

}  // namespace onnxlet
