// Elementary functions over float vectors. Errors are the largest seen over a sweep of all floats at a stride of 1009
// against double precision (core/tests/math_test.cc asserts them); one ULP is that of the correct result.
#pragma once

#include "simd/f32.h"

namespace onnxlet::inline ONNXLET_LEVEL::simd {

namespace detail {

// The polynomial with these coefficients, the leading one first. Odd and even powers are summed apart: half the latency
// of Horner's rule, which is what bounds these functions.
template <class F, int kCount>
F polynomial(F x, const float (&c)[kCount]) {
  const F x2 = x * x;
  F high = F::splat(c[0]), low = F::splat(c[1]);
  for (int i = 2; i + 1 < kCount; i += 2) {
    high = madd(high, x2, F::splat(c[i]));
    low = madd(low, x2, F::splat(c[i + 1]));
  }
  if constexpr (kCount % 2 == 0) return madd(high, x, low);
  return madd(low, x, madd(high, x2, F::splat(c[kCount - 1])));
}

// e^x = 2^n (1 + p). Adding kMagic rounds x / ln 2 to the integer n, whose bits it leaves at the end of the sum.
inline constexpr float kMagic = 0x1.8p23f;
template <class F>
struct Exp {
  F p;                  // e^r - 1 for x = n ln 2 + r, |r| <= ln 2 / 2
  typename F::Int sum;  // n in the low bits
};
// Cody and Waite's reduction in two steps; e^r - 1 - r is r^2 times a polynomial fitted to minimax for this file.
template <class F>
Exp<F> reduce_exp(F x) {
  const F magic = F::splat(kMagic);
  const F sum = madd(x, F::splat(1.44269504088896341f), magic);
  const F n = sum - magic;
  F r = madd(n, F::splat(-0.693359375f), x);
  r = madd(n, F::splat(2.12194440e-4f), r);
  const F q = polynomial(r, {1.381430937e-3f, 8.36885647e-3f, 4.166840161e-2f, 1.666651948e-1f, 4.999999337e-1f});
  return {madd(q, r * r, r), bits_of(sum)};
}
// 2^n for n in [-126, 127].
template <class F>
F power_of_two(typename F::Int n) {
  return from_bits((n << 23) + F::Int::splat(0x3f800000));
}

// Where one factor of 2^n is not enough: in two, so that the ends of the exponent's range are reached by rounding once.
template <class F>
__attribute__((noinline)) F exp_ends(F x) {
  const Exp<F> e = reduce_exp(min(F::splat(89.0f), max(F::splat(-104.0f), x)));
  const typename F::Int n = e.sum - bits_of(F::splat(kMagic)), half = n >> 1;
  return ((e.p + F::splat(1)) * power_of_two<F>(half)) * power_of_two<F>(n - half);
}

}  // namespace detail

// e^x for x in [-87, 88]. Error 1 ULP. NaN stays NaN.
template <class F>
F exp_bounded(F x) {
  const detail::Exp<F> e = detail::reduce_exp(x);
  return (e.p + F::splat(1)) * detail::power_of_two<F>(e.sum);
}

// Error 1 ULP. Overflows to infinity above 88.7228, gives subnormals and then 0 below -87.3365. NaN stays NaN.
template <class F>
F exp(F x) {
  if (any(!(abs(x) <= F::splat(87)))) return detail::exp_ends(x);
  return exp_bounded(x);
}

// e^x for x <= 0, 0 where that is below e^-87 = 1.6e-38.
template <class F>
F exp_negative(F x) {
  return select(x < F::splat(-87.0f), F::splat(0), exp_bounded(x));
}

// The same with an error of 4 + |x| ULP, for weights beside one that is 1: 2^n 2^f with n + f = x / ln 2 taken in
// float, 2^f a polynomial fitted to minimax for this file.
template <class F>
F exp_weight(F x) {
  const F one = F::splat(1), magic = F::splat(detail::kMagic);
  const F scaled = x * F::splat(1.44269504088896341f);
  const F sum = scaled + magic;
  const F f = scaled - (sum - magic);
  F p = madd(f, F::splat(1.326464536e-3f), F::splat(9.671576447e-3f));
  p = madd(p, f, F::splat(5.550734516e-2f));
  p = madd(p, f, F::splat(2.402224111e-1f));
  p = madd(p, f, F::splat(6.931469769e-1f));
  const F y = madd(p, f, one) * detail::power_of_two<F>(bits_of(sum));
  return select(x < F::splat(-87.0f), F::splat(0), y);
}

// e^x - 1 for x <= 0, without cancellation near 0. Error 1 ULP.
template <class F>
F expm1_negative(F x) {
  const detail::Exp<F> e = detail::reduce_exp(max(F::splat(-20.0f), x));
  const F scale = detail::power_of_two<F>(e.sum);
  const F y = madd(e.p, scale, scale - F::splat(1));
  return select(abs(x) < F::splat(1e-10f), x, y);  // keeps -0
}

// Error 1 ULP. log(0) = -inf, log(x < 0) = NaN. Polynomial of Cephes logf on [sqrt(1/2), sqrt(2)).
template <class F>
F log(F x) {
  using I = typename F::Int;
  const auto subnormal = x < F::splat(0x1p-126f);
  const F scaled = select(subnormal, x * F::splat(0x1p23f), x);
  const I shifted = bits_of(scaled) - I::splat(0x3f3504f3);
  const F e = to_float(shifted >> 23) - select(subnormal, F::splat(23), F::splat(0));
  const F m = from_bits((shifted & I::splat(0x007fffff)) + I::splat(0x3f3504f3));
  const F f = m - F::splat(1);
  const F z = f * f;
  F y =
      detail::polynomial(f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                             -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  y = y * f * z;
  y = madd(e, F::splat(-2.12194440e-4f), y);
  y = madd(z, F::splat(-0.5f), y);
  y = madd(e, F::splat(0.693359375f), f + y);
  const F infinity = F::splat(__builtin_inff());
  y = select(x < infinity, y, x);  // +inf and NaN are themselves
  y = select(x == F::splat(0), -infinity, y);
  return select(x < F::splat(0), F::splat(__builtin_nanf("")), y);
}

// log(1 + u) for u in [0, 1]. Error 2 ULP. The logarithm of the rounded sum plus what the rounding lost.
template <class F>
F log1p_unit(F u) {
  const F w = F::splat(1) + u;
  return log(w) + (u - (w - F::splat(1))) / w;
}

namespace detail {

// x P(x^2) / Q(x^2), between -1 and 1; `limit` is where that is first 1 in float.
template <class F, int kP, int kQ>
F odd_rational(F x, float limit, const float (&p)[kP], const float (&q)[kQ]) {
  const F one = F::splat(1);
  const F a = min(F::splat(limit), max(F::splat(-limit), x));
  const F s = a * a;
  return min(one, max(-one, a * polynomial(s, p) / polynomial(s, q)));
}

}  // namespace detail

// Error 5 ULP. A rational minimax fit made for this file, of degree (9, 8).
template <class F>
F tanh(F x) {
  return detail::odd_rational(x, 9.02f, {1.33190718e-8f, 2.05834804e-5f, 3.49403446e-3f, 1.33797178e-1f, 1.0f},
                              {7.76201918e-7f, 3.28309272e-4f, 2.58710728e-2f, 4.67130331e-1f, 1.0f});
}

// 1 / (1 + e^-x). Error 3 ULP; 0 below -87.
template <class F>
F sigmoid(F x) {
  const F one = F::splat(1), low = F::splat(-87.0f);
  const F y = one / (one + exp_bounded(-min(F::splat(87), x)));
  return select(x < low, F::splat(0), y);
}

// Error 6 ULP. A rational minimax fit made for this file, of degree (11, 10).
template <class F>
F erf(F x) {
  return detail::odd_rational(
      x, 3.92f, {2.05008468e-6f, 2.84883861e-4f, 3.7656543e-3f, 5.27488388e-2f, 1.90407297e-1f, 1.12837915f},
      {3.80917477e-5f, 1.16254513e-3f, 1.49692909e-2f, 1.1410946e-1f, 5.02076814e-1f, 1.0f});
}

// ln(1 + e^x) without overflow. Error 2 ULP; 0 below -87.
template <class F>
F softplus(F x) {
  const F y = max(x, F::splat(0)) + log1p_unit(exp_negative(-abs(x)));
  return select(x == x, y, x);
}

// sin (or cos, by starting one quadrant later) for |x| <= kMaxTrigArgument: reduction by multiples of pi/2 in three
// parts (Cody and Waite), polynomials of Cephes sinf and cosf. Absolute error 1e-7.
inline constexpr float kMaxTrigArgument = 8192.0f;
template <class F>
F sin_or_cos(F x, int quadrant) {
  using I = typename F::Int;
  const F n = nearest(x * F::splat(0.636619772367581343f));
  F r = madd(n, F::splat(-1.5703125f), x);
  r = madd(n, F::splat(-4.837512969970703125e-4f), r);
  r = madd(n, F::splat(-7.54978995489188216e-8f), r);
  const I q = to_int(n) + I::splat(quadrant);
  const F z = r * r;
  const F sine = madd(r, z * detail::polynomial(z, {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f}), r);
  const F cosine =
      madd(z * z, detail::polynomial(z, {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f}),
           madd(z, F::splat(-0.5f), F::splat(1)));
  const F y = select((q & I::splat(1)) == I::splat(0), sine, cosine);
  const F turned = from_bits(bits_of(y) ^ ((q & I::splat(2)) << 30));
  return quadrant == 0 ? select(x == F::splat(0), x, turned) : turned;  // keeps -0
}

}  // namespace onnxlet::inline ONNXLET_LEVEL::simd
