// Recurrent (linear) attention and the causal depthwise convolution that goes with it.
#pragma once

#include <cstdint>

namespace onnxlet {

// For every head: S = exp(g) * S; v' = beta * (v - S^T k) with `delta`, else v; S += k v'^T; y = scale * S^T q.
// q: [batch, seq, q_heads * d_k], k: [batch, seq, heads * d_k], v: [batch, seq, heads * d_v], decay: [batch, seq,
// decay_width] with one value per head or per key element (null: none), beta: [batch, seq, beta_width] with one value
// per head or one for all, state: [batch, heads, d_k, d_v], read and written, y: [batch, seq, q_heads * d_v].
struct LinearAttentionArgs {
  int64_t batch, seq, q_heads, heads, d_k, d_v;
  float scale;
  bool delta;
  const float *q, *k, *v, *decay, *beta;
  int64_t decay_width, beta_width;
  float *state, *y;
  float* scratch;  // [batch * heads, d_v]
};
void linear_attention(const LinearAttentionArgs& a);

// y[c, t] = bias[c] + sum over i of w[c, i] * padded[c, t + i * dilation], padded being past (or zeros) followed by x;
// then SiLU.
struct CausalConvArgs {
  int64_t batch, channels, length, taps, dilation;
  int64_t state() const { return (taps - 1) * dilation; }
  bool silu;
  const float *x, *w, *bias, *past;  // bias and past may be null
  float *y, *present;                // present: the last state() values of padded
};
void causal_conv(const CausalConvArgs& a);

}  // namespace onnxlet
