#include "kernels/recurrent.h"

#include <algorithm>
#include <cmath>

#include "simd/math.h"

namespace onnxlet {
namespace {

using simd::F32x1;
using simd::F32x4;

template <class F>
void map(float* x, int64_t n, F&& f) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) f(F32x4::load(x + i)).store(x + i);
  for (; i < n; ++i) x[i] = f(F32x1{x[i]}).v;
}

float activate_one(Activation f, float x) {
  switch (f.kind) {
    case Activation::kRelu:
      return x > 0 ? x : x != x ? x : 0.0f;
    case Activation::kTanh:
    case Activation::kSigmoid:
      break;  // vectorised
    case Activation::kAffine:
      return f.alpha * x + f.beta;
    case Activation::kLeakyRelu:
      return x < 0 ? f.alpha * x : x;
    case Activation::kThresholdedRelu:
      return x > f.alpha ? x : 0.0f;
    case Activation::kScaledTanh:
      return f.alpha * std::tanh(f.beta * x);
    case Activation::kHardSigmoid:
      return std::clamp(f.alpha * x + f.beta, 0.0f, 1.0f);
    case Activation::kElu:
      return x < 0 ? f.alpha * std::expm1(x) : x;
    case Activation::kSoftsign:
      return x / (1 + std::fabs(x));
    case Activation::kSoftplus:
      return x > 20 ? x : std::log1p(std::exp(x));
  }
  return x;
}

}  // namespace

void activate(Activation f, float* x, int64_t n) {
  if (f.kind == Activation::kTanh) return map(x, n, [](auto v) { return simd::tanh(v); });
  if (f.kind == Activation::kSigmoid) return map(x, n, [](auto v) { return simd::sigmoid(v); });
  for (int64_t i = 0; i < n; ++i) x[i] = activate_one(f, x[i]);
}

void clip_values(float clip, float* x, int64_t n) {
  if (clip <= 0) return;
  for (int64_t i = 0; i < n; ++i) x[i] = std::clamp(x[i], -clip, clip);
}

void lstm_cell(const CellSpec& spec, float* gates, const float* peephole, int64_t hidden, float* h, float* c) {
  float* in = gates;
  float* out = gates + hidden;
  float* forget = gates + 2 * hidden;
  float* candidate = gates + 3 * hidden;
  if (peephole) {
    for (int64_t i = 0; i < hidden; ++i) {
      in[i] += peephole[i] * c[i];
      forget[i] += peephole[2 * hidden + i] * c[i];
    }
  }
  clip_values(spec.clip, in, hidden);
  clip_values(spec.clip, forget, 2 * hidden);
  activate(spec.f, in, hidden);
  if (spec.input_forget) {
    for (int64_t i = 0; i < hidden; ++i) forget[i] = 1 - in[i];
  } else {
    activate(spec.f, forget, hidden);
  }
  activate(spec.g, candidate, hidden);
  for (int64_t i = 0; i < hidden; ++i) c[i] = forget[i] * c[i] + in[i] * candidate[i];
  if (peephole) {
    for (int64_t i = 0; i < hidden; ++i) out[i] += peephole[hidden + i] * c[i];
  }
  clip_values(spec.clip, out, hidden);
  activate(spec.f, out, hidden);
  std::copy_n(c, hidden, h);
  activate(spec.h, h, hidden);
  for (int64_t i = 0; i < hidden; ++i) h[i] *= out[i];
}

void gru_output(const CellSpec& spec, float* update, float* candidate, int64_t hidden, float* h) {
  clip_values(spec.clip, candidate, hidden);
  activate(spec.g, candidate, hidden);
  for (int64_t i = 0; i < hidden; ++i) h[i] = (1 - update[i]) * candidate[i] + update[i] * h[i];
}

}  // namespace onnxlet
