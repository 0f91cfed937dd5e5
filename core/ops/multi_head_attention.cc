// MultiHeadAttention and DecoderMaskedMultiHeadAttention of com.microsoft.
#include <algorithm>
#include <limits>

#include "ops/attention_padding.h"

namespace onnxlet {
namespace {

// Where the inputs behind query, key and value are; -1: not there.
struct Inputs {
  int bias, mask, attention_bias, past_key, past_value, past_length, indirection;
};
constexpr Inputs kMultiHead{3, 4, 5, 6, 7, 8, 9}, kDecoder{10, 3, 4, 5, 6, 7, 9};

struct HeadsAttention : ContribAttention {
  // The cached tokens before the new ones.
  struct Past {
    int64_t length = 0;
    bool buffer = false;               // the cache has room for more tokens than there are, and its present is as long
    const int32_t* beam_of = nullptr;  // [batch, room]: which beam of its group the token of a cache row is taken from
    int64_t beams = 1, room = 0;
  };

  Status attend(OpContext& ctx, const Inputs& at) const {
    const Tensor& query = ctx.in(0);
    AttentionArgs args;
    args.q_heads = args.kv_heads = heads;
    int64_t kv_new = 0;
    bool kv_has_bias = true;  // keys and values that were cached before had it added then
    OL_TRY(read_operands(ctx, query, &args, &kv_new, &kv_has_bias));
    OL_ASSIGN(const Past past, read_past(ctx, at, args.batch, kv_new));
    OL_ASSIGN(const float* bias, optional_floats(ctx, at.bias));
    const int64_t hidden = heads * args.head_size, v_hidden = heads * args.v_head_size;
    if (bias && ctx.in(at.bias).size() != 2 * hidden + v_hidden) {
      return run_failed("bias has shape ", ctx.in(at.bias).shape(), "; ", 2 * hidden + v_hidden,
                        " elements are expected");
    }
    if (bias) {
      OL_ASSIGN(float* q, ctx.scratch_of<float>(args.batch * args.q_len * hidden));
      const Heads<float> with = heads_4d(q, heads, args.q_len, args.head_size);
      copy_with_bias(args.q, with, args.batch, heads, args.q_len, args.head_size, bias);
      args.q = readable(with);
    }
    const bool add = bias && kv_has_bias;
    OL_ASSIGN(args.k, cache(ctx, 1, at.past_key, args.k, args.batch, kv_new, args.head_size, past,
                            add ? bias + hidden : nullptr));
    OL_ASSIGN(args.v, cache(ctx, 2, at.past_value, args.v, args.batch, kv_new, args.v_head_size, past,
                            add ? bias + 2 * hidden : nullptr));
    args.kv_len = past.length + kv_new;
    set_sizes(&args);
    const std::vector<int64_t> offsets(static_cast<size_t>(args.batch), past.length);
    args.offsets = offsets.data();
    OL_TRY(set_padding(ctx, ctx.opt(at.mask), ctx.opt(at.attention_bias), &args));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, query.dtype(), Shape{args.batch, args.q_len, v_hidden}));
    args.y = heads_3d(y.data, args.q_len, args.v_head_size, v_hidden);
    FloatOutput scores;
    if (ctx.wants(3)) {
      OL_ASSIGN(scores, float_output(ctx, 3, query.dtype(), Shape{args.batch, heads, args.q_len, args.kv_len}));
      args.scores = scores.data;
      args.stage = AttentionArgs::Stage::kMasked;
    }
    OL_TRY(run_attention(ctx, args));
    y.finish();
    if (!args.scores) return {};
    for (int64_t i = 0; causal && i < args.batch * heads * args.q_len; ++i) {  // what onnxruntime shows for the future
      const int64_t seen = std::min(past.length + i % args.q_len + 1, args.kv_len);
      std::fill(args.scores + i * args.kv_len + seen, args.scores + (i + 1) * args.kv_len,
                std::numeric_limits<float>::lowest());
    }
    scores.finish();
    return {};
  }

  Result<Past> read_past(OpContext& ctx, const Inputs& at, int64_t batch, int64_t added) const {
    Past p;
    if (ctx.has(at.past_key) != ctx.has(at.past_value)) {
      return run_failed("past_key and past_value must be given together");
    }
    if (!ctx.has(at.past_key)) return p;
    if (ctx.in(at.past_key).rank() != 4) {
      return run_failed("past_key must have rank 4; its shape is ", ctx.in(at.past_key).shape());
    }
    p.length = p.room = ctx.in(at.past_key).dim(2);
    if (!ctx.has(at.past_length)) return p;
    p.buffer = true;
    OL_ASSIGN(p.length, to_int(ctx.in(at.past_length), "past_sequence_length"));
    if (p.length < 0 || p.length + added > p.room) {
      return run_failed("past_sequence_length is ", p.length, "; with ", added, " new tokens the cache has room for ",
                        p.room);
    }
    if (!ctx.has(at.indirection)) return p;
    const Tensor& t = ctx.in(at.indirection);
    if (t.rank() != 3 || t.dim(0) * t.dim(1) != batch || t.dim(2) < p.length) {
      return run_failed("cache_indirection of shape ", t.shape(), " does not fit a batch of ", batch,
                        " with its beams, and ", p.length, " cached tokens");
    }
    p.beam_of = t.data<int32_t>();
    p.beams = t.dim(1);
    p.room = t.dim(2);
    for (int64_t i = 0; i < t.size(); ++i) {
      if (i % p.room < p.length && (p.beam_of[i] < 0 || p.beam_of[i] >= p.beams)) {
        return run_failed("cache_indirection has ", p.beam_of[i], "; there are ", p.beams, " beams");
      }
    }
    return p;
  }

  // Query alone, [batch, seq, heads, 3, size] or [batch, seq, q | k | v]; or query [batch, seq, hidden] with key
  // [batch, seq, heads, 2, size], with key and value [batch, seq, hidden], or with both as [batch, heads, seq, size].
  Status read_operands(OpContext& ctx, const Tensor& query, AttentionArgs* args, int64_t* kv_new,
                       bool* kv_has_bias) const {
    OL_ASSIGN(const float* q, floats_of(ctx, query));
    args->batch = query.rank() > 0 ? query.dim(0) : 0;
    const auto refuse = [&] {
      return run_failed("query of shape ", query.shape(), ctx.has(1) ? ", key of shape " : "",
                        ctx.has(1) ? text(ctx.in(1).shape()) : std::string(), " and their value do not fit ", heads,
                        " heads");
    };
    if (query.rank() == 5) {
      const int64_t size = query.dim(4), row = heads * 3 * size;
      if (query.dim(2) != heads || query.dim(3) != 3 || ctx.has(1)) return refuse();
      args->q_len = *kv_new = query.dim(1);
      args->head_size = args->v_head_size = size;
      const auto part = [&](int64_t i) { return Heads<const float>{q + i * size, args->q_len * row, 3 * size, row}; };
      args->q = part(0), args->k = part(1), args->v = part(2);
      return {};
    }
    if (query.rank() == 3 && !ctx.has(1) && query.dim(2) % (3 * heads) == 0) {
      const int64_t row = query.dim(2), hidden = row / 3;
      args->q_len = *kv_new = query.dim(1);
      args->head_size = args->v_head_size = hidden / heads;
      const auto part = [&](int64_t i) { return heads_3d(q + i * hidden, args->q_len, args->head_size, row); };
      args->q = part(0), args->k = part(1), args->v = part(2);
      return {};
    }
    if (query.rank() != 3 || query.dim(2) % heads != 0 || !ctx.has(1)) return refuse();
    const Tensor& key = ctx.in(1);
    OL_ASSIGN(const float* k, floats_of(ctx, key));
    OL_ASSIGN(const float* v, optional_floats(ctx, 2));
    const int64_t size = query.dim(2) / heads;
    args->q_len = query.dim(1);
    args->head_size = args->v_head_size = size;
    args->q = heads_3d(q, args->q_len, size, query.dim(2));
    if (key.rank() == 5 && key.dim(0) == args->batch && key.dim(2) == heads && key.dim(3) == 2 && key.dim(4) == size &&
        !v) {
      *kv_new = key.dim(1);
      const int64_t row = heads * 2 * size;
      args->k = {k, *kv_new * row, 2 * size, row};
      args->v = {k + size, *kv_new * row, 2 * size, row};
      return {};
    }
    if (!v || key.rank() < 1 || ctx.in(2).rank() != key.rank()) return refuse();
    const Tensor& value = ctx.in(2);
    if (key.dim(0) != args->batch || value.dim(0) != args->batch) return refuse();
    if (key.rank() == 3 && key.dim(2) == query.dim(2) && value.dim(2) % heads == 0 && value.dim(1) == key.dim(1)) {
      *kv_new = key.dim(1);
      args->v_head_size = value.dim(2) / heads;
      args->k = heads_3d(k, *kv_new, size, key.dim(2));
      args->v = heads_3d(v, *kv_new, args->v_head_size, value.dim(2));
      return {};
    }
    if (key.rank() == 4 && key.dim(1) == heads && key.dim(3) == size && value.dim(1) == heads &&
        value.dim(2) == key.dim(2)) {
      *kv_new = key.dim(2);
      *kv_has_bias = false;
      args->v_head_size = value.dim(3);
      args->k = heads_4d(k, heads, *kv_new, size);
      args->v = heads_4d(v, heads, *kv_new, args->v_head_size);
      return {};
    }
    return refuse();
  }

  // Writes the present output when it is wanted. Gives the tokens that attention sees, cached ones first.
  Result<Heads<const float>> cache(OpContext& ctx, int output, int past_input, const Heads<const float>& tokens,
                                   int64_t batch, int64_t seq, int64_t size, const Past& before,
                                   const float* bias) const {
    const Tensor* past = ctx.opt(past_input);
    if (!past && !ctx.wants(output) && !bias) return tokens;
    const float* old = nullptr;
    int64_t room = 0;
    if (past) {
      room = past->rank() == 4 ? past->dim(2) : 0;
      if (!(past->shape() == Shape{batch, heads, room, size}) || room < before.length) {
        return run_failed("the cache has shape ", past->shape(), "; ", Shape{batch, heads, -1, size}, " is expected");
      }
      OL_ASSIGN(old, floats_of(ctx, *past));
    }
    const int64_t total = before.length + seq, length = before.buffer ? room : total;
    OL_ASSIGN(const FloatOutput present,
              float_output(ctx, output, ctx.in(0).dtype(), Shape{batch, heads, length, size}));
    const Heads<float> all = heads_4d(present.data, heads, length, size);
    const Heads<const float> cached = heads_4d(old, heads, room, size);
    if (old) copy_tokens(cached, all, batch, heads, before.buffer ? room : before.length, size, 0);
    Heads<float> rest = all;
    rest.data += before.length * size;
    copy_with_bias(tokens, rest, batch, heads, seq, size, bias);
    present.finish();
    if (!before.beam_of) return readable(all);
    OL_ASSIGN(float* own, ctx.scratch_of<float>(batch * heads * total * size));
    const Heads<float> chosen = heads_4d(own, heads, total, size);
    copy_tokens(readable(all), chosen, batch, heads, total, size, 0);
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t j = 0; j < before.length; ++j) {
        const int64_t from = b / before.beams * before.beams + before.beam_of[b * before.room + j];
        for (int64_t h = 0; h < heads; ++h) std::copy_n(cached.at(from, h, j), size, chosen.at(b, h, j));
      }
    }
    return readable(chosen);
  }
};

struct MultiHeadAttention : HeadsAttention {
  Status init(Attrs& a) { return read(a); }
  Status run(OpContext& ctx) const override { return attend(ctx, kMultiHead); }
};

// One token behind a cache, or over given keys and values.
struct DecoderMaskedMultiHeadAttention : HeadsAttention {
  Status init(Attrs& a) {
    a.ignore("past_present_share_buffer");  // past_sequence_length says it
    a.ignore("output_qk");                  // and whether the output is there
    return read(a);
  }
  Status run(OpContext& ctx) const override {
    constexpr int kBeamWidth = 8;
    if (ctx.has(kBeamWidth)) {
      OL_ASSIGN(const int64_t beams, to_int(ctx.in(kBeamWidth), "beam_width"));
      if (beams > 1 && (!ctx.has(kDecoder.indirection) || ctx.in(kDecoder.indirection).rank() != 3 ||
                        ctx.in(kDecoder.indirection).dim(1) != beams)) {
        return run_failed("beam_width is ", beams, "; cache_indirection must be given for as many beams");
      }
    }
    return attend(ctx, kDecoder);
  }
};

const OpRow kRows[] = {
    {"MultiHeadAttention", 1, make<MultiHeadAttention>},
    {"DecoderMaskedMultiHeadAttention", 1, make<DecoderMaskedMultiHeadAttention>},
};

}  // namespace

extern const OpTable kMultiHeadAttentionOps{"com.microsoft", kRows};

}  // namespace onnxlet
