// Attention, QAttention and MultiHeadAttention of com.microsoft. GroupQueryAttention is in group_query_attention.cc.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/panel_gemm.h"
#include "ops/attention_util.h"

namespace onnxlet {
namespace {

// What the three operators have in common: padding masks in several forms, a mask value, a bias on the scores.
struct ContribAttention : Op {
  int64_t heads = 1;
  bool has_scale = false, causal = false;
  float scale = 0, filter = -10000;

  Status read(Attrs& a) {
    heads = a.i("num_heads");
    has_scale = a.f("scale", 0) != 0;
    scale = a.f("scale", 0);
    filter = a.f("mask_filter_value", -10000);
    causal = a.i("unidirectional", 0) != 0;
    if (heads < 1) return invalid_graph("num_heads must be positive; it is ", heads);
    return {};
  }

  void set_sizes(AttentionArgs* args) const {
    args->scale = has_scale ? scale : 1 / std::sqrt(static_cast<float>(args->head_size));
    if (causal) args->right = 0;
  }

  // Which keys of row (b, i) the padding mask leaves out get the filter value added; `bias` broadcasts over them.
  Status set_padding(OpContext& ctx, const Tensor* padding, const Tensor* bias, AttentionArgs* args) const {
    if (!padding) return bias ? set_mask(ctx, *bias, true, args) : Status();
    const int64_t batch = args->batch, total = args->kv_len, rows = padding->rank() == 3 ? args->q_len : 1;
    OL_ASSIGN(float* mask, ctx.scratch_of<float>(batch * rows * total));
    OL_TRY(padding_mask(*padding, batch, rows, total, mask));
    if (!bias) {
      args->mask = mask;
      args->mask_batch = rows * total, args->mask_row = rows == 1 ? 0 : total, args->mask_column = 1;
      args->mask_len = total;
      return {};
    }
    AttentionArgs only_bias = *args;
    OL_TRY(set_mask(ctx, *bias, true, &only_bias));
    const int64_t bias_heads = only_bias.mask_head == 0 ? 1 : args->q_heads, q_len = args->q_len;
    OL_ASSIGN(float* sum, ctx.scratch_of<float>(batch * bias_heads * q_len * total));
    float* out = sum;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t h = 0; h < bias_heads; ++h) {
        for (int64_t i = 0; i < q_len; ++i) {
          const float* m = mask + (b * rows + (rows == 1 ? 0 : i)) * total;
          const float* p = only_bias.mask + b * only_bias.mask_batch + h * only_bias.mask_head + i * only_bias.mask_row;
          for (int64_t j = 0; j < total; ++j) *out++ = m[j] + p[j * only_bias.mask_column];
        }
      }
    }
    args->mask = sum;
    args->mask_batch = bias_heads * q_len * total, args->mask_head = bias_heads == 1 ? 0 : q_len * total;
    args->mask_row = total, args->mask_column = 1, args->mask_len = total;
    return {};
  }

  // [batch] or [3 * batch + 2]: how many keys are valid; [2 * batch]: ends, then starts; [batch, total] and
  // [batch, q_len, total]: zero where masked.
  Status padding_mask(const Tensor& t, int64_t batch, int64_t rows, int64_t total, float* mask) const {
    const int32_t* p = t.data<int32_t>();
    const int64_t n = t.size();
    if (t.rank() == 1 && (n == batch || n == 2 * batch || n == 3 * batch + 2)) {
      for (int64_t b = 0; b < batch; ++b) {
        const int64_t end = p[b], start = n == 2 * batch ? p[batch + b] : 0;
        for (int64_t j = 0; j < total; ++j) mask[b * total + j] = j < end && j >= start ? 0 : filter;
      }
      return {};
    }
    if ((t.rank() == 2 || t.rank() == 3) && n == batch * rows * total && t.shape().back() == total) {
      for (int64_t i = 0; i < n; ++i) mask[i] = p[i] != 0 ? 0 : filter;
      return {};
    }
    return not_implemented("a padding mask of shape ", t.shape(), " for a batch of ", batch, " and ", total, " keys");
  }
};

// Copies with an optional bias per element of the head, [heads * size].
void copy_with_bias(const Heads<const float>& from, const Heads<float>& to, int64_t batch, int64_t heads, int64_t seq,
                    int64_t size, const float* bias) {
  parallel_for(batch * heads, grain_for(seq * size), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t s = 0; s < seq; ++s) {
        const float* x = from.at(t / heads, t % heads, s);
        float* y = to.at(t / heads, t % heads, s);
        for (int64_t i = 0; i < size; ++i) y[i] = x[i] + (bias ? bias[t % heads * size + i] : 0.0f);
      }
    }
  });
}

struct MultiHeadAttention : ContribAttention {
  Status init(Attrs& a) { return read(a); }

  Status run(OpContext& ctx) const override {
    const Tensor& query = ctx.in(0);
    if (ctx.has(8) || ctx.has(9))
      return not_implemented("MultiHeadAttention with a shared cache buffer for beam search");
    AttentionArgs args;
    args.q_heads = args.kv_heads = heads;
    int64_t kv_new = 0;
    bool kv_has_bias = true;  // keys and values that were cached before had it added then
    OL_TRY(read_operands(ctx, query, &args, &kv_new, &kv_has_bias));
    OL_ASSIGN(const float* bias, optional_floats(ctx, 3));
    const int64_t hidden = heads * args.head_size, v_hidden = heads * args.v_head_size;
    if (bias && ctx.in(3).size() != 2 * hidden + v_hidden) {
      return run_failed("bias has shape ", ctx.in(3).shape(), "; ", 2 * hidden + v_hidden, " elements are expected");
    }
    if (bias) {
      OL_ASSIGN(float* q, ctx.scratch_of<float>(args.batch * args.q_len * hidden));
      const Heads<float> with = heads_4d(q, heads, args.q_len, args.head_size);
      copy_with_bias(args.q, with, args.batch, heads, args.q_len, args.head_size, bias);
      args.q = readable(with);
    }
    const bool add = bias && kv_has_bias;
    OL_ASSIGN(args.k, cache(ctx, 1, 6, args.k, args.batch, kv_new, args.head_size, add ? bias + hidden : nullptr));
    OL_ASSIGN(args.v,
              cache(ctx, 2, 7, args.v, args.batch, kv_new, args.v_head_size, add ? bias + 2 * hidden : nullptr));
    const int64_t past = ctx.has(6) ? ctx.in(6).dim(2) : 0;
    args.kv_len = past + kv_new;
    set_sizes(&args);
    const std::vector<int64_t> offsets(static_cast<size_t>(args.batch), past);
    args.offsets = offsets.data();
    OL_TRY(set_padding(ctx, ctx.opt(4), ctx.opt(5), &args));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, query.dtype(), Shape{args.batch, args.q_len, v_hidden}));
    args.y = heads_3d(y.data, args.q_len, args.v_head_size, v_hidden);
    FloatOutput scores;
    if (ctx.wants(3)) {
      OL_ASSIGN(scores, float_output(ctx, 3, query.dtype(), Shape{args.batch, heads, args.q_len, args.kv_len}));
      args.scores = scores.data;
      args.stage = AttentionArgs::Stage::kProduct;
    }
    OL_TRY(run_attention(ctx, args));
    y.finish();
    if (args.scores) scores.finish();
    return {};
  }

  // Query alone [batch, seq, heads, 3, size]; or query [batch, seq, hidden] with key [batch, seq, heads, 2, size], with
  // key and value [batch, seq, hidden], or with both as [batch, heads, seq, size].
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
    if (query.rank() != 3 || query.dim(2) % heads != 0 || !ctx.has(1)) return refuse();
    const Tensor& key = ctx.in(1);
    OL_ASSIGN(const float* k, floats_of(ctx, key));
    OL_ASSIGN(const float* v, optional_floats(ctx, 2));
    const int64_t size = query.dim(2) / heads;
    args->q_len = query.dim(1);
    args->head_size = args->v_head_size = size;
    args->q = heads_3d(q, args->q_len, size, query.dim(2));
    if (key.rank() == 5 && key.dim(2) == heads && key.dim(3) == 2 && key.dim(4) == size && !v) {
      *kv_new = key.dim(1);
      const int64_t row = heads * 2 * size;
      args->k = {k, *kv_new * row, 2 * size, row};
      args->v = {k + size, *kv_new * row, 2 * size, row};
      return {};
    }
    if (!v || key.dim(0) != args->batch || ctx.in(2).rank() != key.rank()) return refuse();
    const Tensor& value = ctx.in(2);
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

  Result<Heads<const float>> cache(OpContext& ctx, int output, int past_input, const Heads<const float>& tokens,
                                   int64_t batch, int64_t seq, int64_t size, const float* bias) const {
    const Tensor* past = ctx.opt(past_input);
    if (!past && !ctx.wants(output) && !bias) return tokens;
    int64_t before = 0;
    const float* old = nullptr;
    if (past) {
      if (past->rank() != 4 || !(past->shape() == Shape{batch, heads, past->dim(2), size})) {
        return run_failed("the cache has shape ", past->shape(), "; ", Shape{batch, heads, -1, size}, " is expected");
      }
      before = past->dim(2);
      OL_ASSIGN(old, floats_of(ctx, *past));
    }
    const int64_t total = before + seq;
    OL_ASSIGN(const FloatOutput present,
              float_output(ctx, output, ctx.in(0).dtype(), Shape{batch, heads, total, size}));
    const Heads<float> all = heads_4d(present.data, heads, total, size);
    if (old) copy_tokens(heads_4d(old, heads, before, size), all, batch, heads, before, size, 0);
    Heads<float> rest = all;
    rest.data += before * size;
    copy_with_bias(tokens, rest, batch, heads, seq, size, bias);
    present.finish();
    return readable(all);
  }
};

// The projections of Attention and QAttention in one product: [batch, seq, q | k | v].
struct PackedAttention : ContribAttention {
  std::vector<int64_t> sizes;  // hidden sizes of q, k, v; empty: a third each

  Status read_packed(Attrs& a) {
    OL_TRY(read(a));
    sizes = a.ints("qkv_hidden_sizes");
    if (!sizes.empty() && (sizes.size() != 3 || sizes[0] != sizes[1])) {
      return invalid_graph("qkv_hidden_sizes must be three numbers, the first two equal");
    }
    if (a.i("do_rotary", 0) != 0) return not_implemented("Attention with do_rotary; use RotaryEmbedding nodes");
    if (a.i("past_present_share_buffer", 0) != 0) return not_implemented("Attention with past_present_share_buffer");
    a.ignore("rotary_embedding_dim");
    return {};
  }

  // projected: [batch, seq, q + k + v].
  Status attend(OpContext& ctx, const float* projected, int64_t batch, int64_t seq, int64_t columns, DType type,
                const Tensor* padding, const Tensor* past, const Tensor* bias) const {
    const int64_t q_hidden = sizes.empty() ? columns / 3 : sizes[0];
    const int64_t v_hidden = sizes.empty() ? columns / 3 : sizes[2];
    if (2 * q_hidden + v_hidden != columns || q_hidden % heads != 0 || v_hidden % heads != 0) {
      return run_failed("weights with ", columns, " columns do not split into q, k and v of ", heads, " heads");
    }
    AttentionArgs args;
    args.batch = batch, args.q_heads = args.kv_heads = heads, args.q_len = seq;
    args.head_size = q_hidden / heads, args.v_head_size = v_hidden / heads;
    args.q = heads_3d(projected, seq, args.head_size, columns);
    args.k = heads_3d(projected + q_hidden, seq, args.head_size, columns);
    args.v = heads_3d(projected + 2 * q_hidden, seq, args.v_head_size, columns);
    int64_t before = 0;
    if (past) {
      const Shape& s = past->shape();
      if (s.rank() != 5 || !(s == Shape{2, batch, heads, s[3], args.head_size}) || q_hidden != v_hidden) {
        return run_failed("past has shape ", s, "; ", Shape{2, batch, heads, -1, args.head_size}, " is expected");
      }
      before = s[3];
    }
    args.kv_len = before + seq;
    FloatOutput present;
    if (past || ctx.wants(1)) {
      if (q_hidden != v_hidden) return not_implemented("a present output with values of another size than keys");
      const int64_t size = args.head_size, half = batch * heads * args.kv_len * size;
      OL_ASSIGN(present, float_output(ctx, 1, type, Shape{2, batch, heads, args.kv_len, size}));
      const float* old = nullptr;
      if (past) {
        OL_ASSIGN(old, floats_of(ctx, *past));
      }
      for (int i = 0; i < 2; ++i) {
        Heads<const float>& tokens = i == 0 ? args.k : args.v;
        const Heads<float> all = heads_4d(present.data + i * half, heads, args.kv_len, size);
        const float* from = old ? old + i * batch * heads * before * size : nullptr;
        if (old) copy_tokens(heads_4d(from, heads, before, size), all, batch, heads, before, size, 0);
        copy_tokens(tokens, all, batch, heads, seq, size, before);
        tokens = readable(all);
      }
      present.finish();
    }
    set_sizes(&args);
    const std::vector<int64_t> offsets(static_cast<size_t>(batch), before);
    args.offsets = offsets.data();
    OL_TRY(set_padding(ctx, padding, bias, &args));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, type, Shape{batch, seq, v_hidden}));
    args.y = heads_3d(y.data, seq, args.v_head_size, v_hidden);
    OL_TRY(run_attention(ctx, args));
    y.finish();
    return {};
  }

  // x[rows, k] * w[k, n] + bias[n]; packed may hold w already.
  static Result<const float*> project(OpContext& ctx, const float* x, int64_t rows, int64_t k, const float* w,
                                      int64_t n, const float* packed, const float* bias) {
    if (!packed) {
      OL_ASSIGN(float* panels, ctx.scratch_of<float>(packed_panels_size(k, n)));
      pack_panels(w, k, n, n, 1, panels);
      packed = panels;
    }
    OL_ASSIGN(float* out, ctx.scratch_of<float>(rows * n));
    for (int64_t r = 0; r < rows; ++r) {
      if (bias) {
        std::copy_n(bias, n, out + r * n);
      } else {
        std::fill_n(out + r * n, n, 0.0f);
      }
    }
    panel_gemm(PanelGemm{x, rows, k, k, packed, kPanel * k, n, out, n});
    return static_cast<const float*>(out);
  }

  static Status check(const Tensor& x, const Tensor& w, const Tensor* bias) {
    if (x.rank() != 3 || w.rank() != 2 || w.dim(0) != x.dim(2) || (bias && bias->size() != w.dim(1))) {
      return run_failed("input of shape ", x.shape(), " and weights of shape ", w.shape(), " do not fit together",
                        bias ? text(", or the bias of shape ", bias->shape()) : std::string());
    }
    return {};
  }
};

struct Attention : PackedAttention {
  Tensor packed_;

  Status init(Attrs& a) { return read_packed(a); }

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 2 || !constants[1].valid() || constants[1].rank() != 2) return {};
    const Tensor& w = constants[1];
    OL_ASSIGN(packed_, Tensor::allocate(pool, DType::kFloat, Shape{packed_panels_size(w.dim(0), w.dim(1))}));
    OL_ASSIGN(Tensor copy, Tensor::allocate(pool, DType::kFloat, w.shape()));
    to_floats(w.dtype(), w.raw(), w.size(), copy.mutable_data<float>());
    pack_panels(copy.data<float>(), w.dim(0), w.dim(1), w.dim(1), 1, packed_.mutable_data<float>());
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    if (ctx.has(6)) return not_implemented("Attention with past_sequence_length");
    OL_TRY(check(x, w, ctx.opt(2)));
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    const float* weights = nullptr;
    if (!packed_.valid()) {
      OL_ASSIGN(weights, floats_of(ctx, w));
    }
    OL_ASSIGN(const float* bias, optional_floats(ctx, 2));
    const float* packed = packed_.valid() ? packed_.data<float>() : nullptr;
    OL_ASSIGN(const float* projected, project(ctx, in, x.dim(0) * x.dim(1), x.dim(2), weights, w.dim(1), packed, bias));
    return attend(ctx, projected, x.dim(0), x.dim(1), w.dim(1), x.dtype(), ctx.opt(3), ctx.opt(4), ctx.opt(5));
  }
};

// 8-bit input and weights; the product is taken of what they stand for.
struct QAttention : PackedAttention {
  Status init(Attrs& a) { return read_packed(a); }

  static Result<float*> dequantize(OpContext& ctx, const Tensor& t, int scale_input, int zero_input) {
    OL_ASSIGN(float* out, ctx.scratch_of<float>(t.size()));
    to_floats(t.dtype(), t.raw(), t.size(), out);
    OL_ASSIGN(const float* scale, floats_of(ctx, ctx.in(scale_input)));
    OL_ASSIGN(const float* zero, optional_floats(ctx, zero_input));
    const int64_t n = t.shape().back(), scales = ctx.in(scale_input).size(),
                  zeros = zero ? ctx.in(zero_input).size() : 1;
    if ((scales != 1 && scales != n) || (zeros != 1 && zeros != n)) {
      return run_failed("scale and zero point must have 1 or ", n, " elements; they have ", scales, " and ", zeros);
    }
    for (int64_t i = 0; i < t.size(); ++i) {
      const float z = zero ? zero[zeros == 1 ? 0 : i % n] : 0.0f;
      out[i] = (out[i] - z) * scale[scales == 1 ? 0 : i % n];
    }
    return out;
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    OL_TRY(check(x, w, ctx.opt(2)));
    OL_ASSIGN(const float* in, dequantize(ctx, x, 3, 6));
    OL_ASSIGN(const float* weights, dequantize(ctx, w, 4, 7));
    OL_ASSIGN(const float* bias, optional_floats(ctx, 2));
    OL_ASSIGN(const float* projected,
              project(ctx, in, x.dim(0) * x.dim(1), x.dim(2), weights, w.dim(1), nullptr, bias));
    return attend(ctx, projected, x.dim(0), x.dim(1), w.dim(1), ctx.in(3).dtype(), ctx.opt(5), ctx.opt(8), nullptr);
  }
};

const OpRow kRows[] = {
    {"MultiHeadAttention", 1, make<MultiHeadAttention>},
    {"Attention", 1, make<Attention>},
    {"QAttention", 1, make<QAttention>},
};

}  // namespace

extern const OpTable kAttentionContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
