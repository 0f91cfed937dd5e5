// Functions of one element. A kernel is a float vector loop and a double function: float16 and the other small formats
// go through the loop in chunks, double and rare integer types through the function.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/tensor.h"

namespace onnxlet {

inline constexpr int kUnaryParams = 2;
struct UnaryParams {
  float f[kUnaryParams] = {};
  double d[kUnaryParams] = {};
  void set(int i, float value) { d[i] = f[i] = value; }
};

struct UnaryKernel {
  const char* name;
  void (*f32)(const float* x, float* y, int64_t n, const float* p);  // nullptr: the double function does it
  double (*f64)(double x, const double* p);
  // Exact integer arithmetic where double would lose bits; nullptr: through the double function.
  bool (*integers)(DType type, const void* x, void* y, int64_t n);
  const char* attributes[kUnaryParams];  // float attributes that become p[0], p[1]
};

// y[i] = f(x[i]); x and y of one numeric type; y may be x.
void apply_unary(const UnaryKernel& kernel, const UnaryParams& params, ConstView x, View y);

// lo and hi: one element of the tensor's type each, or nullptr. hi wins where they cross; NaN stays.
void clip_elements(DType type, const void* x, void* y, int64_t n, const void* lo, const void* hi);
void is_nan(DType type, const void* x, bool* y, int64_t n);
void is_inf(DType type, const void* x, bool* y, int64_t n, bool negative, bool positive);
void bitwise_not(DType type, const void* x, void* y, int64_t n);

extern const UnaryKernel kAbsKernel, kNegKernel, kCeilKernel, kFloorKernel, kRoundKernel, kSqrtKernel, kExpKernel,
    kLogKernel, kSinKernel, kCosKernel, kTanKernel, kAsinKernel, kAcosKernel, kAtanKernel, kSinhKernel, kCoshKernel,
    kTanhKernel, kAsinhKernel, kAcoshKernel, kAtanhKernel, kErfKernel, kReciprocalKernel, kSignKernel;
extern const UnaryKernel kReluKernel, kLeakyReluKernel, kEluKernel, kSeluKernel, kCeluKernel, kThresholdedReluKernel,
    kSigmoidKernel, kHardSigmoidKernel, kHardSwishKernel, kSoftplusKernel, kSoftsignKernel, kMishKernel, kGeluKernel,
    kGeluTanhKernel, kSwishKernel, kShrinkKernel;

}  // namespace onnxlet
