// Attention of com.microsoft, with caches that stay on the device.
#include <algorithm>
#include <cmath>

#include "gpu/attention_parts.h"

namespace onnxlet::gpu {
namespace {

struct GroupQueryAttention : Kernel {
  int64_t heads = 1, kv_heads = 1, window = -1;
  bool rotary = false, interleaved = false, smooth = false, causal = true, usual = true;
  float scale = 0, softcap = 0;

  bool takes_empty() const override { return true; }

  Status init(Attrs& a) {
    heads = a.i("num_heads");
    kv_heads = a.i("kv_num_heads");
    window = a.i("local_window_size", -1);
    rotary = a.i("do_rotary", 0) != 0;
    interleaved = a.i("rotary_interleaved", 0) != 0;
    smooth = a.i("smooth_softmax", 0) > 0;
    causal = a.i("causal", 1) != 0;
    scale = a.f("scale", 0);
    softcap = a.f("softcap", 0);
    usual = a.i("sliding_window_cache", 0) == 0 && a.s("k_quant_type", "NONE") == "NONE" &&
            a.s("v_quant_type", "NONE") == "NONE" && kv_heads > 0 && heads % kv_heads == 0;
    return {};
  }

  // Inputs after query, key, value, past_key, past_value, seqlens_k, total_sequence_length.
  enum Input { kCos = 7, kSin, kPositions, kBias, kSink, kKScale, kVScale, kQNorm, kKNorm, kQueryLengths };

  // Everything that the CPU's would refuse is its to refuse, and so is what is seldom asked for.
  bool fits(const Context& ctx) const {
    for (int i = kKScale; i <= kQueryLengths; ++i) {
      if (ctx.has(i)) return false;
    }
    const Tensor& query = ctx.in(0);
    const int64_t parts = ctx.has(1) ? heads : heads + 2 * kv_heads;
    if (!usual || ctx.wants(3) || !floats(ctx, {0, 1, 2, 3, 4, kCos, kSin, kBias, kSink}) || query.rank() != 3 ||
        query.size() == 0 || query.dim(2) % parts != 0 || ctx.has(1) != ctx.has(2) || ctx.has(3) != ctx.has(4) ||
        !ctx.is_here(5) || !ctx.is_here(6) || ctx.in(5).size() != query.dim(0) || ctx.in(6).size() != 1 ||
        (ctx.has(kPositions) && !ctx.is_here(kPositions)) || (ctx.has(kSink) && ctx.in(kSink).size() != heads)) {
      return false;
    }
    const int64_t size = query.dim(2) / parts;
    const Shape expected{query.dim(0), query.dim(1), kv_heads * size};
    if (ctx.has(1) && (!(ctx.in(1).shape() == expected) || !(ctx.in(2).shape() == expected))) return false;
    for (int i = 3; i <= 4 && ctx.has(i); ++i) {
      if (!has_shape(ctx.in(i), {query.dim(0), kv_heads, ctx.in(3).dim(2), size})) {
        return false;
      }
    }
    return size <= kMostValueSize;
  }

  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx)) return Answer::kDeclined;
    const Tensor& query = ctx.in(0);
    const bool packed = !ctx.has(1);
    const int64_t batch = query.dim(0), tokens = query.dim(1), row = query.dim(2);
    const int64_t size = row / (packed ? heads + 2 * kv_heads : heads), cached = ctx.has(3) ? ctx.in(3).dim(2) : 0;
    const int64_t longest = ctx.in(6).data<int32_t>()[0];
    int64_t most = 0;  // positions that are used
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t total = ctx.in(5).data<int32_t>()[b] + int64_t{1};
      if (total < 1 || total > longest || total - std::min(tokens, total) > cached) return Answer::kDeclined;
      most = std::max(most, total);
    }
    Rotation rotation;
    if (rotary) {
      OL_ASSIGN(const bool fine, read_rotation(ctx, size, batch * tokens, most, &rotation));
      if (!fine) return Answer::kDeclined;
    }
    const int64_t rows = std::max(cached, longest);
    AttentionCall c{batch, heads, kv_heads, tokens, rows, size, size};
    if (ctx.has(kBias)) {
      c.mask = mask_of(ctx, kBias, c, true);
      if (!c.mask) return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, Shape{batch, tokens, heads * size}));
    c.lengths = ctx.buffer(5);
    const auto part = [&](int input, int64_t first) {
      return packed ? heads_3d(ctx.buffer(0), tokens, size, row, first * size)
                    : heads_3d(ctx.buffer(input), tokens, size, ctx.in(input).dim(2));
    };
    c.q = part(0, 0);
    if (rotary) {
      TokensCall t{batch, heads, tokens, size, tokens, c.q};
      t.y = heads_4d(ctx.scratch(static_cast<uint64_t>(batch * heads * tokens * size) * sizeof(float)), heads, tokens,
                     size);
      t.rotation = &rotation;
      t.lengths = c.lengths;
      dispatch_tokens(ctx, t);
      c.q = t.y;
    }
    for (const int i : {1, 2}) {
      TokensCall t{batch, kv_heads, rows, size, tokens, part(i, heads + (i - 1) * kv_heads)};
      OL_ASSIGN(DeviceBufferPtr present, ctx.out(i, DType::kFloat, Shape{batch, kv_heads, rows, size}));
      t.y = heads_4d(std::move(present), kv_heads, rows, size);
      if (cached > 0) t.past = ctx.buffer(2 + i);
      t.cached = cached;
      t.lengths = c.lengths;
      t.cache = true;
      if (rotary && i == 1) t.rotation = &rotation;
      dispatch_tokens(ctx, t);
      (i == 1 ? c.k : c.v) = t.y;
    }
    c.y = heads_3d(std::move(out), tokens, size, heads * size);
    c.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(size));
    c.softcap = softcap;
    if (causal) c.right = 0;
    if (window > 0) c.left = window - 1;
    if (ctx.has(kSink)) c.sinks = ctx.buffer(kSink);
    c.sink = ctx.has(kSink) ? Sink::kGiven : smooth ? Sink::kZero : Sink::kNone;
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }

  Result<bool> read_rotation(Context& ctx, int64_t size, int64_t count, int64_t most, Rotation* r) const {
    if (!ctx.has(kCos) || !ctx.has(kSin)) return false;
    const Tensor& cos = ctx.in(kCos);
    if (cos.rank() != 2 || !(cos.shape() == ctx.in(kSin).shape()) || 2 * cos.dim(1) > size || most > cos.dim(0)) {
      return false;
    }
    if (ctx.has(kPositions)) {
      const Tensor& positions = ctx.in(kPositions);
      if (positions.dtype() != DType::kInt64 || positions.size() != count) return false;
      for (const int64_t p : positions.values<int64_t>()) {
        if (p < 0 || p >= cos.dim(0)) return false;
      }
      r->positions = ctx.buffer(kPositions);
    }
    r->cos = ctx.buffer(kCos);
    r->sin = ctx.buffer(kSin);
    r->half = cos.dim(1);
    r->interleaved = interleaved;
    return true;
  }
};

// Everything that is seldom asked for is the CPU's: caches with room, beams, the scores as an output.
struct MultiHeadAttention : Kernel {
  int64_t heads = 1;
  bool causal = false;
  float scale = 0, filter = -10000;

  Status init(Attrs& a) {
    heads = a.i("num_heads");
    scale = a.f("scale", 0);
    filter = a.f("mask_filter_value", -10000);
    causal = a.i("unidirectional", 0) != 0;
    return {};
  }

  enum Input { kBias = 3, kPadding, kScoreBias, kPastKey, kPastValue, kPastLength, kIndirection };

  // Query, keys and values as the operator may be given them: query, key and value apart, or all in one.
  struct Operands {
    Heads q, k, v;
    int64_t batch = 0, tokens = 0, added = 0, size = 0, v_size = 0;
    bool kv_has_bias = false;
  };
  bool read(Context& ctx, Operands* o) const {
    const Tensor& query = ctx.in(0);
    if (query.rank() != 3 && query.rank() != 5) return false;
    o->batch = query.dim(0);
    o->tokens = o->added = query.dim(1);
    if (!ctx.has(1)) {
      const bool five = query.rank() == 5;
      const int64_t row = query.size() / (o->batch * o->tokens);
      if (row % (3 * heads) != 0 || ctx.has(kBias) || (five && (query.dim(2) != heads || query.dim(3) != 3)))
        return false;
      const int64_t size = o->size = o->v_size = row / (3 * heads);
      const auto part = [&](int64_t i) {
        return Heads{ctx.buffer(0), o->tokens * row, five ? 3 * size : size, row, i * (five ? size : heads * size)};
      };
      o->q = part(0), o->k = part(1), o->v = part(2);
      return true;
    }
    const Tensor &key = ctx.in(1), &value = ctx.in(2);
    if (query.rank() != 3 || query.dim(2) % heads != 0 || !ctx.has(2) || key.rank() != value.rank() ||
        (key.rank() != 3 && key.rank() != 4) || key.dim(0) != o->batch || value.dim(0) != o->batch) {
      return false;
    }
    const bool four = key.rank() == 4;
    o->size = query.dim(2) / heads;
    o->q = heads_3d(ctx.buffer(0), o->tokens, o->size, query.dim(2));
    o->added = key.dim(four ? 2 : 1);
    o->v_size = four ? value.dim(3) : value.dim(2) / heads;
    o->kv_has_bias = !four;
    const bool fits = four ? has_shape(key, {o->batch, heads, o->added, o->size}) &&
                                 has_shape(value, {o->batch, heads, o->added, o->v_size})
                           : has_shape(key, {o->batch, o->added, query.dim(2)}) &&
                                 has_shape(value, {o->batch, o->added, heads * o->v_size});
    if (!fits) return false;
    const auto view = [&](int input, int64_t size) {
      return four ? heads_4d(ctx.buffer(input), heads, o->added, size)
                  : heads_3d(ctx.buffer(input), o->added, size, heads * size);
    };
    o->k = view(1, o->size), o->v = view(2, o->v_size);
    return true;
  }

  // Adds the part of the bias that begins at `from` to what [batch, tokens, row] is.
  static Heads biased(Context& ctx, Heads x, int64_t batch, int64_t tokens, int64_t row, int64_t from) {
    const Shape shape{batch, tokens, row};
    const DeviceBufferPtr part = ctx.scratch(static_cast<uint64_t>(row) * 4);
    DeviceBufferPtr sum = ctx.scratch(static_cast<uint64_t>(shape.size()) * 4);
    ctx.commands().copy(*ctx.buffer(kBias), static_cast<uint64_t>(from) * 4, *part, 0, static_cast<uint64_t>(row) * 4);
    map(ctx, {"Add", {{x.buffer, DType::kFloat, shape}, {part, DType::kFloat, Shape{row}}}, DType::kFloat}, shape, sum);
    x.buffer = std::move(sum);
    return x;
  }

  // How many keys are valid, [batch], or zeros where they are not, [batch, keys].
  Result<std::optional<Mask>> padding(Context& ctx, int64_t batch, int64_t keys) const {
    const Tensor& t = ctx.in(kPadding);
    const bool counts = t.rank() == 1 && t.size() == batch;
    if (!ctx.is_here(kPadding) || !(counts || has_shape(t, {batch, keys}))) return std::optional<Mask>();
    OL_ASSIGN(Tensor table, Tensor::allocate(ctx.pool(), DType::kFloat, Shape{batch, keys}));
    const auto* given = t.data<int32_t>();
    for (int64_t i = 0; i < batch * keys; ++i) {
      const bool seen = counts ? i % keys < given[i / keys] : given[i] != 0;
      table.mutable_data<float>()[i] = seen ? 0 : filter;
    }
    return std::optional<Mask>(Mask{ctx.upload(std::move(table)), DType::kFloat, Shape{keys, 0, 0, 1}, keys});
  }

  Result<Answer> run(Context& ctx) const override {
    Operands o;
    if (heads < 1 || !floats(ctx, {0, 1, 2, kBias, kScoreBias, kPastKey, kPastValue}) || ctx.wants(3) ||
        ctx.has(kPastLength) || ctx.has(kIndirection) || ctx.has(kPastKey) != ctx.has(kPastValue) ||
        (ctx.has(kPadding) && ctx.has(kScoreBias)) || !read(ctx, &o) || o.v_size > kMostValueSize) {
      return Answer::kDeclined;
    }
    const int64_t past = ctx.has(kPastKey) && ctx.in(kPastKey).rank() == 4 ? ctx.in(kPastKey).dim(2) : 0;
    const int64_t hidden = heads * o.size, v_hidden = heads * o.v_size;
    if ((ctx.has(kPastKey) && (!has_shape(ctx.in(kPastKey), {o.batch, heads, past, o.size}) ||
                               !has_shape(ctx.in(kPastValue), {o.batch, heads, past, o.v_size}))) ||
        (ctx.has(kBias) && ctx.in(kBias).size() != 2 * hidden + v_hidden)) {
      return Answer::kDeclined;
    }
    AttentionCall c{o.batch, heads, heads, o.tokens, past + o.added, o.size, o.v_size};
    if (ctx.has(kScoreBias)) {
      c.mask = mask_of(ctx, kScoreBias, c, true);
    } else if (ctx.has(kPadding)) {
      OL_ASSIGN(c.mask, padding(ctx, o.batch, c.keys));
    }
    if ((ctx.has(kScoreBias) || ctx.has(kPadding)) && !c.mask) return Answer::kDeclined;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, Shape{o.batch, o.tokens, v_hidden}));
    c.q = ctx.has(kBias) ? biased(ctx, o.q, o.batch, o.tokens, hidden, 0) : o.q;
    if (ctx.has(kBias) && o.kv_has_bias) {
      o.k = biased(ctx, o.k, o.batch, o.added, hidden, hidden);
      o.v = biased(ctx, o.v, o.batch, o.added, v_hidden, 2 * hidden);
    }
    OL_ASSIGN(c.k, cache(ctx, 1, kPastKey, o.k, {o.batch, heads, o.added, o.size}, past));
    OL_ASSIGN(c.v, cache(ctx, 2, kPastValue, o.v, {o.batch, heads, o.added, o.v_size}, past));
    c.y = heads_3d(std::move(out), o.tokens, o.v_size, v_hidden);
    c.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(o.size));
    c.offset = past;
    if (causal) c.right = 0;
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"com.microsoft", "GroupQueryAttention", 1, make<GroupQueryAttention>},
    {"com.microsoft", "MultiHeadAttention", 1, make<MultiHeadAttention>},
};

}  // namespace

Table attention_contrib_rows() { return kRows; }

}  // namespace onnxlet::gpu
