// What com.microsoft's Attention, QAttention, MultiHeadAttention and DecoderMaskedMultiHeadAttention have in common.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/attention_util.h"

namespace onnxlet {

// Padding masks in several forms, a mask value, a bias on the scores.
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
    args->scale = has_scale ? scale : 1 / std::sqrt(static_cast<float>(std::max<int64_t>(args->head_size, 1)));
    if (causal) args->right = 0;
  }

  // Which keys of row (b, i) the padding mask leaves out get the filter value added; `bias` broadcasts over them.
  Status set_padding(OpContext& ctx, const Tensor* padding, const Tensor* bias, AttentionArgs* args) const {
    if (!padding) return bias ? set_mask(ctx, *bias, true, args) : Status();
    const int64_t batch = args->batch, total = args->kv_len, rows = padding->rank() >= 3 ? args->q_len : 1;
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

  // [batch, 1, most, most]: which positions a position sees; the first query stands behind the cached tokens.
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
    if (t.rank() == 4 && t.dim(0) == batch && t.dim(1) == 1 && t.dim(2) >= total && t.dim(3) >= total) {
      for (int64_t i = 0; i < batch * rows; ++i) {
        const int64_t row = i / rows * t.dim(2) + total - rows + i % rows;
        for (int64_t j = 0; j < total; ++j) mask[i * total + j] = p[row * t.dim(3) + j] != 0 ? 0 : filter;
      }
      return {};
    }
    return not_implemented("a padding mask of shape ", t.shape(), " for a batch of ", batch, " and ", total, " keys");
  }
};

// Copies with an optional bias per element of the head, [heads * size].
inline void copy_with_bias(const Heads<const float>& from, const Heads<float>& to, int64_t batch, int64_t heads,
                           int64_t seq, int64_t size, const float* bias) {
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

}  // namespace onnxlet
