// Attention and QAttention of com.microsoft: the projections of query, key and value are part of them.
#include <algorithm>

#include "kernels/panel_gemm.h"
#include "ops/attention_padding.h"

namespace onnxlet {
namespace {

// The projections of Attention and QAttention in one product: [batch, seq, q | k | v].
struct PackedAttention : ContribAttention {
  std::vector<int64_t> sizes;  // hidden sizes of q, k, v; empty: a third each
  bool share_buffer = false;   // past has room for more tokens than there are; present is as long

  Status read_packed(Attrs& a) {
    OL_TRY(read(a));
    sizes = a.ints("qkv_hidden_sizes");
    if (!sizes.empty() && (sizes.size() != 3 || sizes[0] != sizes[1])) {
      return invalid_graph("qkv_hidden_sizes must be three numbers, the first two equal");
    }
    if (a.i("do_rotary", 0) != 0) return not_implemented("Attention with do_rotary; use RotaryEmbedding nodes");
    share_buffer = a.i("past_present_share_buffer", 0) != 0;
    a.ignore("rotary_embedding_dim");
    return {};
  }

  // projected: [batch, seq, q + k + v].
  Status attend(OpContext& ctx, const float* projected, int64_t batch, int64_t seq, int64_t columns, DType type,
                const Tensor* padding, const Tensor* past, const Tensor* bias, const Tensor* past_length) const {
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
    int64_t before = 0, room = 0;
    if (past) {
      const Shape& s = past->shape();
      if (s.rank() != 5 || !(s == Shape{2, batch, heads, s[3], args.head_size}) || q_hidden != v_hidden) {
        return run_failed("past has shape ", s, "; ", Shape{2, batch, heads, -1, args.head_size}, " is expected");
      }
      before = room = s[3];
    }
    if (share_buffer && past) {
      if (!past_length) return run_failed("past_present_share_buffer needs past_sequence_length");
      OL_ASSIGN(before, to_int(*past_length, "past_sequence_length"));
      if (before < 0 || before + seq > room) {
        return run_failed("past_sequence_length is ", before, "; with ", seq, " new tokens the cache has room for ",
                          room);
      }
    }
    args.kv_len = before + seq;
    const int64_t length = share_buffer && past ? room : args.kv_len;
    FloatOutput present;
    if (past || ctx.wants(1)) {
      if (q_hidden != v_hidden) return not_implemented("a present output with values of another size than keys");
      const int64_t size = args.head_size;
      OL_ASSIGN(present, float_output(ctx, 1, type, Shape{2, batch, heads, length, size}));
      const float* old = nullptr;
      if (past) {
        OL_ASSIGN(old, floats_of(ctx, *past));
      }
      for (int i = 0; i < 2; ++i) {
        Heads<const float>& tokens = i == 0 ? args.k : args.v;
        const Heads<float> all = heads_4d(present.data + i * batch * heads * length * size, heads, length, size);
        const float* from = old ? old + i * batch * heads * room * size : nullptr;
        if (old) copy_tokens(heads_4d(from, heads, room, size), all, batch, heads, std::min(room, length), size, 0);
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
  Tensor* packed_form(size_t i) override { return i == 1 && packed_.valid() ? &packed_ : nullptr; }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    OL_TRY(check(x, w, ctx.opt(2)));
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    const float* weights = nullptr;
    if (!packed_.valid()) {
      OL_ASSIGN(weights, floats_of(ctx, w));
    }
    OL_ASSIGN(const float* bias, optional_floats(ctx, 2));
    const float* packed = packed_.valid() ? packed_.data<float>() : nullptr;
    OL_ASSIGN(const float* projected, project(ctx, in, x.dim(0) * x.dim(1), x.dim(2), weights, w.dim(1), packed, bias));
    return attend(ctx, projected, x.dim(0), x.dim(1), w.dim(1), x.dtype(), ctx.opt(3), ctx.opt(4), ctx.opt(5),
                  ctx.opt(6));
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
    return attend(ctx, projected, x.dim(0), x.dim(1), w.dim(1), ctx.in(3).dtype(), ctx.opt(5), ctx.opt(8), nullptr,
                  nullptr);
  }
};

const OpRow kRows[] = {
    {"Attention", 1, make<Attention>},
    {"QAttention", 1, make<QAttention>},
};

}  // namespace

extern const OpTable kAttentionContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
