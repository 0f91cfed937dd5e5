// MoE and QMoE of com.microsoft: every token goes through the few experts that its router scores choose.
#include <algorithm>
#include <cmath>

#include "kernels/gemm.h"
#include "kernels/move.h"
#include "kernels/nbits.h"
#include "kernels/unary.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

// What lies between the first and the second product of an expert.
struct ExpertActivation {
  const UnaryKernel* kernel = nullptr;  // null: identity
  UnaryParams params;
  bool squared = false;  // relu2
  bool swiglu = false;
  int64_t fusion = 0;  // 1: gate and up alternate in a row of the first product, 2: one lies behind the other
  float beta = 0, limit = std::numeric_limits<float>::infinity();
  bool limit_after = false;

  Status read(Attrs& a) {
    const std::string_view name = a.s("activation_type", "relu");
    fusion = a.i("swiglu_fusion", 0);
    const float alpha = a.f("activation_alpha", 1);
    beta = a.f("activation_beta", 0);
    limit = a.f("swiglu_limit", limit);
    limit_after = a.i("swiglu_limit_after_activation", 0) != 0;
    swiglu = name == "swiglu";
    squared = name == "relu2";
    if (name == "relu" || squared) kernel = &kReluKernel;
    if (name == "gelu" || name == "geglu") kernel = &kGeluTanhKernel;
    if (name == "silu" || swiglu) kernel = &kSwishKernel;
    params.set(0, swiglu ? alpha : 1);
    const bool gated = swiglu || name == "geglu";
    if (kernel == nullptr && name != "identity") {
      return invalid_graph("activation_type must be relu, relu2, gelu, silu, swiglu, geglu or identity; it is '", name,
                           "'");
    }
    if (!gated) fusion = 0;
    if (fusion < 0 || fusion > 2 || (name == "geglu" && fusion == 0)) {
      return invalid_graph("swiglu_fusion must be 1 or 2, or 0 for swiglu; it is ", fusion);
    }
    return {};
  }
  int64_t parts() const { return fusion == 0 ? 1 : 2; }

  // row: the first product, parts() * n values, overwritten; up: that of fc3, or null; y: n values.
  void apply(float* row, const float* up, int64_t n, float* y) const {
    if (fusion == 1) {
      for (int64_t i = 0; i < n; ++i) y[i] = row[2 * i];
      for (int64_t i = 0; i < n; ++i) row[i] = row[2 * i + 1];
      up = row;
    } else {
      std::copy_n(row, n, y);
      if (fusion == 2) up = row + n;
    }
    if (swiglu && !limit_after) {
      for (int64_t i = 0; i < n; ++i) y[i] = std::min(y[i], limit);
    }
    if (kernel) kernel->f32(y, y, n, params.f);
    if (squared) {
      for (int64_t i = 0; i < n; ++i) y[i] *= y[i];
    }
    if (swiglu) {
      for (int64_t i = 0; i < n; ++i) {
        const float l = std::max(-limit, std::min(up[i], limit));
        y[i] = (limit_after ? std::min(y[i], limit) : y[i]) * (l + beta);
      }
    } else if (up) {
      for (int64_t i = 0; i < n; ++i) y[i] *= up[i];
    }
  }
};

// The matrices [experts][n][k] of one of the three products; bits == 0: floats.
struct Projection {
  const Tensor *weights = nullptr, *scales = nullptr, *zeros = nullptr;
  const float* bias = nullptr;  // [experts][n], or null
  int64_t n = 0, k = 0, bits = 0, block = 0;
  int64_t blocks() const { return k / block; }
};

Result<Tensor> floats(OpContext& ctx, int64_t n) { return Tensor::allocate(ctx.pool(), DType::kFloat, Shape{n}); }

Result<Tensor> slice_as_floats(OpContext& ctx, const Tensor& t, int64_t first, int64_t n) {
  OL_ASSIGN(Tensor out, floats(ctx, n));
  to_floats(t.dtype(), element_at(t.dtype(), t.raw(), first), n, out.mutable_data<float>());
  return out;
}

// y [m][n] = x [m][k] * W^T + bias.
Status multiply(OpContext& ctx, const Projection& p, int64_t expert, int64_t m, const float* x, float* y) {
  const int64_t n = p.n, k = p.k;
  Gemm g;
  g.m = m, g.n = n, g.k = k;
  g.a = {x, k, 1};
  g.c = y, g.c_row_stride = n;
  g.epilogue.bias = p.bias ? p.bias + expert * n : nullptr;
  Tensor own;
  if (p.weights->dtype() == DType::kFloat) {
    g.b = {p.weights->data<float>() + expert * n * k, 1, k};
  } else {
    OL_ASSIGN(own, slice_as_floats(ctx, *p.weights, expert * n * k, n * k));
    g.b = {own.data<float>(), 1, k};
  }
  OL_ASSIGN(Tensor scratch, floats(ctx, gemm_scratch(g)));
  ctx.set_kernel(gemm(g, scratch.mutable_data<float>()));
  return {};
}

// The same with weights of few bits. One scale per row is repeated so that blocks have a length the kernels know.
Status multiply_packed(OpContext& ctx, const Projection& p, int64_t expert, int64_t m, const float* x, float* y) {
  const int64_t n = p.n, k = p.k, given = p.blocks();
  NBitsMatrix b;
  b.k = k, b.n = n, b.bits = static_cast<int>(p.bits), b.block = p.block;
  b.zero = static_cast<float>(1 << (p.bits - 1));
  b.data = p.weights->data<uint8_t>() + expert * n * (k * p.bits / 8);
  if (given == 1) {
    while (b.block % 2 == 0 && (b.block > 128 || (b.block & (b.block - 1)) != 0)) b.block /= 2;
    if (b.block < 16) b.block = p.block;
  }
  const int64_t blocks = b.blocks(), copies = blocks / given;
  OL_ASSIGN(const Tensor scales, slice_as_floats(ctx, *p.scales, expert * n * given, n * given));
  OL_ASSIGN(Tensor parameters, floats(ctx, 2 * n * blocks));
  float *scale = parameters.mutable_data<float>(), *zero = scale + n * blocks;
  for (int64_t i = 0; i < n * blocks; ++i) scale[i] = scales.data<float>()[i / copies];
  b.scales = scale;
  if (p.zeros) {
    // Packed along the blocks, or without blocks along the rows of the matrix.
    const bool by_row = p.zeros->rank() == 3;
    const int64_t row_bytes = ((by_row ? given : n) * p.bits + 7) / 8;
    const uint8_t* packed = p.zeros->data<uint8_t>() + expert * row_bytes * (by_row ? n : 1);
    for (int64_t i = 0; i < n * blocks; ++i) {
      const int64_t row = i / blocks, at = i % blocks / copies;
      zero[i] = static_cast<float>(by_row ? nbits_number(packed + row * row_bytes, at, b.bits)
                                          : nbits_number(packed, row, b.bits));
    }
    b.zeros = zero;
  }
  const float* bias = p.bias ? p.bias + expert * n : nullptr;
  if (m <= kNBitsRows && b.block % 16 == 0) {
    nbits_rows(b, m, x, bias, y);
    ctx.set_kernel("nbits_f32_rows");
    return {};
  }
  OL_ASSIGN(Tensor panels, floats(ctx, packed_b_size(k, n)));
  nbits_panels(b, 0, n, panels.mutable_data<float>());
  Gemm g;
  g.m = m, g.n = n, g.k = k;
  g.a = {x, k, 1};
  g.packed_b = panels.data<float>();
  g.c = y, g.c_row_stride = n;
  g.epilogue.bias = bias;
  OL_ASSIGN(Tensor scratch, floats(ctx, gemm_scratch(g)));
  gemm(g, scratch.mutable_data<float>());
  ctx.set_kernel("nbits_f32_gemm");
  return {};
}

// Which tokens each expert gets: those of expert e are at [first[e], first[e + 1]).
struct Routes {
  std::vector<int64_t> first;
  int64_t* token = nullptr;
  float* weight = nullptr;
};

struct MoeBase : Op {
  int64_t top = 1;
  bool renormalize = false;
  bool softmax_of_chosen = false;  // the softmax knows only the chosen experts
  ExpertActivation activation;

  Status read(Attrs& a) {
    top = a.i("k", 1);
    renormalize = a.i("normalize_routing_weights", 0) != 0;
    if (a.i("use_sparse_mixer", 0) != 0) return not_implemented("use_sparse_mixer");
    if (top < 1) return invalid_graph("k must be positive; it is ", top);
    return activation.read(a);
  }

  // Softmax over the experts, then the `top` largest; `mixing` are other weights for those, taken as they are.
  Result<Routes> route(OpContext& ctx, const float* scores, const float* mixing, int64_t tokens,
                       int64_t experts) const {
    Routes r;
    r.first.assign(static_cast<size_t>(experts + 1), 0);
    OL_ASSIGN(int64_t* chosen, ctx.scratch_of<int64_t>(tokens * top));
    OL_ASSIGN(float* weights, ctx.scratch_of<float>(tokens * top));
    for (int64_t t = 0; t < tokens; ++t) {
      int64_t* own = chosen + t * top;
      choose(scores + t * experts, mixing ? mixing + t * experts : nullptr, experts, own, weights + t * top);
      for (int64_t j = 0; j < top; ++j) ++r.first[static_cast<size_t>(own[j] + 1)];
    }
    for (size_t e = 0; e + 1 < r.first.size(); ++e) r.first[e + 1] += r.first[e];
    OL_ASSIGN(r.token, ctx.scratch_of<int64_t>(tokens * top));
    OL_ASSIGN(r.weight, ctx.scratch_of<float>(tokens * top));
    std::vector<int64_t> next = r.first;
    for (int64_t i = 0; i < tokens * top; ++i) {
      const int64_t at = next[static_cast<size_t>(chosen[i])]++;
      r.token[at] = i / top;
      r.weight[at] = weights[i];
    }
    return r;
  }

  void choose(const float* scores, const float* mixing, int64_t experts, int64_t* chosen, float* weights) const {
    const float highest = *std::max_element(scores, scores + experts);
    float all = 0;
    for (int64_t e = 0; e < experts; ++e) all += std::exp(scores[e] - highest);
    float sum = 0;
    for (int64_t j = 0; j < top; ++j) {
      int64_t best = -1;
      for (int64_t e = 0; e < experts; ++e) {
        if (std::find(chosen, chosen + j, e) != chosen + j) continue;
        if (best < 0 || scores[e] > scores[best]) best = e;
      }
      chosen[j] = best;
      weights[j] = mixing ? mixing[best] : std::exp(scores[best] - highest) / all;
      sum += weights[j];
    }
    const bool divide = renormalize || (softmax_of_chosen && !mixing);
    for (int64_t j = 0; j < top && divide; ++j) weights[j] /= sum;
  }

  using Multiply = Status (*)(OpContext&, const Projection&, int64_t, int64_t, const float*, float*);

  // fc3.n == 0: there is none.
  Status mix(OpContext& ctx, const Projection& fc1, const Projection& fc2, const Projection& fc3, Multiply product,
             const Tensor* mixing) const {
    const Tensor &x = ctx.in(0), &router = ctx.in(1);
    const int64_t hidden = fc2.n, inner = fc2.k, experts = fc1.weights->dim(0);
    const int64_t tokens = hidden == 0 ? 0 : x.size() / hidden;
    if (x.rank() < 2 || x.shape().back() != hidden || router.rank() != 2 ||
        !(router.shape() == Shape{tokens, experts}) || top > experts) {
      return run_failed("input of shape ", x.shape(), " and router_probs of shape ", router.shape(), " do not fit ",
                        experts, " experts of ", hidden, " values, ", top, " of them chosen");
    }
    if (mixing && !(mixing->shape() == router.shape())) {
      return run_failed("router_weights has shape ", mixing->shape(), "; ", router.shape(), " is expected");
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const float* scores, floats_of(ctx, router));
    const float* given = nullptr;
    if (mixing) {
      OL_ASSIGN(given, floats_of(ctx, *mixing));
    }
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    std::fill_n(y.data, x.size(), 0.0f);
    OL_ASSIGN(const Routes routes, route(ctx, scores, given, tokens, experts));
    for (int64_t e = 0; e < experts; ++e) {
      const int64_t first = routes.first[static_cast<size_t>(e)], m = routes.first[static_cast<size_t>(e + 1)] - first;
      if (m == 0) continue;
      OL_ASSIGN(Tensor work, floats(ctx, m * (2 * hidden + fc1.n + fc3.n + inner)));
      float *rows = work.mutable_data<float>(), *wide = rows + m * hidden, *up = wide + m * fc1.n,
            *mid = up + m * fc3.n, *out = mid + m * inner;
      for (int64_t i = 0; i < m; ++i) std::copy_n(in + routes.token[first + i] * hidden, hidden, rows + i * hidden);
      OL_TRY(product(ctx, fc1, e, m, rows, wide));
      if (fc3.n != 0) OL_TRY(product(ctx, fc3, e, m, rows, up));
      for (int64_t i = 0; i < m; ++i) {
        activation.apply(wide + i * fc1.n, fc3.n != 0 ? up + i * inner : nullptr, inner, mid + i * inner);
      }
      OL_TRY(product(ctx, fc2, e, m, mid, out));
      for (int64_t i = 0; i < m; ++i) {
        float* to = y.data + routes.token[first + i] * hidden;
        for (int64_t j = 0; j < hidden; ++j) to[j] += routes.weight[first + i] * out[i * hidden + j];
      }
    }
    y.finish();
    return {};
  }

  // The sizes of fc1 [experts, parts * inner, hidden], fc2 [experts, hidden, inner] and fc3 [experts, inner, hidden].
  Status check(const Projection& fc1, const Projection& fc2, const Projection& fc3) const {
    const int64_t experts = fc1.weights->dim(0);
    const bool third = fc3.n != 0;
    if (fc1.n != activation.parts() * fc2.k || fc2.n != fc1.k || fc2.weights->dim(0) != experts ||
        (third && (fc3.n != fc2.k || fc3.k != fc1.k || fc3.weights->dim(0) != experts))) {
      return run_failed("the experts' weights do not fit together; their shapes are ", fc1.weights->shape(), ", ",
                        fc2.weights->shape(), third ? text(" and ", fc3.weights->shape()) : std::string());
    }
    if (activation.swiglu && activation.fusion == 0 && !third) {
      return run_failed("swiglu with swiglu_fusion = 0 needs fc3_experts_weights");
    }
    if (activation.fusion != 0 && third) return run_failed("fc3 has no place beside a fused fc1");
    return {};
  }

  // Weights [experts, n, columns] and their bias at input `bias`.
  static Result<Projection> projection(OpContext& ctx, int weights, int bias) {
    Projection p;
    if (!ctx.has(weights)) return p;
    p.weights = &ctx.in(weights);
    if (p.weights->rank() != 3) {
      return run_failed("the experts' weights must have rank 3; their shape is ", p.weights->shape());
    }
    p.n = p.weights->dim(1), p.k = p.weights->dim(2);
    OL_ASSIGN(p.bias, optional_floats(ctx, bias));
    if (p.bias && ctx.in(bias).size() != p.weights->dim(0) * p.n) {
      return run_failed("the experts' bias has shape ", ctx.in(bias).shape(), "; ", Shape{p.weights->dim(0), p.n},
                        " is expected");
    }
    return p;
  }
};

struct MoE : MoeBase {
  Status init(Attrs& a) { return read(a); }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Projection fc1, projection(ctx, 2, 3));
    OL_ASSIGN(const Projection fc2, projection(ctx, 4, 5));
    OL_ASSIGN(const Projection fc3, projection(ctx, 6, 7));
    OL_TRY(check(fc1, fc2, fc3));
    return mix(ctx, fc1, fc2, fc3, multiply, nullptr);
  }
};

struct QMoE : MoeBase {
  int64_t bits[3] = {}, block = 0;

  Status init(Attrs& a) {
    OL_TRY(read(a));
    softmax_of_chosen = true;       // as onnxruntime's CPU kernel has it, unlike MoE's
    a.ignore("accuracy_level");     // the least exactness allowed; float is the most exact
    a.ignore("weights_prepacked");  // packings of GPUs; on a CPU all its values mean the plain layout
    block = a.i("block_size", 0);
    if (const std::string_view type = a.s("quant_type", "int"); type != "int") {
      return not_implemented("QMoE with quant_type '", type, "'");
    }
    const int64_t common = a.i("expert_weight_bits", 4);
    constexpr std::string_view kNames[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                           "fc3_expert_weight_bits"};
    for (int i = 0; i < 3; ++i) {
      bits[i] = a.i(kNames[i], common);
      if (bits[i] < 2 || bits[i] > 8) return invalid_graph("experts have 2 to 8 bits; got ", bits[i]);
    }
    if (block != 0 && (block < 16 || (block & (block - 1)) != 0)) {
      return invalid_graph("block_size must be a power of 2 from 16 on; it is ", block);
    }
    return {};
  }

  // Inputs of product i: weights, scales, bias at 2 + 3 i; zero points at 11 + i.
  Result<Projection> packed(OpContext& ctx, int i) const {
    const int at = 2 + 3 * i;
    OL_ASSIGN(Projection p, projection(ctx, at, at + 2));
    if (p.weights == nullptr) return p;
    if (p.weights->dtype() != DType::kUint8) return not_implemented("experts of type ", p.weights->dtype());
    p.bits = bits[i];
    p.k = p.k * 8 / p.bits;
    if (p.n == 0 || p.k == 0) return run_failed("the experts' weights are empty: ", p.weights->shape());
    p.block = block == 0 ? p.k : block;
    const int64_t experts = p.weights->dim(0), blocks = p.blocks();
    if (p.k % p.block != 0) return run_failed("block_size ", block, " does not divide rows of ", p.k, " weights");
    p.scales = ctx.opt(at + 1);
    if (!p.scales || p.scales->size() != experts * p.n * blocks) {
      return run_failed("fc", i + 1, "_scales must have ", experts * p.n * blocks, " elements",
                        p.scales ? text("; its shape is ", p.scales->shape()) : std::string());
    }
    p.zeros = ctx.opt(11 + i);
    if (p.zeros) {
      const Shape by_row{experts, p.n, (blocks * p.bits + 7) / 8}, whole{experts, (p.n * p.bits + 7) / 8};
      const Shape& expected = block == 0 ? whole : by_row;
      if (!(p.zeros->shape() == expected)) {
        return run_failed("fc", i + 1, "_zero_points has shape ", p.zeros->shape(), "; ", expected, " is expected");
      }
    }
    return p;
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Projection fc1, packed(ctx, 0));
    OL_ASSIGN(const Projection fc2, packed(ctx, 1));
    OL_ASSIGN(const Projection fc3, packed(ctx, 2));
    OL_TRY(check(fc1, fc2, fc3));
    return mix(ctx, fc1, fc2, fc3, multiply_packed, ctx.opt(14));
  }
};

const OpRow kRows[] = {
    {"MoE", 1, make<MoE>},
    {"QMoE", 1, make<QMoE>},
};

}  // namespace

extern const OpTable kMoeOps{"com.microsoft", kRows};

}  // namespace onnxlet
