// LinearAttention and CausalConvWithState, of ai.onnx and of com.microsoft.
#include "kernels/linear_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/move.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

struct LinearAttention : Op {
  int64_t q_heads = 1, heads = 1;
  float scale = 0;
  bool gated = false, delta = false;

  Status init(Attrs& a) {
    q_heads = a.i("q_num_heads");
    heads = a.i("kv_num_heads");
    scale = a.f("scale", 0);
    a.ignore("chunk_size");  // a tuning hint
    const std::string_view rule = a.s("update_rule", "gated_delta");
    gated = rule == "gated" || rule == "gated_delta";
    delta = rule == "delta" || rule == "gated_delta";
    if (!gated && !delta && rule != "linear") {
      return invalid_graph("update_rule must be linear, gated, delta or gated_delta; it is '", rule, "'");
    }
    if (a.i("state_window", 0) != 0) return not_implemented("LinearAttention with a state_window");
    if (heads < 1 || q_heads < 1 || (q_heads % heads != 0 && heads % q_heads != 0)) {
      return invalid_graph("q_num_heads and kv_num_heads must divide one another; they are ", q_heads, " and ", heads);
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &q = ctx.in(0), &k = ctx.in(1), &v = ctx.in(2);
    if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3 || q.dim(2) % q_heads != 0 || v.dim(2) % heads != 0 ||
        k.dim(2) != q.dim(2) / q_heads * heads || k.dim(0) != q.dim(0) || v.dim(0) != q.dim(0) ||
        k.dim(1) != q.dim(1) || v.dim(1) != q.dim(1)) {
      return run_failed("query, key and value of shapes ", q.shape(), ", ", k.shape(), " and ", v.shape(),
                        " do not fit ", q_heads, " query and ", heads, " key/value heads");
    }
    LinearAttentionArgs a{};
    a.batch = q.dim(0), a.seq = q.dim(1), a.q_heads = q_heads, a.heads = heads;
    a.d_k = q.dim(2) / q_heads, a.d_v = v.dim(2) / heads;
    a.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(a.d_k));
    a.delta = delta;
    if (gated != ctx.has(4) || delta != ctx.has(5)) {
      return run_failed("this update_rule ", gated ? "needs" : "takes no", " decay and ", delta ? "needs" : "takes no",
                        " beta");
    }
    const auto rows = [&](int i) {
      return ctx.in(i).rank() == 3 && ctx.in(i).size() == a.batch * a.seq * ctx.in(i).dim(2);
    };
    if (gated) {
      a.decay_width = ctx.in(4).shape().rank() == 3 ? ctx.in(4).dim(2) : 0;
      if (!rows(4) || (a.decay_width != heads && a.decay_width != heads * a.d_k)) {
        return run_failed("decay of shape ", ctx.in(4).shape(), " must have ", heads, " or ", heads * a.d_k,
                          " values per token");
      }
    }
    if (delta) {
      a.beta_width = ctx.in(5).shape().rank() == 3 ? ctx.in(5).dim(2) : 0;
      if (!rows(5) || (a.beta_width != heads && a.beta_width != 1)) {
        return run_failed("beta of shape ", ctx.in(5).shape(), " must have ", heads, " or 1 values per token");
      }
    }
    const Shape state{a.batch, heads, a.d_k, a.d_v};
    if (ctx.has(3) && !(ctx.in(3).shape() == state)) {
      return run_failed("past_state has shape ", ctx.in(3).shape(), "; ", state, " is expected");
    }
    OL_ASSIGN(a.q, floats_of(ctx, q));
    OL_ASSIGN(a.k, floats_of(ctx, k));
    OL_ASSIGN(a.v, floats_of(ctx, v));
    OL_ASSIGN(a.decay, optional_floats(ctx, 4));
    OL_ASSIGN(a.beta, optional_floats(ctx, 5));
    OL_ASSIGN(const float* past, optional_floats(ctx, 3));
    OL_ASSIGN(const FloatOutput y,
              float_output(ctx, 0, q.dtype(), Shape{a.batch, a.seq, std::max(q_heads, heads) * a.d_v}));
    OL_ASSIGN(const FloatOutput present, float_output(ctx, 1, ctx.has(3) ? ctx.in(3).dtype() : q.dtype(), state));
    OL_ASSIGN(a.scratch, ctx.scratch_of<float>(a.batch * heads * a.d_v));
    if (past) {
      std::copy_n(past, state.size(), present.data);
    } else {
      std::fill_n(present.data, state.size(), 0.0f);
    }
    a.state = present.data;
    a.y = y.data;
    linear_attention(a);
    y.finish();
    present.finish();
    return {};
  }
};

struct CausalConvWithState : Op {
  bool silu = false, channels_last = false;
  int64_t dilation = 1;

  Status init(Attrs& a) {
    const std::string_view activation = a.s("activation", "none");
    silu = activation == "silu" || activation == "swish";
    if (!silu && activation != "none") {
      return invalid_graph("activation must be silu, swish or none; it is '", activation, "'");
    }
    if (a.i("ndim", 1) != 1) return not_implemented("CausalConvWithState in ", a.i("ndim", 1), " dimensions");
    if (a.i("state_window", 0) != 0) return not_implemented("CausalConvWithState with a state_window");
    channels_last = a.i("channels_last", 0) != 0;
    dilation = a.i("dilation", 1);
    if (dilation < 1) return invalid_graph("dilation must be positive; it is ", dilation);
    return {};
  }

  // [batch, channels, length], or with the channels last [batch, length, d_1 ... d_n].
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const int r = x.rank();
    CausalConvArgs a{};
    a.silu = silu;
    a.dilation = dilation;
    if (r >= 3) {
      a.batch = x.dim(0), a.channels = channels_last ? x.shape().product(2, r) : x.dim(1);
      a.length = channels_last ? x.dim(1) : x.dim(2);
    }
    if (r < 3 || (r > 3 && !channels_last) || w.rank() != 3 || w.dim(0) != a.channels || w.dim(1) != 1 ||
        w.dim(2) < 1) {
      return run_failed("input of shape ", x.shape(), " needs a weight of shape [channels, 1, taps]; it has ",
                        w.shape());
    }
    a.taps = w.dim(2);
    Shape state = x.shape();
    state[channels_last ? 1 : 2] = a.state();
    if (ctx.has(3) && !(ctx.in(3).shape() == state)) {
      return run_failed("past_state has shape ", ctx.in(3).shape(), "; ", state, " is expected");
    }
    if (ctx.has(2) && ctx.in(2).size() != a.channels) {
      return run_failed("bias has shape ", ctx.in(2).shape(), "; there are ", a.channels, " channels");
    }
    OL_ASSIGN(a.x, floats_of(ctx, x));
    OL_ASSIGN(a.w, floats_of(ctx, w));
    OL_ASSIGN(a.bias, optional_floats(ctx, 2));
    OL_ASSIGN(a.past, optional_floats(ctx, 3));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    OL_ASSIGN(const FloatOutput present, float_output(ctx, 1, x.dtype(), state));
    a.y = y.data;
    a.present = present.data;
    if (channels_last) {
      OL_ASSIGN(a.x, turned(ctx, a.x, a.batch, a.length, a.channels));
      if (a.past) {
        OL_ASSIGN(a.past, turned(ctx, a.past, a.batch, a.state(), a.channels));
      }
      OL_ASSIGN(a.y, ctx.scratch_of<float>(x.size()));
      OL_ASSIGN(a.present, ctx.scratch_of<float>(state.size()));
    }
    causal_conv(a);
    if (channels_last) {
      turn(a.y, a.batch, a.channels, a.length, y.data);
      turn(a.present, a.batch, a.channels, a.state(), present.data);
    }
    y.finish();
    present.finish();
    return {};
  }

  // [batch, rows, columns] to [batch, columns, rows].
  static void turn(const float* x, int64_t batch, int64_t rows, int64_t columns, float* y) {
    static constexpr int kSwap[] = {0, 2, 1};
    permute(DType::kFloat, x, Shape{batch, rows, columns}, kSwap, y);
  }
  static Result<const float*> turned(OpContext& ctx, const float* x, int64_t batch, int64_t rows, int64_t columns) {
    OL_ASSIGN(float* y, ctx.scratch_of<float>(batch * rows * columns));
    turn(x, batch, rows, columns, y);
    return static_cast<const float*>(y);
  }
};

const OpRow kRows[] = {
    {"LinearAttention", 27, make<LinearAttention>},
    {"CausalConvWithState", 27, make<CausalConvWithState>},
};
const OpRow kContribRows[] = {
    {"LinearAttention", 1, make<LinearAttention>},
    {"CausalConvWithState", 1, make<CausalConvWithState>},
};

}  // namespace

extern const OpTable kLinearAttentionOps{"", kRows};
extern const OpTable kLinearAttentionContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
