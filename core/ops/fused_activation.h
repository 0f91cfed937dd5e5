// The activation that com.microsoft's Fused* operators carry in attributes.
#pragma once

#include "kernels/gemm.h"
#include "ops/op.h"

namespace onnxlet {

struct FusedActivation {
  enum Kind : uint8_t {
    kNone,
    kRelu,
    kClip,
    kLeakyRelu,
    kTanh,
    kSigmoid,
    kHardSigmoid,
    kElu,
    kSelu,
    kSoftplus,
    kSoftsign,
    kThresholdedRelu
  };
  Kind kind = kNone;
  float alpha = 0, beta = 0;

  Status set(std::string_view name, std::span<const float> parameters);
  // Relu and Clip ride on the kernel's clamp; the others are a pass of their own over the result.
  void add_to(Epilogue* e) const;
  void apply(float* data, int64_t n) const;
  void apply(double* data, int64_t n) const;  // Relu and Clip too
};

}  // namespace onnxlet
