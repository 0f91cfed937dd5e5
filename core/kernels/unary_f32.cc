#include "kernels/unary_f32.h"

#include <cmath>

#include "kernels/unary_map.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32;

F32 large_angle(F32 x, int quadrant) {
  float lanes[F32::kLanes];
  x.store(lanes);
  for (float& v : lanes) v = static_cast<float>(quadrant == 0 ? std::sin(double{v}) : std::cos(double{v}));
  return F32::load(lanes);
}
void trig_f32(const float* x, float* y, int64_t n, int quadrant) {
  map_f32(x, y, n, [quadrant](F32 v) {
    if (any(F32::splat(simd::kMaxTrigArgument) < abs(v))) return large_angle(v, quadrant);
    return sin_or_cos(v, quadrant);
  });
}

F32 splat(float v) { return F32::splat(v); }
// NaN stays: it comes second.
F32 clamp_unit(F32 v) { return min(splat(1), max(splat(0), v)); }

// The expansion point of Celu with a negative alpha is on the other side: rare, so through double.
double celu(double x, const double* p) { return x > 0 ? x : p[0] * std::expm1(x / p[0]); }

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;

}  // namespace

#define OL_F32(id, ...) \
  void f32_##id(const float* x, float* y, int64_t n, [[maybe_unused]] const float* p) { __VA_ARGS__; }
#define OL_MAP(expr) map_f32(x, y, n, [=](F32 v) -> F32 { return expr; })

OL_F32(Abs, OL_MAP(abs(v)))
OL_F32(Neg, OL_MAP(-v))
OL_F32(Ceil, OL_MAP(ceil(v)))
OL_F32(Floor, OL_MAP(floor(v)))
OL_F32(Round, OL_MAP(nearest(v)))
OL_F32(Sqrt, OL_MAP(sqrt(v)))
OL_F32(Exp, OL_MAP(exp(v)))
OL_F32(Log, OL_MAP(log(v)))
OL_F32(Sin, trig_f32(x, y, n, 0))
OL_F32(Cos, trig_f32(x, y, n, 1))
OL_F32(Tanh, OL_MAP(tanh(v)))
OL_F32(Erf, OL_MAP(erf(v)))
OL_F32(Reciprocal, OL_MAP(splat(1) / v))
OL_F32(Sign, OL_MAP(select(splat(0) < v, splat(1), select(v < splat(0), splat(-1), select(v == v, splat(0), v)))))
OL_F32(Relu, OL_MAP(max(splat(0), v)))
OL_F32(LeakyRelu, OL_MAP(select(v < splat(0), v* splat(p[0]), v)))
OL_F32(Elu, OL_MAP(select(v < splat(0), splat(p[0]) * expm1_negative(min(splat(0), v)), v)))
OL_F32(Selu, OL_MAP(splat(p[1]) * select(v <= splat(0), splat(p[0]) * expm1_negative(min(splat(0), v)), v)))
OL_F32(Celu, {
  if (p[0] > 0) {
    OL_MAP(select(v < splat(0), splat(p[0]) * expm1_negative(min(splat(0), v / splat(p[0]))), v));
  } else {
    const double alpha = p[0];
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(celu(x[i], &alpha));
  }
})
OL_F32(ThresholdedRelu, OL_MAP(select(splat(p[0]) < v, v, splat(0))))
OL_F32(Sigmoid, OL_MAP(sigmoid(v)))
OL_F32(HardSigmoid, OL_MAP(clamp_unit(v* splat(p[0]) + splat(p[1]))))
OL_F32(HardSwish, OL_MAP(v* clamp_unit(v* splat(1.0f / 6) + splat(0.5f))))
OL_F32(Softplus, OL_MAP(softplus(v)))
OL_F32(Softsign, OL_MAP(v / (splat(1) + abs(v))))
// tanh(ln(1 + e)) = e (e + 2) / (e (e + 2) + 2) with e = e^x; from 20 on that is 1 in float.
OL_F32(Mish, {
  map_f32(x, y, n, [](F32 v) {
    const F32 e = exp(min(splat(20), v));
    const F32 t = e * (e + splat(2));
    const F32 r = v * (t / (t + splat(2)));
    return select(v < splat(20), r, v);
  });
})
OL_F32(Gelu, OL_MAP(splat(0.5f) * v * (splat(1) + erf(v * splat(static_cast<float>(kSqrtHalf))))))
// 0.5 x (1 + tanh(u)) = x sigmoid(2u)
OL_F32(GeluTanh, OL_MAP(v* sigmoid(v* madd(v* v, splat(static_cast<float>(2 * 0.044715 * kSqrtTwoOverPi)),
                                           splat(static_cast<float>(2 * kSqrtTwoOverPi))))))
OL_F32(Swish, OL_MAP(v* sigmoid(v* splat(p[0]))))
OL_F32(Shrink, OL_MAP(select(v < splat(-p[1]), v + splat(p[0]), select(splat(p[1]) < v, v - splat(p[0]), splat(0)))))

#undef OL_F32
#undef OL_MAP

}  // namespace onnxlet::inline ONNXLET_LEVEL
