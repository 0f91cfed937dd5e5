// GroupQueryAttention of com.microsoft: causal attention with a key/value cache, as language models export it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "kernels/kv_cache.h"
#include "kernels/normalize.h"
#include "ops/attention_util.h"

namespace onnxlet {
namespace {

// Inputs after query, key, value, past_key, past_value, seqlens_k, total_sequence_length.
enum Input { kCos = 7, kSin, kPositions, kBias, kSink, kKScale, kVScale, kQNorm, kKNorm, kQueryLengths };

// How a cache is quantized.
enum class CacheScale : uint8_t { kNone, kOne, kPerChannel };

struct GroupQueryAttention : Op {
  int64_t heads = 1, kv_heads = 1, window = -1, qk_output = 0, bits = 8;
  bool rotary = false, interleaved = false, smooth = false, causal = true, windowed = false;
  float scale = 0, softcap = 0, q_epsilon = 0, k_epsilon = 0;
  CacheScale quantization[2] = {};

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
    const float epsilon = a.f("qk_norm_epsilon", 1e-6f);
    q_epsilon = a.f("q_norm_epsilon", epsilon);
    k_epsilon = a.f("k_norm_epsilon", epsilon);
    windowed = a.i("sliding_window_cache", 0) != 0;
    bits = a.i("kv_cache_bit_width", 8);
    OL_TRY(read_quantization(a));
    if (kv_heads < 1 || heads < kv_heads || heads % kv_heads != 0) {
      return invalid_graph("num_heads must be a multiple of kv_num_heads; they are ", heads, " and ", kv_heads);
    }
    if (qk_output < 0 || qk_output > 2) return invalid_graph("qk_output must be 0, 1 or 2; it is ", qk_output);
    if (windowed && window < 1) return invalid_graph("sliding_window_cache needs local_window_size; it is ", window);
    if (!causal && window != -1) return invalid_graph("local_window_size needs causal = 1; it is ", window);
    return {};
  }

  Status read_quantization(Attrs& a) {
    for (int i = 0; i < 2; ++i) {
      const std::string_view type = a.s(i == 0 ? "k_quant_type" : "v_quant_type", "NONE");
      if (type != "NONE" && type != "PER_TENSOR" && type != "PER_CHANNEL") {
        return invalid_graph(i == 0 ? "k" : "v", "_quant_type must be NONE, PER_TENSOR or PER_CHANNEL; it is '", type,
                             "'");
      }
      quantization[i] = type == "NONE"         ? CacheScale::kNone
                        : type == "PER_TENSOR" ? CacheScale::kOne
                                               : CacheScale::kPerChannel;
    }
    if (bits != 8 && bits != 4) return invalid_graph("kv_cache_bit_width must be 8 or 4; it is ", bits);
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

  // Where the tokens of every batch row are. The `kept` rows of its cache hold the positions from `base` on; `added`
  // new tokens follow; the cache of fixed size that a window has then gives up its first `dropped` rows.
  struct Lengths {
    std::vector<int64_t> base, kept, added, rows, dropped;  // rows: kept + added
    int64_t longest = 0;                                    // total_sequence_length
    int64_t staged = 0;                                     // rows that attention sees
  };
  Result<Lengths> lengths(OpContext& ctx, const Operands& o, int64_t cached) const {
    OL_ASSIGN(const std::vector<int64_t> last, to_ints(ctx.in(5), "seqlens_k"));
    Lengths l;
    OL_ASSIGN(l.longest, to_int(ctx.in(6), "total_sequence_length"));
    std::vector<int64_t> given;
    if (ctx.has(kQueryLengths)) {
      OL_ASSIGN(given, to_ints(ctx.in(kQueryLengths), "query_seqlens"));
    }
    const auto batch = static_cast<size_t>(o.batch);
    if (last.size() != batch || (ctx.has(kQueryLengths) && given.size() != batch)) {
      return run_failed("seqlens_k and query_seqlens need one element for each of ", batch, " batch rows; they have ",
                        last.size(), " and ", given.size());
    }
    l.staged = windowed ? 1 : std::max(cached, l.longest);
    for (size_t b = 0; b < batch; ++b) {
      const int64_t total = last[b] + 1, added = given.empty() ? std::min(o.seq, total) : given[b];
      const int64_t past = total - added, kept = windowed ? resident(past, cached) : past;
      if (total < 0 || total > l.longest || added < 0 || added > o.seq || past < 0 || kept > cached) {
        return run_failed("seqlens_k has ", last[b], "; with total_sequence_length ", l.longest, ", ", added,
                          " new tokens and a cache of ", cached, " that is impossible");
      }
      l.base.push_back(past - kept);
      l.kept.push_back(kept);
      l.added.push_back(added);
      l.rows.push_back(kept + added);
      l.dropped.push_back(windowed ? kept + added - resident(total, cached) : 0);
      l.staged = std::max(l.staged, kept + added);
    }
    return l;
  }
  // How many of `total` tokens a window's cache holds: it is emptied down to the window whenever it is full.
  int64_t resident(int64_t total, int64_t capacity) const {
    const int64_t slack = capacity - window + 1;
    return total <= capacity ? total : total - (total - capacity + slack - 1) / slack * slack;
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
        normalize_rows(NormalizeRows<float>{copy, o->batch * n * o->seq, o->size, is_query ? q_epsilon : k_epsilon,
                                            false, weight, nullptr, 0, 0, copy, nullptr, nullptr});
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
      for (int64_t t = 0; t < o.batch * o.seq; ++t) {
        const auto b = static_cast<size_t>(t / o.seq);
        const int64_t at = t % o.seq;
        rows->push_back(at < l.added[b] ? l.base[b] + l.kept[b] + at : 0);  // padding stands anywhere
      }
    }
    for (int64_t p : *rows) {
      if (p < 0 || p >= limit) return run_failed("position ", p, " is outside the ", limit, " rows of cos_cache");
    }
    return {};
  }

  // The form of the key (0) or value (1) cache.
  Result<CacheFormat> format(OpContext& ctx, int which, const Operands& o) const {
    CacheFormat f;
    f.size = o.size;
    f.type = ctx.has(3) ? ctx.in(3 + which).dtype() : ctx.in(0).dtype();
    const CacheScale kind = quantization[which];
    if (kind == CacheScale::kNone) {
      if (f.type != ctx.in(0).dtype()) {
        return run_failed("a cache of type ", f.type, " needs ", which == 0 ? "k" : "v", "_quant_type");
      }
      return f;
    }
    f.per_channel = kind == CacheScale::kPerChannel;
    const int input = which == 0 ? kKScale : kVScale;
    const int64_t expected = f.per_channel ? kv_heads * o.size : 1;
    if (!ctx.has(input) || ctx.in(input).size() != expected) {
      return run_failed(which == 0 ? "k" : "v", "_scale must have ", expected, " elements",
                        ctx.has(input) ? text("; its shape is ", ctx.in(input).shape()) : std::string());
    }
    const DType needed = bits == 4 ? DType::kUint8 : f.type == DType::kFloat8E4M3FN ? f.type : DType::kInt8;
    if (!ctx.has(3) || f.type != needed) {
      return run_failed("a quantized cache of ", bits, " bits must be given, of type ", needed,
                        ctx.has(3) ? text("; it has type ", f.type) : std::string());
    }
    f.scale = ctx.in(input).data<float>();
    return f;
  }

  // Writes output `1 + which`: the cache of every batch row with the new tokens behind it. Gives the rows that
  // attention sees as floats, [batch, kv_heads, staged, size].
  Result<Heads<const float>> cache(OpContext& ctx, int which, const Heads<const float>& tokens, const Operands& o,
                                   const Lengths& l) const {
    OL_ASSIGN(const CacheFormat f, format(ctx, which, o));
    const Tensor* past = ctx.opt(3 + which);
    const int64_t cached = past ? past->dim(2) : 0, capacity = windowed ? cached : l.staged, row = f.row_bytes();
    const Shape shape{o.batch, kv_heads, capacity, f.stored_size()};
    OL_ASSIGN(Tensor * present, ctx.out_over(1 + which, windowed ? -1 : 3 + which, f.type, shape));
    const bool in_place = past && present->raw() == past->raw();
    char* stored = static_cast<char*>(present->mutable_raw());
    if (windowed) {
      OL_ASSIGN(stored, ctx.scratch_of<char>(o.batch * kv_heads * l.staged * row));
    }
    float* staged = nullptr;
    if (f.type == DType::kFloat) {
      staged = reinterpret_cast<float*>(stored);
    } else {
      OL_ASSIGN(staged, ctx.scratch_of<float>(o.batch * kv_heads * l.staged * o.size));
    }
    parallel_for(l.staged == 0 ? 0 : o.batch * kv_heads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t head = t % kv_heads, kept = l.kept[static_cast<size_t>(t / kv_heads)],
                      rows = l.rows[static_cast<size_t>(t / kv_heads)];
        char* to = stored + t * l.staged * row;
        if (kept > 0 && !in_place)
          std::memcpy(to, static_cast<const char*>(past->raw()) + t * cached * row, bytes(kept * row));
        for (int64_t s = kept; s < rows; ++s) {
          cache_encode(f, head, tokens.at(t / kv_heads, head, s - kept), to + s * row);
        }
        if (!in_place) std::memset(to + rows * row, 0, bytes((l.staged - rows) * row));
        if (f.type != DType::kFloat) {
          float* out = staged + t * l.staged * o.size;
          cache_decode(f, head, to, rows, out);
          std::fill_n(out + rows * o.size, (l.staged - rows) * o.size, 0.0f);
        }
        if (windowed) {
          const int64_t dropped = l.dropped[static_cast<size_t>(t / kv_heads)], left = rows - dropped;
          char* own = static_cast<char*>(present->mutable_raw()) + t * capacity * row;
          std::memcpy(own, to + dropped * row, bytes(left * row));
          std::memset(own + left * row, 0, bytes((capacity - left) * row));
        }
      }
    });
    return heads_4d(static_cast<const float*>(staged), kv_heads, l.staged, o.size);
  }
  static size_t bytes(int64_t n) { return static_cast<size_t>(n); }

  Status check_cache(OpContext& ctx, const Operands& o) const {
    if (ctx.has(3) != ctx.has(4)) return run_failed("past_key and past_value must be given together");
    if (windowed && (!ctx.has(3) || ctx.in(3).rank() != 4 || ctx.in(3).dim(2) < window)) {
      return run_failed("sliding_window_cache needs a cache of at least local_window_size = ", window, " rows",
                        ctx.has(3) ? text("; its shape is ", ctx.in(3).shape()) : std::string());
    }
    for (int i = 3; ctx.has(3) && i <= 4; ++i) {
      const Tensor& p = ctx.in(i);
      const int64_t stored = p.dtype() == DType::kUint8 ? (o.size + 1) / 2 : o.size;
      if (p.rank() != 4 || !(p.shape() == Shape{o.batch, kv_heads, ctx.in(3).dim(2), stored})) {
        return run_failed("the cache has shape ", p.shape(), "; ", Shape{o.batch, kv_heads, -1, stored},
                          " is expected");
      }
    }
    return {};
  }

  // attention_bias counts absolute positions; a window's cache begins at `base`.
  Status add_bias(OpContext& ctx, const Lengths& l, AttentionArgs* args) const {
    if (!ctx.has(kBias)) return {};
    if (!windowed) return set_mask(ctx, ctx.in(kBias), true, args);
    AttentionArgs whole = *args;
    whole.kv_len = l.longest;
    OL_TRY(set_mask(ctx, ctx.in(kBias), true, &whole));
    const int64_t n = args->kv_len, lines = args->batch * heads * args->q_len;
    OL_ASSIGN(float* own, ctx.scratch_of<float>(lines * n));
    for (int64_t i = 0; i < lines; ++i) {
      const int64_t b = i / (heads * args->q_len), base = l.base[static_cast<size_t>(b)];
      const float* from = whole.mask + b * whole.mask_batch + i / args->q_len % heads * whole.mask_head +
                          i % args->q_len * whole.mask_row;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t at = base + j;
        own[i * n + j] = at < whole.mask_len ? from[at * whole.mask_column] : 0.0f;
      }
    }
    args->mask = own;
    args->mask_column = 1, args->mask_row = n, args->mask_head = args->q_len * n;
    args->mask_batch = heads * args->mask_head, args->mask_len = n;
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(Operands o, operands(ctx));
    OL_TRY(check_cache(ctx, o));
    OL_ASSIGN(const Lengths l, lengths(ctx, o, ctx.has(3) ? ctx.in(3).dim(2) : 0));
    OL_TRY(norm_and_rotate(ctx, l, &o));

    AttentionArgs args;
    args.batch = o.batch, args.q_heads = heads, args.kv_heads = kv_heads, args.q_len = o.seq;
    args.kv_len = l.staged, args.head_size = args.v_head_size = o.size;
    args.q = o.q;
    OL_ASSIGN(args.k, cache(ctx, 0, o.k, o, l));
    OL_ASSIGN(args.v, cache(ctx, 1, o.v, o, l));
    args.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(std::max<int64_t>(o.size, 1)));
    args.softcap = softcap;
    args.offsets = l.kept.data();
    args.lengths = l.rows.data();
    if (causal) args.right = 0;
    if (window > 0) args.left = window - 1;
    OL_TRY(add_bias(ctx, l, &args));
    const std::vector<float> zeros(static_cast<size_t>(heads), 0.0f);
    OL_ASSIGN(args.sinks, optional_floats(ctx, kSink));
    if (args.sinks && ctx.in(kSink).size() != heads) {
      return run_failed("head_sink must have ", heads, " elements; its shape is ", ctx.in(kSink).shape());
    }
    if (!args.sinks && smooth) args.sinks = zeros.data();

    const DType type = ctx.in(0).dtype();
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, type, Shape{o.batch, o.seq, heads * o.size}));
    args.y = heads_3d(y.data, o.seq, o.size, heads * o.size);
    const bool wants_scores = ctx.wants(3) && qk_output != 0;
    if (wants_scores) {
      if (windowed) return not_implemented("output_qk with sliding_window_cache");
      OL_ASSIGN(args.scores, ctx.scratch_of<float>(o.batch * heads * o.seq * l.staged));
      args.stage = qk_output == 1 ? AttentionArgs::Stage::kMasked : AttentionArgs::Stage::kSoftmax;
    }
    OL_TRY(run_attention(ctx, args));
    y.finish();
    return wants_scores ? give_scores(ctx, args, l) : Status();
  }

  // The scores of keys that a query does not see are 0.
  Status give_scores(OpContext& ctx, const AttentionArgs& args, const Lengths& l) const {
    const int64_t lines = args.batch * heads * args.q_len, n = l.longest;
    OL_ASSIGN(const FloatOutput out, float_output(ctx, 3, ctx.in(0).dtype(), Shape{args.batch, heads, args.q_len, n}));
    std::fill_n(out.data, lines * n, 0.0f);
    for (int64_t i = 0; i < lines; ++i) {
      const auto b = static_cast<size_t>(i / (heads * args.q_len));
      const int64_t at = l.kept[b] + i % args.q_len, end = causal ? std::min(l.rows[b], at + 1) : l.rows[b];
      for (int64_t j = window > 0 ? std::max<int64_t>(0, at - window + 1) : 0; j < end; ++j) {
        out.data[i * n + j] = args.scores[i * args.kv_len + j];
      }
    }
    out.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"GroupQueryAttention", 1, make<GroupQueryAttention>},
};

}  // namespace

extern const OpTable kGroupQueryAttentionOps{"com.microsoft", kRows};

}  // namespace onnxlet
