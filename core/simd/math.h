// Elementary functions over float vectors. Errors are the largest seen over a sweep of all floats at a stride of 1009
// against double precision (core/tests/math_test.cc asserts them); one ULP is that of the correct result.
#pragma once

#include "simd/f32.h"

namespace onnxlet::simd {

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

// x = n ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite); gives n, and e^r - 1 by the polynomial of Cephes expf.
template <class F>
F reduce_exp(F x, F* n) {
  *n = nearest(x * F::splat(1.44269504088896341f));
  F r = madd(*n, F::splat(-0.693359375f), x);
  r = madd(*n, F::splat(2.12194440e-4f), r);
  const F q = polynomial(
      r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  return madd(q, r * r, r);
}
// 2^n for n in [-126, 127].
template <class F>
F power_of_two(typename F::Int n) {
  return from_bits((n + F::Int::splat(127)) << 23);
}

}  // namespace detail

// Error 1 ULP. Overflows to infinity above 88.7228, gives subnormals and then 0 below -87.3365. NaN stays NaN.
template <class F>
F exp(F x) {
  F n;
  const F p = detail::reduce_exp(min(F::splat(89.0f), max(F::splat(-104.0f), x)), &n);
  // In two factors, so that the ends of the exponent's range are reached by rounding once.
  const typename F::Int i = to_int(n), half = i >> 1;
  return ((p + F::splat(1)) * detail::power_of_two<F>(half)) * detail::power_of_two<F>(i - half);
}

// e^x for x in [-87, 0]. Error 1 ULP.
template <class F>
F exp_bounded(F x) {
  F n;
  const F p = detail::reduce_exp(x, &n);
  const F scale = detail::power_of_two<F>(to_int(n));
  return madd(p, scale, scale);
}
// e^x for x <= 0, 0 where that is below e^-87 = 1.6e-38.
template <class F>
F exp_negative(F x) {
  const F low = F::splat(-87.0f);
  return select(x < low, F::splat(0), exp_bounded(max(low, x)));
}

// e^x - 1 for x <= 0, without cancellation near 0. Error 1 ULP.
template <class F>
F expm1_negative(F x) {
  F n;
  const F p = detail::reduce_exp(max(F::splat(-20.0f), x), &n);
  const F scale = detail::power_of_two<F>(to_int(n));
  const F y = madd(p, scale, scale - F::splat(1));
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

// Error 3 ULP. With tanh(a) = -t / (t + 2) with t = e^(-2a) - 1.
template <class F>
F tanh(F x) {
  const F t = expm1_negative(abs(x) * F::splat(-2));
  return with_sign(abs(t) / (t + F::splat(2)), x);
}

// 1 / (1 + e^-x). Error 3 ULP; 0 below -87.
template <class F>
F sigmoid(F x) {
  const F one = F::splat(1);
  const F z = exp_negative(-abs(x));
  return select(x < F::splat(0), z, one) / (one + z);
}

// Error 1.5 ULP. Below 15/16 x plus an odd polynomial, above 1 - e^(-x Q(x)); both fitted to minimax for this file.
template <class F>
F erf(F x) {
  const F a = min(abs(x), F::splat(4));
  const F s = a * a;
  const F small = madd(a,
                       detail::polynomial(s, {-5.919418763e-4f, 4.979130346e-3f, -2.675703540e-2f, 1.128155217e-1f,
                                              -3.761246800e-1f, 1.283791512e-1f}),
                       a);
  const F q = detail::polynomial(a, {1.043290649e-5f, -3.148561227e-4f, 3.610334359e-3f, -2.369455062e-2f,
                                     1.061590314e-1f, 6.351980567e-1f, 1.128637075f});
  const F large = F::splat(1) - exp_bounded(-(a * q));
  const F y = with_sign(select(a < F::splat(0.9375f), small, large), x);
  return select(x == x, y, x);
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

}  // namespace onnxlet::simd
