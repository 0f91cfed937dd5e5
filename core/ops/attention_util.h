// What the attention operators share: masks as additive floats, caches, the call of the kernel.
#pragma once

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "kernels/attention.h"
#include "ops/staged.h"

namespace onnxlet {

// [batch, heads, seq, size], contiguous.
template <class T>
Heads<T> heads_4d(T* data, int64_t heads, int64_t seq, int64_t size) {
  return {data, heads * seq * size, seq * size, size};
}
// [batch, seq, heads * size] with `row` elements per token (more than heads * size where heads of others lie between).
template <class T>
Heads<T> heads_3d(T* data, int64_t seq, int64_t size, int64_t row) {
  return {data, seq * row, size, row};
}

inline Heads<const float> readable(const Heads<float>& h) { return {h.data, h.batch, h.head, h.row}; }

// A mask as floats to be added: true is 0, false -inf; numbers are themselves.
inline Result<const float*> additive_mask(OpContext& ctx, const Tensor& mask) {
  if (mask.dtype() != DType::kBool) return floats_of(ctx, mask);
  OL_ASSIGN(float* out, ctx.scratch_of<float>(mask.size()));
  const bool* in = mask.data<bool>();
  for (int64_t i = 0; i < mask.size(); ++i) out[i] = in[i] ? 0.0f : -std::numeric_limits<float>::infinity();
  return static_cast<const float*>(out);
}

// Sets the mask of `args` from a tensor that broadcasts from the right to [batch, q_heads, q_len, kv_len]. A last
// dimension shorter than kv_len masks the keys beyond it; one of length 1 is broadcast when `broadcast_last`.
inline Status set_mask(OpContext& ctx, const Tensor& mask, bool broadcast_last, AttentionArgs* args) {
  const int64_t full[4] = {args->batch, args->q_heads, args->q_len, args->kv_len};
  int64_t* strides[4] = {&args->mask_batch, &args->mask_head, &args->mask_row, &args->mask_column};
  bool fits = mask.rank() >= 1 && mask.rank() <= 4;
  int64_t stride = 1;
  for (int i = mask.rank() - 1, at = 3; fits && i >= 0; --i, --at) {
    const int64_t d = mask.dim(i);
    const bool last = at == 3;
    fits = d == full[at] || (d == 1 && (!last || broadcast_last)) || (last && d < full[at]);
    *strides[at] = d == 1 && full[at] != 1 && !(last && !broadcast_last) ? 0 : stride;
    stride *= d;
  }
  if (!fits) {
    return run_failed("attention mask of shape ", mask.shape(), " does not broadcast to ",
                      Shape{full[0], full[1], full[2], full[3]});
  }
  args->mask_len = args->mask_column == 0 ? args->kv_len : mask.shape().back();
  OL_ASSIGN(args->mask, additive_mask(ctx, mask));
  return {};
}

// Copies `seq` tokens of every head to token `at` of a cache.
inline void copy_tokens(const Heads<const float>& from, const Heads<float>& to, int64_t batch, int64_t heads,
                        int64_t seq, int64_t size, int64_t at) {
  const bool whole = from.row == size && to.row == size;
  parallel_for(batch * heads, grain_for(seq * size / 4), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t b = t / heads, h = t % heads, length = whole ? seq * size : size;
      for (int64_t s = 0; s < (whole ? std::min<int64_t>(seq, 1) : seq); ++s) {
        std::copy_n(from.at(b, h, s), length, to.at(b, h, at + s));
      }
    }
  });
}

inline Status run_attention(OpContext& ctx, const AttentionArgs& args) {
  OL_ASSIGN(float* scratch, ctx.scratch_of<float>(attention_scratch(args)));
  attention(args, scratch);
  return {};
}

}  // namespace onnxlet
