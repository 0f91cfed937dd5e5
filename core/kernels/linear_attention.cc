#include "kernels/linear_attention.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "simd/math.h"

namespace onnxlet {
namespace {

using simd::F32x1;
using simd::F32x4;

// y += a * x
void axpy(float a, const float* x, int64_t n, float* y) {
  const F32x4 s = F32x4::splat(a);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) simd::madd(s, F32x4::load(x + i), F32x4::load(y + i)).store(y + i);
  for (; i < n; ++i) y[i] += a * x[i];
}

void scale_row(float a, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] *= a;
}

void one_step(const LinearAttentionArgs& a, int64_t b, int64_t h, int64_t t, float* state, float* value) {
  const int64_t row = b * a.seq + t, most = std::max(a.q_heads, a.heads), group = most / a.heads;
  const float* k = a.k + (row * a.heads + h) * a.d_k;
  const float* v = a.v + (row * a.heads + h) * a.d_v;
  if (a.decay) {
    const float* g = a.decay + row * a.decay_width;
    const bool per_head = a.decay_width == a.heads;
    const float common = per_head ? simd::exp(F32x1{g[h]}).v : 0.0f;
    for (int64_t i = 0; i < a.d_k; ++i) {
      scale_row(per_head ? common : simd::exp(F32x1{g[h * a.d_k + i]}).v, a.d_v, state + i * a.d_v);
    }
  }
  std::copy_n(v, a.d_v, value);
  if (a.delta) {
    for (int64_t i = 0; i < a.d_k; ++i) axpy(-k[i], state + i * a.d_v, a.d_v, value);
    scale_row(a.beta[row * a.beta_width + (a.beta_width == 1 ? 0 : h)], a.d_v, value);
  }
  for (int64_t i = 0; i < a.d_k; ++i) axpy(k[i], value, a.d_v, state + i * a.d_v);
  for (int64_t r = 0; r < group; ++r) {
    const int64_t head = h * group + r;
    const float* q = a.q + (row * a.q_heads + head / (most / a.q_heads)) * a.d_k;
    float* y = a.y + (row * most + head) * a.d_v;
    std::fill_n(y, a.d_v, 0.0f);
    for (int64_t i = 0; i < a.d_k; ++i) axpy(q[i], state + i * a.d_v, a.d_v, y);
    scale_row(a.scale, a.d_v, y);
  }
}

}  // namespace

void linear_attention(const LinearAttentionArgs& a) {
  parallel_for(a.batch * a.heads, grain_for(a.seq * a.d_k * a.d_v), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t t = 0; t < a.seq; ++t) {
        one_step(a, r / a.heads, r % a.heads, t, a.state + r * a.d_k * a.d_v, a.scratch + r * a.d_v);
      }
    }
  });
}

void causal_conv(const CausalConvArgs& a) {
  const int64_t pad = a.state();
  parallel_for(a.batch * a.channels, grain_for(a.length * a.taps), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* x = a.x + r * a.length;
      const float* past = a.past ? a.past + r * pad : nullptr;
      const float* w = a.w + r % a.channels * a.taps;
      float* y = a.y + r * a.length;
      const auto padded = [&](int64_t i) { return i >= pad ? x[i - pad] : past ? past[i] : 0.0f; };
      std::fill_n(y, a.length, a.bias ? a.bias[r % a.channels] : 0.0f);
      for (int64_t i = 0; i < a.taps; ++i) {
        const int64_t at = i * a.dilation;
        const int64_t head = std::min(pad - at, a.length);  // outputs whose tap i still lies in the past
        for (int64_t t = 0; t < head; ++t) y[t] += w[i] * padded(t + at);
        if (head < a.length) axpy(w[i], x + head + at - pad, a.length - head, y + head);
      }
      for (int64_t i = 0; i < pad; ++i) a.present[r * pad + i] = padded(a.length + i);
      if (!a.silu) continue;
      int64_t t = 0;
      for (; t + 4 <= a.length; t += 4) (F32x4::load(y + t) * simd::sigmoid(F32x4::load(y + t))).store(y + t);
      for (; t < a.length; ++t) y[t] *= simd::sigmoid(F32x1{y[t]}).v;
    }
  });
}

}  // namespace onnxlet
