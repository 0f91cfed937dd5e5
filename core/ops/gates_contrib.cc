// Elementwise fusions of com.microsoft that recent language and diffusion models use: gates, biases, scaled
// activations.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "kernels/normalize.h"
#include "kernels/unary.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

// body(begin, end) over n elements, shared between threads.
template <class F>
void over(int64_t n, F body) {
  parallel_for(n, grain_for(8), [&](int64_t begin, int64_t end) { body(begin, end); });
}

void apply(const UnaryKernel& kernel, float parameter, float* x, int64_t n) {
  const float parameters[kUnaryParams] = {parameter};
  over(n, [&](int64_t begin, int64_t end) { kernel.f32(x + begin, x + begin, end - begin, parameters); });
}

// Values as they are after being stored as `type`.
Status round_to(OpContext& ctx, DType type, float* x, int64_t n) {
  if (type == DType::kFloat) return {};
  OL_ASSIGN(void* stored, ctx.scratch(static_cast<size_t>(n) * element_size(type)));
  from_floats(type, x, n, stored);
  to_floats(type, stored, n, x);
  return {};
}

// RMS normalization of every scale.size() elements, times scale, times an activation of gate.
struct GatedRmsNorm : Op {
  float epsilon = 1e-5f;
  const UnaryKernel* activation = nullptr;

  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-5f);
    const std::string_view name = a.s("activation", "silu");
    if (name == "silu" || name == "swish") activation = &kSwishKernel;
    if (name == "sigmoid") activation = &kSigmoidKernel;
    if (!activation) return invalid_graph("activation must be silu, swish or sigmoid; it is '", name, "'");
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &scale = ctx.in(1), &gate = ctx.in(2);
    const int64_t n = scale.size();
    if (x.rank() < 1 || n == 0 || x.shape().back() % n != 0 || !(gate.shape() == x.shape())) {
      return run_failed("X of shape ", x.shape(),
                        " needs a gate of that shape and a scale that divides its rows; their "
                        "shapes are ",
                        gate.shape(), " and ", scale.shape());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const float* weight, floats_of(ctx, scale));
    OL_ASSIGN(const float* g, floats_of(ctx, gate));
    OL_ASSIGN(float* factor, ctx.scratch_of<float>(x.size()));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    normalize_rows(
        NormalizeRows<float>{in, x.size() / n, n, epsilon, false, weight, nullptr, 0, 0, y.data, nullptr, nullptr});
    std::copy_n(g, x.size(), factor);
    apply(*activation, 1, factor, x.size());
    over(x.size(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y.data[i] *= factor[i];
    });
    y.finish();
    return {};
  }
};

// decay = decay_scale * Softplus(a + dt_bias), beta = Sigmoid(b); the vectors lie along the last axis.
struct LinearAttentionGate : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& a = ctx.in(0);
    const int64_t n = a.rank() < 1 ? 0 : a.shape().back();
    const bool second = ctx.has(3);
    if (a.rank() < 1 || ctx.in(1).size() != n || ctx.in(2).size() != n ||
        (second && !(ctx.in(3).shape() == a.shape()))) {
      return run_failed("a of shape ", a.shape(), " needs vectors of its last axis' length and b of its shape; got ",
                        ctx.in(1).shape(), " and ", ctx.in(2).shape(),
                        second ? text(", b ", ctx.in(3).shape()) : std::string());
    }
    if (ctx.wants(1) && !second) return run_failed("the output beta needs the input b");
    OL_ASSIGN(const float* in, floats_of(ctx, a));
    const float *bias = ctx.in(1).data<float>(), *scale = ctx.in(2).data<float>();
    OL_ASSIGN(const FloatOutput decay, float_output(ctx, 0, a.dtype(), a.shape()));
    for (int64_t i = 0; i < a.size(); ++i) decay.data[i] = in[i] + bias[i % n];
    apply(kSoftplusKernel, 0, decay.data, a.size());
    for (int64_t i = 0; i < a.size(); ++i) decay.data[i] *= scale[i % n];
    decay.finish();
    if (!second) return {};
    OL_ASSIGN(const float* b, floats_of(ctx, ctx.in(3)));
    OL_ASSIGN(const FloatOutput beta, float_output(ctx, 1, a.dtype(), a.shape()));
    std::copy_n(b, a.size(), beta.data);
    apply(kSigmoidKernel, 0, beta.data, a.size());
    beta.finish();
    return {};
  }
};

// X + Y * gate, one gate per row; the product is rounded to the type.
struct GatedAdd : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &gate = ctx.in(2);
    if (ctx.has(3)) return not_implemented("GatedAdd with a gate_weight");
    const int64_t n = x.rank() < 1 ? 0 : x.shape().back();
    Shape rows = x.shape();
    if (x.rank() >= 1) rows[x.rank() - 1] = 1;
    if (x.rank() < 1 || !(ctx.in(1).shape() == x.shape()) || !(gate.shape() == rows)) {
      return run_failed("X of shape ", x.shape(), " needs Y of that shape and a gate of shape ", rows, "; got ",
                        ctx.in(1).shape(), " and ", gate.shape());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const float* other, floats_of(ctx, ctx.in(1)));
    OL_ASSIGN(const float* g, floats_of(ctx, gate));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    over(x.size(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y.data[i] = other[i] * g[i / n];
    });
    OL_TRY(round_to(ctx, x.dtype(), y.data, x.size()));
    over(x.size(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y.data[i] += in[i];
    });
    y.finish();
    return {};
  }
};

// z = scale * x, z * Sigmoid(z); each step is rounded to the type.
struct ScaledSilu : Op {
  float alpha = 1;
  Status init(Attrs& a) {
    alpha = a.f("alpha", 1);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    float scale = alpha;
    if (ctx.has(1)) {
      OL_ASSIGN(const double given, to_double(ctx.in(1), "scale"));
      scale = static_cast<float>(given);
    }
    const int64_t n = x.size();
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(float* z, ctx.scratch_of<float>(n));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    for (int64_t i = 0; i < n; ++i) z[i] = scale * in[i];
    OL_TRY(round_to(ctx, x.dtype(), z, n));
    std::copy_n(z, n, y.data);
    apply(kSigmoidKernel, 0, y.data, n);
    OL_TRY(round_to(ctx, x.dtype(), y.data, n));
    for (int64_t i = 0; i < n; ++i) y.data[i] *= z[i];
    y.finish();
    return {};
  }
};

// min(gate, limit) * Sigmoid(alpha * ...) * (clamp(up, -limit, limit) + beta). Without `up` it is the second half of
// every row of `gate`.
struct SwiGlu : Op {
  float alpha = 1, beta = 0, limit = 0;
  bool rounded = false;
  Status init(Attrs& a) {
    alpha = a.f("activation_alpha", 1);
    beta = a.f("activation_beta", 0);
    limit = a.f("limit", 0);
    if (!(limit > 0)) limit = std::numeric_limits<float>::infinity();
    rounded = a.i("round_activation", 0) != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& gate = ctx.in(0);
    const bool both = !ctx.has(1);
    Shape shape = gate.shape();
    const int64_t width = gate.rank() < 1 ? 1 : shape.back();
    if (gate.rank() < 1 || (both ? width % 2 != 0 : !(ctx.in(1).shape() == shape))) {
      return run_failed("gate of shape ", shape, both ? " alone needs an even last axis" : " needs up of that shape");
    }
    const int64_t n = both ? width / 2 : width;
    shape[gate.rank() - 1] = n;
    OL_ASSIGN(const float* g, floats_of(ctx, gate));
    const float* up = g + n;
    if (!both) {
      OL_ASSIGN(up, floats_of(ctx, ctx.in(1)));
    }
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, gate.dtype(), shape));
    const int64_t size = shape.size();
    for (int64_t i = 0; i < size; ++i) y.data[i] = std::min(g[i / n * width + i % n], limit);
    apply(kSwishKernel, alpha, y.data, size);
    if (rounded) OL_TRY(round_to(ctx, gate.dtype(), y.data, size));
    for (int64_t i = 0; i < size; ++i) {
      y.data[i] *= std::max(-limit, std::min(up[i / n * width + i % n], limit)) + beta;
    }
    y.finish();
    return {};
  }
};

// X + bias + skip, the bias along the last axis.
struct BiasAdd : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t n = x.rank() < 1 ? 0 : x.shape().back();
    if (x.rank() < 1 || ctx.in(1).size() != n || !(ctx.in(2).shape() == x.shape())) {
      return run_failed("X of shape ", x.shape(), " needs a bias of its last axis and a skip of its shape; got ",
                        ctx.in(1).shape(), " and ", ctx.in(2).shape());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const float* bias, floats_of(ctx, ctx.in(1)));
    OL_ASSIGN(const float* skip, floats_of(ctx, ctx.in(2)));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    over(x.size(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y.data[i] = in[i] + bias[i % n] + skip[i];
    });
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"BiasAdd", 1, make<BiasAdd>},           {"GatedAdd", 1, make<GatedAdd>},
    {"GatedRMSNorm", 1, make<GatedRmsNorm>}, {"LinearAttentionGate", 1, make<LinearAttentionGate>},
    {"ScaledSiLU", 1, make<ScaledSilu>},     {"SwiGLU", 1, make<SwiGlu>},
};

}  // namespace

extern const OpTable kGatesContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
