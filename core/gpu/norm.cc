// Normalizations: norm.wgsl for those that find mean and variance, batch_norm.wgsl, lrn.wgsl.
#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

// Rows of n neighbours; element i of row r has the factor and the summand of number (r % sets) * per_set + i / run.
struct NormCall {
  int64_t rows, n, sets = 1, per_set = 0, run = 1;
  float epsilon = 1e-5f;
  bool center = true;
};

void dispatch_norm(Context& ctx, const NormCall& c, std::string_view out, std::span<const DeviceBufferPtr> buffers) {
  Uniforms u;
  u.u(c.rows).u(c.n).u(c.sets).u(c.per_set).u(c.run).f(c.epsilon);
  Shader shader("norm");
  shader.set("CENTER", c.center).set("OUT", out).set("BIAS", out == "y" && buffers.size() == 4);
  ctx.dispatch(shader, buffers, u, groups_for(c.rows));
}

bool floats(const Context& ctx) {
  for (int i = 0; i < ctx.input_count(); ++i) {
    if (ctx.has(i) && ctx.in(i).dtype() != DType::kFloat) return false;
  }
  return true;
}

// How one of the layer normalizations differs from the others; -1: it has no such input or output.
struct LayerSpec {
  bool center;
  int scale, bias, mean, factor;
};

// Outputs 0, and those of the statistics that are wanted, of rows x.
Result<Answer> layer_norm(Context& ctx, const LayerSpec& spec, const DeviceBufferPtr& x, const Shape& shape, int axis,
                          float epsilon) {
  NormCall call{shape.product(0, axis), shape.product(axis, shape.rank())};
  call.epsilon = epsilon;
  call.center = spec.center;
  const bool bias = spec.bias >= 0 && ctx.has(spec.bias);
  if (ctx.in(spec.scale).size() != call.n || (bias && ctx.in(spec.bias).size() != call.n)) return Answer::kDeclined;
  OL_ASSIGN(DeviceBufferPtr y, ctx.out(0, DType::kFloat, shape));
  std::vector<DeviceBufferPtr> buffers{x, ctx.buffer(spec.scale)};
  if (bias) buffers.push_back(ctx.buffer(spec.bias));
  buffers.push_back(std::move(y));
  dispatch_norm(ctx, call, "y", buffers);
  Shape one = shape;
  for (int d = axis; d < shape.rank(); ++d) one[d] = 1;
  for (const bool mean : {true, false}) {
    const int output = mean ? spec.mean : spec.factor;
    if (output < 0 || !ctx.wants(output)) continue;
    OL_ASSIGN(DeviceBufferPtr saved, ctx.out(output, DType::kFloat, one));
    const DeviceBufferPtr pair[] = {x, std::move(saved)};
    dispatch_norm(ctx, call, mean ? "mean" : "factor", pair);
  }
  return Answer::kDone;
}

constexpr LayerSpec kLayer{true, 1, 2, 1, 2};
constexpr LayerSpec kRms{false, 1, -1, -1, -1};
constexpr LayerSpec kSimplified{false, 1, -1, -1, 1};

struct LayerNorm : Kernel {
  const LayerSpec* spec = &kLayer;
  int64_t axis = -1;
  float epsilon = 1e-5f;
  bool plain = true;

  Status init(Attrs& a) {
    if (a.op_type() == "RMSNormalization") spec = &kRms;
    if (a.op_type() == "SimplifiedLayerNormalization") spec = &kSimplified;
    axis = a.i("axis", -1);
    epsilon = a.f("epsilon", 1e-5f);
    plain = a.dtype("stash_type", DType::kFloat) == DType::kFloat;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    if (!plain || !floats(ctx) || at < 0 || at >= shape.rank()) return Answer::kDeclined;
    return layer_norm(ctx, *spec, ctx.buffer(0), shape, static_cast<int>(at), epsilon);
  }
};

// normalize(input + skip + bias); the sum is an output of its own.
struct SkipLayerNorm : Kernel {
  bool center = true;
  float epsilon = 1e-12f;

  Status init(Attrs& a) {
    center = a.op_type() == "SkipLayerNormalization";
    epsilon = a.f("epsilon", 1e-12f);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const int bias = center ? 4 : 3;
    const Shape& shape = ctx.in(0).shape();
    Shape joined;
    if (!floats(ctx) || shape.rank() < 1 || !broadcast_shapes(shape, ctx.in(1).shape(), &joined) ||
        !(joined == shape) || (ctx.has(bias) && ctx.in(bias).size() != shape.back())) {
      return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr sum, ctx.out(3, DType::kFloat, shape));
    Operand first = operand(ctx, 0);
    const auto add = [&](int input, const DeviceBufferPtr& to) {
      return map(ctx, {"Add", {first, operand(ctx, input)}, DType::kFloat}, shape, to);
    };
    if (ctx.has(bias)) {
      DeviceBufferPtr partial = ctx.scratch(static_cast<uint64_t>(shape.size()) * sizeof(float));
      if (add(bias, partial) == Answer::kDeclined) return Answer::kDeclined;
      first.buffer = std::move(partial);
    }
    if (add(1, sum) == Answer::kDeclined) return Answer::kDeclined;
    const LayerSpec spec{center, 2, center ? 3 : -1, 1, 2};
    return layer_norm(ctx, spec, sum, shape, shape.rank() - 1, epsilon);
  }
};

// GroupNormalization, and InstanceNormalization, whose groups are channels.
struct GroupNorm : Kernel {
  bool instance = false;
  int64_t groups = 1;
  float epsilon = 1e-5f;

  Status init(Attrs& a) {
    instance = a.op_type() == "InstanceNormalization";
    if (!instance) groups = a.i("num_groups");
    epsilon = a.f("epsilon", 1e-5f);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    if (!floats(ctx) || shape.rank() < 3) return Answer::kDeclined;
    const int64_t channels = shape[1], parts = instance ? channels : groups, given = ctx.in(1).size();
    if (parts < 1 || channels % parts != 0 || ctx.in(2).size() != given || (given != channels && given != parts)) {
      return Answer::kDeclined;
    }
    const int64_t inner = shape.product(2, shape.rank()), n = channels / parts * inner;
    NormCall call{shape[0] * parts, n, parts, given / parts, n / (given / parts), epsilon};
    OL_ASSIGN(DeviceBufferPtr y, ctx.out(0, DType::kFloat, shape));
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), ctx.buffer(1), ctx.buffer(2), std::move(y)};
    dispatch_norm(ctx, call, "y", buffers);
    return Answer::kDone;
  }
};

struct BatchNorm : Kernel {
  float epsilon = 1e-5f;
  bool usual = true;  // neither training nor a number for each place

  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-5f);
    usual = a.i("training_mode") == 0 && (a.since_version() >= 9 || a.i("spatial", 1) != 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    if (!usual || !floats(ctx) || shape.rank() < 2) return Answer::kDeclined;
    for (int i = 1; i < 5; ++i) {
      if (ctx.in(i).size() != shape[1] || ctx.wants(i)) return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr y, ctx.out(0, DType::kFloat, shape));
    Uniforms u;
    u.u(shape.size()).u(shape[1]).u(shape.product(2, shape.rank())).f(epsilon);
    std::vector<DeviceBufferPtr> buffers;
    for (int i = 0; i < 5; ++i) buffers.push_back(ctx.buffer(i));
    buffers.push_back(std::move(y));
    ctx.dispatch(Shader("batch_norm"), buffers, u, shape.size());
    return Answer::kDone;
  }
};

struct Lrn : Kernel {
  float alpha = 0, beta = 0, bias = 0;
  int64_t size = 1;

  Status init(Attrs& a) {
    alpha = a.f("alpha", 1e-4f);
    beta = a.f("beta", 0.75f);
    bias = a.f("bias", 1);
    size = a.i("size");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    if (!floats(ctx) || shape.rank() < 2 || size < 1) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr y, ctx.out(0, DType::kFloat, shape));
    Uniforms u;
    u.u(shape.size()).u(shape[1]).u(shape.product(2, shape.rank())).u(size).f(alpha).f(beta).f(bias);
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(y)};
    ctx.dispatch(Shader("lrn"), buffers, u, shape.size());
    return Answer::kDone;
  }
};

constexpr std::string_view kMicrosoft = "com.microsoft";

const Row kRows[] = {
    {"", "LayerNormalization", 17, make<LayerNorm>},
    {"", "RMSNormalization", 23, make<LayerNorm>},
    {"", "SimplifiedLayerNormalization", 1, make<LayerNorm>},
    {kMicrosoft, "SkipLayerNormalization", 1, make<SkipLayerNorm>},
    {kMicrosoft, "SkipSimplifiedLayerNormalization", 1, make<SkipLayerNorm>},
    {"", "GroupNormalization", 18, make<GroupNorm>},
    {"", "InstanceNormalization", 6, make<GroupNorm>},
    {"", "BatchNormalization", 7, make<BatchNorm>},
    {"", "LRN", 1, make<Lrn>},
};

}  // namespace

Table norm_rows() { return kRows; }

}  // namespace onnxlet::gpu
