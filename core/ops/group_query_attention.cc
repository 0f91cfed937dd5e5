// GroupQueryAttention of com.microsoft: causal attention with a key/value cache, as language models export it.
#include <algorithm>
#include <cmath>

#include "kernels/normalize.h"
#include "ops/attention_util.h"

namespace onnxlet {
namespace {

// Inputs after query, key, value, past_key, past_value, seqlens_k, total_sequence_length.
enum Input { kCos = 7, kSin, kPositions, kBias, kSink, kKScale, kVScale, kQNorm, kKNorm };

struct GroupQueryAttention : Op {
  int64_t heads = 1, kv_heads = 1, window = -1, qk_output = 0;
  bool rotary = false, interleaved = false, smooth = false, causal = true;
  float scale = 0, softcap = 0, norm_epsilon = 1e-6f;

  Status init(Attrs& a) {
    heads = a.i("num_heads");
    kv_heads = a.i("kv_num_heads");
    window = a.i("local_window_size", -1);
    qk_output = a.i("qk_output", 0);
    rotary = a.i("do_rotary", 0) != 0;
    interleaved = a.i("rotary_interleaved", 0) != 0;
    smooth = a.i("smooth_softmax", 0) > 0;
    causal = a.i("causal", 1) != 0;
    scale = a.f("scale", 0);
    softcap = a.f("softcap", 0);
    norm_epsilon = a.f("qk_norm_epsilon", 1e-6f);
    a.ignore("kv_cache_bit_width");
    if (a.s("k_quant_type", "NONE") != "NONE" || a.s("v_quant_type", "NONE") != "NONE") {
      return not_implemented("GroupQueryAttention with a quantized cache");
    }
    if (a.i("sliding_window_cache", 0) != 0) return not_implemented("GroupQueryAttention with sliding_window_cache");
    if (kv_heads < 1 || heads < kv_heads || heads % kv_heads != 0) {
      return invalid_graph("num_heads must be a multiple of kv_num_heads; they are ", heads, " and ", kv_heads);
    }
    if (qk_output < 0 || qk_output > 2) return invalid_graph("qk_output must be 0, 1 or 2; it is ", qk_output);
    return {};
  }

  // Query, key and value as given: apart, or in one tensor [batch, seq, (heads + 2 kv_heads) * size].
  struct Operands {
    int64_t batch = 0, seq = 0, size = 0;
    Heads<const float> q, k, v;
  };
  Result<Operands> operands(OpContext& ctx) const {
    const Tensor& query = ctx.in(0);
    const bool packed = !ctx.has(1);
    const int64_t parts = packed ? heads + 2 * kv_heads : heads;
    if (query.rank() != 3 || query.dim(2) % parts != 0 || packed == ctx.has(2)) {
      return run_failed("query of shape ", query.shape(), " does not hold ", heads, " query and ", kv_heads,
                        " key/value heads");
    }
    Operands o;
    o.batch = query.dim(0), o.seq = query.dim(1), o.size = query.dim(2) / parts;
    const int64_t row = query.dim(2);
    OL_ASSIGN(const float* q, floats_of(ctx, query));
    o.q = heads_3d(q, o.seq, o.size, row);
    if (packed) {
      o.k = heads_3d(q + heads * o.size, o.seq, o.size, row);
      o.v = heads_3d(q + (heads + kv_heads) * o.size, o.seq, o.size, row);
      return o;
    }
    const Shape expected{o.batch, o.seq, kv_heads * o.size};
    if (!(ctx.in(1).shape() == expected) || !(ctx.in(2).shape() == expected)) {
      return run_failed("key and value have shapes ", ctx.in(1).shape(), " and ", ctx.in(2).shape(), "; ", expected,
                        " is expected");
    }
    OL_ASSIGN(const float* k, floats_of(ctx, ctx.in(1)));
    OL_ASSIGN(const float* v, floats_of(ctx, ctx.in(2)));
    o.k = heads_3d(k, o.seq, o.size, kv_heads * o.size);
    o.v = heads_3d(v, o.seq, o.size, kv_heads * o.size);
    return o;
  }

  // How many tokens of every batch row are cached and how many there are with the new ones.
  struct Lengths {
    std::vector<int64_t> past, total;
    int64_t longest = 0;
  };
  Result<Lengths> lengths(OpContext& ctx, const Operands& o, int64_t cached) const {
    OL_ASSIGN(const std::vector<int64_t> last, to_ints(ctx.in(5), "seqlens_k"));
    Lengths l;
    OL_ASSIGN(l.longest, to_int(ctx.in(6), "total_sequence_length"));
    if (static_cast<int64_t>(last.size()) != o.batch) {
      return run_failed("seqlens_k has ", last.size(), " elements; the batch is ", o.batch);
    }
    const bool prompt = l.longest == o.seq;
    for (int64_t v : last) {
      const int64_t total = v + 1, past = prompt ? 0 : total - o.seq;
      if (total < 0 || total > l.longest || past < 0 || past > cached) {
        return run_failed("seqlens_k has ", v, "; with total_sequence_length ", l.longest, ", ", o.seq,
                          " new tokens and a cache of ", cached, " that is impossible");
      }
      l.past.push_back(past);
      l.total.push_back(total);
    }
    return l;
  }

  // RMS normalization per head and rotary embedding, on copies [batch, heads, seq, size].
  Status norm_and_rotate(OpContext& ctx, const Lengths& l, Operands* o) const {
    std::vector<int64_t> rows;
    RotaryArgs r{};
    if (rotary) {
      if (!ctx.has(kCos) || !ctx.has(kSin)) return run_failed("do_rotary needs cos_cache and sin_cache");
      const Tensor &cos = ctx.in(kCos), &sin = ctx.in(kSin);
      if (cos.rank() != 2 || !(cos.shape() == sin.shape()) || 2 * cos.dim(1) > o->size) {
        return run_failed("cos_cache and sin_cache have shapes ", cos.shape(), " and ", sin.shape(),
                          "; matrices with at most ", o->size / 2, " columns are expected");
      }
      OL_TRY(positions(ctx, l, *o, cos.dim(0), &rows));
      r.batch = o->batch, r.seq = o->seq, r.head_size = o->size, r.dims = 2 * cos.dim(1), r.interleaved = interleaved;
      r.rows = rows.data();
      OL_ASSIGN(r.cos, floats_of(ctx, cos));
      OL_ASSIGN(r.sin, floats_of(ctx, sin));
    }
    for (const bool is_query : {true, false}) {
      Heads<const float>& x = is_query ? o->q : o->k;
      const int64_t n = is_query ? heads : kv_heads;
      OL_ASSIGN(const float* weight, optional_floats(ctx, is_query ? kQNorm : kKNorm));
      if (!rotary && !weight) continue;
      if (weight && ctx.in(is_query ? kQNorm : kKNorm).size() != o->size) {
        return run_failed("the norm weight must have ", o->size, " elements");
      }
      OL_ASSIGN(float* copy, ctx.scratch_of<float>(o->batch * n * o->seq * o->size));
      const Heads<float> own = heads_4d(copy, n, o->seq, o->size);
      copy_tokens(x, own, o->batch, n, o->seq, o->size, 0);
      if (weight) {
        normalize_rows(NormalizeRows<float>{copy, o->batch * n * o->seq, o->size, norm_epsilon, false, weight, nullptr,
                                            0, 0, copy, nullptr, nullptr});
      }
      x = readable(own);
      if (!rotary) continue;
      r.heads = n, r.x = x, r.y = own;
      rotary_embedding(r);
    }
    return {};
  }

  Status positions(OpContext& ctx, const Lengths& l, const Operands& o, int64_t limit,
                   std::vector<int64_t>* rows) const {
    if (ctx.has(kPositions)) {
      OL_ASSIGN(*rows, to_ints(ctx.in(kPositions).reshaped(Shape{ctx.in(kPositions).size()}), "position_ids"));
      if (static_cast<int64_t>(rows->size()) != o.batch * o.seq) {
        return run_failed("position_ids has shape ", ctx.in(kPositions).shape(), "; ", Shape{o.batch, o.seq},
                          " is expected");
      }
    } else {
      for (int64_t t = 0; t < o.batch * o.seq; ++t) rows->push_back(l.past[static_cast<size_t>(t / o.seq)] + t % o.seq);
    }
    for (int64_t p : *rows) {
      if (p < 0 || p >= limit) return run_failed("position ", p, " is outside the ", limit, " rows of cos_cache");
    }
    return {};
  }

  // The cache of every batch row with the new tokens behind it, [batch, kv_heads, length, size].
  Result<Heads<const float>> cache(OpContext& ctx, int output, const Tensor* past, const Heads<const float>& tokens,
                                   const Operands& o, const Lengths& l, int64_t length) const {
    OL_ASSIGN(const FloatOutput present,
              float_output(ctx, output, ctx.in(0).dtype(), Shape{o.batch, kv_heads, length, o.size}));
    const float* old = nullptr;
    if (past) {
      OL_ASSIGN(old, floats_of(ctx, *past));
    }
    const Heads<float> all = heads_4d(present.data, kv_heads, length, o.size);
    const Heads<const float> before = heads_4d(old, kv_heads, past ? past->dim(2) : 0, o.size);
    for (int64_t b = 0; b < o.batch; ++b) {
      const int64_t kept = l.past[static_cast<size_t>(b)], added = std::min(o.seq, length - kept);
      for (int64_t h = 0; h < kv_heads; ++h) {
        if (kept > 0) std::copy_n(before.at(b, h, 0), kept * o.size, all.at(b, h, 0));
        for (int64_t s = 0; s < added; ++s) std::copy_n(tokens.at(b, h, s), o.size, all.at(b, h, kept + s));
        std::fill_n(all.at(b, h, kept + added), (length - kept - added) * o.size, 0.0f);
      }
    }
    present.finish();
    return readable(all);
  }

  Status check_cache(OpContext& ctx, const Operands& o) const {
    if (ctx.has(3) != ctx.has(4)) return run_failed("past_key and past_value must be given together");
    for (int i = 3; ctx.has(3) && i <= 4; ++i) {
      const Tensor& p = ctx.in(i);
      if (p.rank() != 4 || !(p.shape() == Shape{o.batch, kv_heads, ctx.in(3).dim(2), o.size})) {
        return run_failed("the cache has shape ", p.shape(), "; ", Shape{o.batch, kv_heads, -1, o.size},
                          " is expected");
      }
      if (p.dtype() != ctx.in(0).dtype()) return not_implemented("a cache of type ", p.dtype());
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    if (ctx.has(kKScale) || ctx.has(kVScale)) return not_implemented("GroupQueryAttention with a quantized cache");
    OL_ASSIGN(Operands o, operands(ctx));
    OL_TRY(check_cache(ctx, o));
    const int64_t cached = ctx.has(3) ? ctx.in(3).dim(2) : 0;
    OL_ASSIGN(const Lengths l, lengths(ctx, o, cached));
    OL_TRY(norm_and_rotate(ctx, l, &o));

    AttentionArgs args;
    args.batch = o.batch, args.q_heads = heads, args.kv_heads = kv_heads, args.q_len = o.seq;
    args.kv_len = std::max(cached, l.longest), args.head_size = args.v_head_size = o.size;
    args.q = o.q;
    OL_ASSIGN(args.k, cache(ctx, 1, ctx.opt(3), o.k, o, l, args.kv_len));
    OL_ASSIGN(args.v, cache(ctx, 2, ctx.opt(4), o.v, o, l, args.kv_len));
    args.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(o.size));
    args.softcap = softcap;
    args.offsets = l.past.data();
    args.lengths = l.total.data();
    if (causal) args.right = 0;
    if (window > 0) args.left = window - 1;
    if (ctx.has(kBias)) OL_TRY(set_mask(ctx, ctx.in(kBias), true, &args));
    const std::vector<float> zeros(static_cast<size_t>(heads), 0.0f);
    OL_ASSIGN(args.sinks, optional_floats(ctx, kSink));
    if (args.sinks && ctx.in(kSink).size() != heads) return run_failed("head_sink must have ", heads, " elements");
    if (!args.sinks && smooth) args.sinks = zeros.data();

    const DType type = ctx.in(0).dtype();
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, type, Shape{o.batch, o.seq, heads * o.size}));
    args.y = heads_3d(y.data, o.seq, o.size, heads * o.size);
    FloatOutput scores;
    if (ctx.wants(3) && qk_output != 0) {
      if (args.kv_len != l.longest) return not_implemented("output_qk with a cache longer than the sequence");
      OL_ASSIGN(scores, float_output(ctx, 3, type, Shape{o.batch, heads, o.seq, l.longest}));
      args.scores = scores.data;
      args.stage = qk_output == 1 ? AttentionArgs::Stage::kMasked : AttentionArgs::Stage::kSoftmax;
    }
    OL_TRY(run_attention(ctx, args));
    y.finish();
    if (args.scores) scores.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"GroupQueryAttention", 1, make<GroupQueryAttention>},
};

}  // namespace

extern const OpTable kGroupQueryAttentionOps{"com.microsoft", kRows};

}  // namespace onnxlet
