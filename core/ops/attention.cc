// Attention of ai.onnx.
#include <algorithm>
#include <cmath>

#include "ops/attention_util.h"

namespace onnxlet {
namespace {

struct Attention : Op {
  int since = 23;
  bool has_scale = false, causal = false;
  float scale = 0, softcap = 0;
  int64_t q_heads = 0, kv_heads = 0, stage = 0, left = -1, right = -1;

  Status init(Attrs& a) {
    since = a.since_version();
    has_scale = a.has("scale");
    scale = a.f("scale", 0);
    softcap = a.f("softcap", 0);
    causal = a.i("is_causal", 0) != 0;
    q_heads = a.i("q_num_heads", 0);
    kv_heads = a.i("kv_num_heads", 0);
    stage = a.i("qk_matmul_output_mode", 0);
    left = a.i("left_window_size", -1);
    right = a.i("right_window_size", -1);
    a.ignore("softmax_precision");  // always at least float
    if (stage < 0 || stage > 3) return invalid_graph("qk_matmul_output_mode must be 0 to 3; it is ", stage);
    if (left < -1 || right < -1)
      return invalid_graph("window sizes must be -1 or more; they are ", left, " and ", right);
    return {};
  }

  // Heads and head size of a 3-D or 4-D operand.
  struct Layout {
    int64_t heads, seq, size;
  };
  static Result<Layout> layout(const Tensor& t, int64_t heads, const char* name) {
    if (t.rank() == 4) return Layout{t.dim(1), t.dim(2), t.dim(3)};
    if (t.rank() != 3 || heads < 1 || t.dim(2) % heads != 0) {
      return run_failed(name, " of shape ", t.shape(), " must be 4-D, or 3-D with a last dimension divisible by ",
                        heads, " heads");
    }
    return Layout{heads, t.dim(1), t.dim(2) / heads};
  }
  template <class T>
  static Heads<T> view(T* data, const Layout& l, int rank) {
    return rank == 4 ? heads_4d(data, l.heads, l.seq, l.size) : heads_3d(data, l.seq, l.size, l.heads * l.size);
  }

  // Past and new tokens one after the other, as output `i` when the model uses it. Without a past the new tokens serve
  // as they are.
  static Result<Heads<const float>> cache(OpContext& ctx, int i, const Tensor& now, const Layout& l, const Tensor* past,
                                          int64_t total) {
    OL_ASSIGN(const float* data, floats_of(ctx, now));
    const Heads<const float> tokens = view(data, l, now.rank());
    if (!past && !ctx.wants(i)) return tokens;
    const int64_t batch = now.dim(0);
    OL_ASSIGN(const FloatOutput present, float_output(ctx, i, now.dtype(), Shape{batch, l.heads, total, l.size}));
    const Heads<float> all = heads_4d(present.data, l.heads, total, l.size);
    if (past) {
      OL_ASSIGN(const float* old, floats_of(ctx, *past));
      copy_tokens(heads_4d(old, l.heads, total - l.seq, l.size), all, batch, l.heads, total - l.seq, l.size, 0);
    }
    copy_tokens(tokens, all, batch, l.heads, l.seq, l.size, total - l.seq);
    present.finish();
    return readable(all);
  }

  Status run(OpContext& ctx) const override {
    const Tensor &q = ctx.in(0), &k = ctx.in(1), &v = ctx.in(2);
    OL_ASSIGN(const Layout lq, layout(q, q_heads, "Q"));
    OL_ASSIGN(const Layout lk, layout(k, kv_heads, "K"));
    OL_ASSIGN(const Layout lv, layout(v, kv_heads, "V"));
    const int64_t batch = q.dim(0);
    if (k.dim(0) != batch || v.dim(0) != batch || lk.heads != lv.heads || lk.seq != lv.seq || lq.size != lk.size ||
        lk.heads < 1 || lq.heads % lk.heads != 0) {
      return run_failed("Q, K and V of shapes ", q.shape(), ", ", k.shape(), " and ", v.shape(),
                        " do not fit together");
    }
    const Tensor *past_k = ctx.opt(4), *past_v = ctx.opt(5), *valid = ctx.opt(6);
    if ((past_k == nullptr) != (past_v == nullptr)) return run_failed("past_key and past_value must be given together");
    if (past_k && valid) return run_failed("nonpad_kv_seqlen and past_key exclude each other");
    const int64_t past = past_k && past_k->rank() == 4 ? past_k->dim(2) : 0, total = past + lk.seq;
    if (past_k && (!(past_k->shape() == Shape{batch, lk.heads, past, lk.size}) ||
                   !(past_v->shape() == Shape{batch, lv.heads, past, lv.size}))) {
      return run_failed("past_key and past_value of shapes ", past_k->shape(), " and ", past_v->shape(),
                        " do not fit K and V of shapes ", k.shape(), " and ", v.shape());
    }
    AttentionArgs args;
    args.batch = batch, args.q_heads = lq.heads, args.kv_heads = lk.heads, args.q_len = lq.seq, args.kv_len = total;
    args.head_size = lq.size, args.v_head_size = lv.size;
    OL_ASSIGN(const float* qf, floats_of(ctx, q));
    args.q = view(qf, lq, q.rank());
    OL_ASSIGN(args.k, cache(ctx, 1, k, lk, past_k, total));
    OL_ASSIGN(args.v, cache(ctx, 2, v, lv, past_v, total));
    args.scale = has_scale ? scale : 1 / std::sqrt(static_cast<float>(lq.size));
    args.softcap = softcap;
    args.left = left;
    args.right = causal ? 0 : right;
    if (ctx.has(3)) OL_TRY(set_mask(ctx, ctx.in(3), since < 24, &args));
    std::vector<int64_t> lengths, offsets(static_cast<size_t>(batch), past);
    if (valid) {
      OL_ASSIGN(lengths, to_ints(*valid, "nonpad_kv_seqlen"));
      if (static_cast<int64_t>(lengths.size()) != batch) {
        return run_failed("nonpad_kv_seqlen has ", lengths.size(), " elements; the batch is ", batch);
      }
      for (size_t b = 0; b < lengths.size(); ++b) offsets[b] = lengths[b] - lq.seq;
      args.lengths = lengths.data();
    }
    args.offsets = offsets.data();
    const Layout ly{lq.heads, lq.seq, lv.size};
    const Shape y_shape =
        q.rank() == 4 ? Shape{batch, ly.heads, ly.seq, ly.size} : Shape{batch, ly.seq, ly.heads * ly.size};
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, q.dtype(), y_shape));
    args.y = view(y.data, ly, q.rank());
    FloatOutput scores;
    if (ctx.wants(3)) {
      OL_ASSIGN(scores, float_output(ctx, 3, q.dtype(), Shape{batch, lq.heads, lq.seq, total}));
      args.scores = scores.data;
      args.stage = static_cast<AttentionArgs::Stage>(stage);
    }
    OL_TRY(run_attention(ctx, args));
    y.finish();
    if (args.scores) scores.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"Attention", 23, make<Attention>},
};

}  // namespace

extern const OpTable kAttentionOps{"", kRows};

}  // namespace onnxlet
