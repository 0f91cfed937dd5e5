#include "kernels/unary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/convert.h"
#include "kernels/unary_f32.h"
#include "kernels/unary_map.h"

namespace onnxlet {
namespace {

using simd::F32;

constexpr int64_t kGrain = 8192;

void map_f64(const UnaryKernel& k, const double* p, const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = k.f64(x[i], p);
}

void map_range(const UnaryKernel& k, const UnaryParams& p, DType type, const char* x, char* y, int64_t n) {
  if (type == DType::kDouble) {
    return map_f64(k, p.d, reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y), n);
  }
  if (type == DType::kFloat && k.f32 != nullptr) {
    return k.f32(reinterpret_cast<const float*>(x), reinterpret_cast<float*>(y), n, p.f);
  }
  if (!is_float(type) && k.integers != nullptr && k.integers(type, x, y, n)) return;
  const int64_t size = static_cast<int64_t>(element_size(type));
  const bool narrow = k.f32 != nullptr && is_float_like(type);
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - i);
    if (narrow) {
      float chunk[kFloatChunk];
      to_float(type, x + i * size, chunk, count);
      k.f32(chunk, chunk, count, p.f);
      from_float(chunk, type, y + i * size, count);
    } else {
      double chunk[kFloatChunk];
      to_double(type, x + i * size, chunk, count);
      map_f64(k, p.d, chunk, chunk, count);
      from_double(chunk, type, y + i * size, count);
    }
  }
}

template <class F>
bool map_integers(DType type, const void* x, void* y, int64_t n, F f) {
  return try_visit<SignedInts, UnsignedInts>(type, [&]<class T>() {
    const T* src = static_cast<const T*>(x);
    T* dst = static_cast<T*>(y);
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (int64_t i = 0; i < n; ++i) dst[i] = f(src[i]);
  });
}

// Negation that wraps.
template <class T>
T negated(T v) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(v));
}

double celu(double x, const double* p) { return x > 0 ? x : p[0] * std::expm1(x / p[0]); }
// NaN stays.
double clamp_unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
double sigmoid(double x) {
  const double z = std::exp(-std::fabs(x));
  return (x < 0 ? z : 1.0) / (1.0 + z);
}
double softplus(double x) { return x != x ? x : std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;

}  // namespace

void apply_unary(const UnaryKernel& kernel, const UnaryParams& params, ConstView x, View y) {
  const char* src = x.as<char>();
  char* dst = y.as<char>();
  const int64_t size = static_cast<int64_t>(element_size(x.dtype));
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    map_range(kernel, params, x.dtype, src + begin * size, dst + begin * size, end - begin);
  });
}

void clip_elements(DType type, const void* x, void* y, int64_t n, const void* lo, const void* hi) {
  if (type == DType::kFloat) {
    const float infinity = std::numeric_limits<float>::infinity();
    const F32 low = F32::splat(lo != nullptr ? *static_cast<const float*>(lo) : -infinity);
    const F32 high = F32::splat(hi != nullptr ? *static_cast<const float*>(hi) : infinity);
    return map_f32(static_cast<const float*>(x), static_cast<float*>(y), n,
                   [=](F32 v) { return min(high, max(low, v)); });
  }
  const bool known = try_visit<Types<double>, SignedInts, UnsignedInts>(type, [&]<class T>() {
    const T* src = static_cast<const T*>(x);
    T* dst = static_cast<T*>(y);
    const T low = lo != nullptr                 ? *static_cast<const T*>(lo)
                  : std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
    const T high = hi != nullptr                 ? *static_cast<const T*>(hi)
                   : std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                 : std::numeric_limits<T>::max();
    for (int64_t i = 0; i < n; ++i) {
      const T raised = src[i] < low ? low : src[i];
      dst[i] = high < raised ? high : raised;
    }
  });
  if (known) return;
  const int64_t size = static_cast<int64_t>(element_size(type));
  float low = 0, high = 0;
  if (lo != nullptr) to_float(type, lo, &low, 1);
  if (hi != nullptr) to_float(type, hi, &high, 1);
  float chunk[kFloatChunk];
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - i);
    to_float(type, static_cast<const char*>(x) + i * size, chunk, count);
    clip_elements(DType::kFloat, chunk, chunk, count, lo != nullptr ? &low : nullptr, hi != nullptr ? &high : nullptr);
    from_float(chunk, type, static_cast<char*>(y) + i * size, count);
  }
}

namespace {

template <class F>
void classify(DType type, const void* x, bool* y, int64_t n, F f) {
  const int64_t size = static_cast<int64_t>(element_size(type));
  double chunk[kFloatChunk];
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - i);
    to_double(type, static_cast<const char*>(x) + i * size, chunk, count);
    for (int64_t j = 0; j < count; ++j) y[i + j] = f(chunk[j]);
  }
}

}  // namespace

void is_nan(DType type, const void* x, bool* y, int64_t n) {
  classify(type, x, y, n, [](double v) { return v != v; });
}

void is_inf(DType type, const void* x, bool* y, int64_t n, bool negative, bool positive) {
  const double infinity = std::numeric_limits<double>::infinity();
  classify(type, x, y, n, [=](double v) { return (positive && v == infinity) || (negative && v == -infinity); });
}

void bitwise_not(DType type, const void* x, void* y, int64_t n) {
  const int64_t bytes = n * static_cast<int64_t>(element_size(type));
  const uint8_t* src = static_cast<const uint8_t*>(x);
  uint8_t* dst = static_cast<uint8_t*>(y);
  for (int64_t i = 0; i < bytes; ++i) dst[i] = static_cast<uint8_t>(~src[i]);
}

// A row: name, double function of x and p; the float function is that of unary_f32.h.
#define OL_UNARY(id, double_expr, ints, ...)                                                                           \
  const UnaryKernel k##id##Kernel = {#id,                                                                              \
                                     f32_##id,                                                                         \
                                     [](double x, [[maybe_unused]] const double* p) -> double { return double_expr; }, \
                                     ints,                                                                             \
                                     {__VA_ARGS__}};
// Through the C library's double function alone: not worth a vector version.
#define OL_UNARY_SCALAR(id, double_expr) \
  const UnaryKernel k##id##Kernel = {    \
      #id, nullptr, [](double x, const double*) -> double { return double_expr; }, nullptr, {}};

OL_UNARY(Abs, std::fabs(x), [](DType t, const void* x, void* y, int64_t n) {
  return map_integers(t, x, y, n, [](auto v) { return v < 0 ? negated(v) : v; });
})
OL_UNARY(Neg, -x, [](DType t, const void* x, void* y, int64_t n) {
  return map_integers(t, x, y, n, [](auto v) { return negated(v); });
})
OL_UNARY(Ceil, std::ceil(x), nullptr)
OL_UNARY(Floor, std::floor(x), nullptr)
OL_UNARY(Round, std::nearbyint(x), nullptr)
OL_UNARY(Sqrt, std::sqrt(x), nullptr)
OL_UNARY(Exp, std::exp(x), nullptr)
OL_UNARY(Log, std::log(x), nullptr)
OL_UNARY(Sin, std::sin(x), nullptr)
OL_UNARY(Cos, std::cos(x), nullptr)
OL_UNARY(Tanh, std::tanh(x), nullptr)
OL_UNARY(Erf, std::erf(x), nullptr)
OL_UNARY(Reciprocal, 1.0 / x, nullptr)
OL_UNARY(Sign, x > 0 ? 1.0 : x < 0 ? -1.0 : x != x ? x : 0.0, nullptr)
OL_UNARY_SCALAR(Tan, std::tan(x))
OL_UNARY_SCALAR(Asin, std::asin(x))
OL_UNARY_SCALAR(Acos, std::acos(x))
OL_UNARY_SCALAR(Atan, std::atan(x))
OL_UNARY_SCALAR(Sinh, std::sinh(x))
OL_UNARY_SCALAR(Cosh, std::cosh(x))
OL_UNARY_SCALAR(Asinh, std::asinh(x))
// The C library of WebAssembly makes numbers of some that are far below zero.
OL_UNARY_SCALAR(Acosh, x < 1 ? std::numeric_limits<double>::quiet_NaN() : std::acosh(x))
OL_UNARY_SCALAR(Atanh, std::atanh(x))
OL_UNARY(Relu, x < 0 ? 0.0 : x, [](DType t, const void* x, void* y, int64_t n) {
  return map_integers(t, x, y, n, [](auto v) { return v < 0 ? decltype(v){0} : v; });
})
OL_UNARY(LeakyRelu, x < 0 ? x * p[0] : x, nullptr, "alpha")
OL_UNARY(Elu, x < 0 ? p[0] * std::expm1(x) : x, nullptr, "alpha")
OL_UNARY(Selu, p[1] * (x <= 0 ? p[0] * std::expm1(x) : x), nullptr, "alpha", "gamma")
OL_UNARY(Celu, celu(x, p), nullptr, "alpha")
OL_UNARY(ThresholdedRelu, x > p[0] ? x : 0.0, nullptr, "alpha")
OL_UNARY(Sigmoid, sigmoid(x), nullptr)
OL_UNARY(HardSigmoid, clamp_unit(p[0] * x + p[1]), nullptr, "alpha", "beta")
OL_UNARY(HardSwish, x* clamp_unit(x / 6 + 0.5), nullptr)
OL_UNARY(Softplus, softplus(x), nullptr)
OL_UNARY(Softsign, x / (1 + std::fabs(x)), nullptr)
OL_UNARY(Mish, x* std::tanh(softplus(x)), nullptr)
OL_UNARY(Gelu, 0.5 * x * (1 + std::erf(x * kSqrtHalf)), nullptr)
OL_UNARY(GeluTanh, 0.5 * x * (1 + std::tanh(kSqrtTwoOverPi * (x + 0.044715 * x * x * x))), nullptr)
OL_UNARY(Swish, x* sigmoid(p[0] * x), nullptr, "alpha")
OL_UNARY(Shrink, x<-p[1] ? x + p[0] : x> p[1] ? x - p[0] : 0.0, nullptr, "bias", "lambd")

#undef OL_UNARY
#undef OL_UNARY_SCALAR

}  // namespace onnxlet
