#include "ops/fused_activation.h"

#include <cmath>

#include "base/parallel.h"
#include "base/trim.h"

namespace onnxlet {
namespace {

struct Named {
  const char* name;
  FusedActivation::Kind kind;
  float alpha, beta;  // defaults
};
constexpr Named kNames[] = {
    {"Relu", FusedActivation::kRelu, 0, 0},
    {"Clip", FusedActivation::kClip, -Epilogue::kInfinity, Epilogue::kInfinity},
    {"LeakyRelu", FusedActivation::kLeakyRelu, 0.01f, 0},
    {"Tanh", FusedActivation::kTanh, 0, 0},
    {"Sigmoid", FusedActivation::kSigmoid, 0, 0},
    {"HardSigmoid", FusedActivation::kHardSigmoid, 0.2f, 0.5f},
    {"Elu", FusedActivation::kElu, 1, 0},
    {"Selu", FusedActivation::kSelu, 1.67326319f, 1.05070102f},
    {"Softplus", FusedActivation::kSoftplus, 0, 0},
    {"Softsign", FusedActivation::kSoftsign, 0, 0},
    {"ThresholdedRelu", FusedActivation::kThresholdedRelu, 1, 0},
};

// Those that are more than the clamps of an epilogue.
constexpr bool kBeyondClamps = [] {
  for (const Named& n : kNames) {
    const bool clamps = n.kind == FusedActivation::kRelu || n.kind == FusedActivation::kClip;
    if (!clamps && trim::keeps_operators(n.name)) return true;
  }
  return false;
}();

}  // namespace

Status FusedActivation::set(std::string_view name, std::span<const float> parameters) {
  if (name.empty()) return {};
  for (const Named& n : kNames) {
    if (name != n.name) continue;
    if (trim::kTrimmed && !trim::keeps_operators(n.name)) return left_out(text("the fused activation ", name));
    kind = n.kind;
    alpha = parameters.size() > 0 ? parameters[0] : n.alpha;
    beta = parameters.size() > 1 ? parameters[1] : n.beta;
    return {};
  }
  return not_implemented("fused activation '", name, "' is not known");
}

void FusedActivation::add_to(Epilogue* e) const {
  if (kind == kRelu) e->lo = 0;
  if (kind == kClip) {
    e->lo = alpha;
    e->hi = beta;
  }
}

namespace {

template <class T>
T activated(FusedActivation::Kind kind, T alpha, T beta, T x) {
  switch (kind) {
    case FusedActivation::kRelu:
      return x < 0 ? T{0} : x;
    case FusedActivation::kClip:
      return x < alpha ? alpha : x > beta ? beta : x;
    case FusedActivation::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case FusedActivation::kTanh:
      return std::tanh(x);
    case FusedActivation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case FusedActivation::kHardSigmoid:
      return std::fmax(T{0}, std::fmin(T{1}, alpha * x + beta));
    case FusedActivation::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case FusedActivation::kSelu:
      return beta * (x <= 0 ? alpha * std::expm1(x) : x);
    case FusedActivation::kSoftplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case FusedActivation::kSoftsign:
      return x / (1 + std::fabs(x));
    case FusedActivation::kThresholdedRelu:
      return x > alpha ? x : 0;
    default:
      return x;
  }
}

template <class T>
void apply_all(const FusedActivation& f, T* data, int64_t n) {
  parallel_for(n, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      data[i] = activated(f.kind, static_cast<T>(f.alpha), static_cast<T>(f.beta), data[i]);
    }
  });
}

}  // namespace

void FusedActivation::apply(float* data, int64_t n) const {
  if (kBeyondClamps && kind != kNone && kind != kRelu && kind != kClip) apply_all(*this, data, n);
}
void FusedActivation::apply(double* data, int64_t n) const {
  if (trim::keeps_type(DType::kDouble) && kind != kNone) apply_all(*this, data, n);
}

}  // namespace onnxlet
