// The vector functions against double precision, and the vector type against the scalar one.
#include "simd/math.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/unary_map.h"
#include "tests/check.h"

namespace onnxlet {
namespace {

using simd::F32x1;
using simd::F32x4;

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Error in units of the last place of the correct result; below the smallest normal value in its units.
double ulp_error(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (static_cast<float>(want) == got) return 0;
  if (std::isinf(got)) return std::fabs(want) > 3.4028e38 ? 1 : 1e9;
  const int exponent = want == 0 ? -126 : std::max(std::ilogb(want), -126);
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, exponent - 23);
}

// Every 1009th float in [low, high], and NaN.
template <class F, class Reference>
void sweep(F f, Reference reference, float low, float high, double ulps, double absolute = 0) {
  double worst = 0;
  for (uint64_t b = 0; b < uint64_t{1} << 32; b += 1009) {
    const float x = float_of(static_cast<uint32_t>(b));
    if (!(x >= low && x <= high) && !std::isnan(x)) continue;
    const float y = f(F32x4::splat(x))[1], scalar = f(F32x1{x}).v;
    if (std::isnan(x)) {
      CHECK(std::isnan(y) && std::isnan(scalar));
      continue;
    }
    CHECK(std::memcmp(&y, &scalar, sizeof(y)) == 0 || (std::isnan(y) && std::isnan(scalar)));
    const double want = reference(static_cast<double>(x));
    if (absolute > 0 && std::fabs(y - want) <= absolute) continue;
    worst = std::fmax(worst, ulp_error(y, want));
  }
  CHECK(worst <= ulps);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(math_exp) {
  sweep([](auto x) { return exp(x); }, [](double x) { return std::exp(x); }, -kInfinity, kInfinity, 1);
}
TEST(math_exp_weight) {
  const auto want = [](double x) { return x < -87 ? 0 : std::exp(x); };
  sweep([](auto x) { return exp_weight(x); }, want, -1, 0, 5);
  sweep([](auto x) { return exp_weight(x); }, want, -kInfinity, 0, 4 + 87);
  sweep([](auto x) { return exp_negative(x); }, want, -kInfinity, 0, 1);
}
TEST(math_expm1_negative) {
  sweep([](auto x) { return expm1_negative(x); }, [](double x) { return std::expm1(x); }, -kInfinity, 0, 1);
}
TEST(math_log) {
  sweep([](auto x) { return log(x); }, [](double x) { return std::log(x); }, -kInfinity, kInfinity, 1);
}
TEST(math_log1p) {
  sweep([](auto x) { return log1p_unit(x); }, [](double x) { return std::log1p(x); }, 0, 1, 2);
}
TEST(math_tanh) {
  sweep([](auto x) { return tanh(x); }, [](double x) { return std::tanh(x); }, -kInfinity, kInfinity, 5);
}
TEST(math_sigmoid) {
  sweep([](auto x) { return sigmoid(x); }, [](double x) { return x < -87 ? 0 : 1 / (1 + std::exp(-x)); }, -kInfinity,
        kInfinity, 3);
}
TEST(math_erf) {
  sweep([](auto x) { return erf(x); }, [](double x) { return std::erf(x); }, -kInfinity, kInfinity, 6);
}
TEST(math_softplus) {
  sweep([](auto x) { return softplus(x); },
        [](double x) { return x < -87 ? 0 : std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }, -kInfinity,
        kInfinity, 2);
}
TEST(math_sine_and_cosine) {
  sweep([](auto x) { return sin_or_cos(x, 0); }, [](double x) { return std::sin(x); }, -8192, 8192, 0, 1e-7);
  sweep([](auto x) { return sin_or_cos(x, 1); }, [](double x) { return std::cos(x); }, -8192, 8192, 0, 1e-7);
}
TEST(math_rounding) {
  sweep([](auto x) { return nearest(x); }, [](double x) { return std::nearbyint(x); }, -kInfinity, kInfinity, 0);
  sweep([](auto x) { return floor(x); }, [](double x) { return std::floor(x); }, -kInfinity, kInfinity, 0);
  sweep([](auto x) { return ceil(x); }, [](double x) { return std::ceil(x); }, -kInfinity, kInfinity, 0);
  sweep([](auto x) { return trunc(x); }, [](double x) { return std::trunc(x); }, -kInfinity, kInfinity, 0);
}

TEST(map_f32_tails_and_borders) {
  for (int64_t n = 0; n < 70; ++n) {
    float x[80], y[80];
    for (int i = 0; i < 80; ++i) {
      x[i] = static_cast<float>(i);
      y[i] = -1;
    }
    map_f32(x, y, n, [](simd::F32 v) { return v + v; });
    for (int64_t i = 0; i < 80; ++i) CHECK_EQ(y[i], i < n ? 2.0f * static_cast<float>(i) : -1.0f);
    map_f32(x, x, n, [](simd::F32 v) { return v + v; });
    for (int64_t i = 0; i < n; ++i) CHECK_EQ(x[i], y[i]);
  }
}

}  // namespace
}  // namespace onnxlet
