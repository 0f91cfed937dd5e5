// Float vectors. An algorithm is written once as a template over F and instantiated with F32x4 (wasm SIMD, SSE, NEON
// through the compiler's vector extension) and with F32x1, the scalar oracle the tests compare against.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/level.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#if defined(ONNXLET_FAST) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace onnxlet::inline ONNXLET_LEVEL::simd {

// Lanes of 32-bit integers; arithmetic wraps. >> shifts the sign in.
struct I32x4 {
  typedef int32_t Raw __attribute__((vector_size(16)));
  typedef uint32_t RawUnsigned __attribute__((vector_size(16)));
  static constexpr int kLanes = 4;
  Raw v;

  static I32x4 splat(int32_t x) { return {Raw{x, x, x, x}}; }
  friend I32x4 operator+(I32x4 a, I32x4 b) { return {(Raw)((RawUnsigned)a.v + (RawUnsigned)b.v)}; }
  friend I32x4 operator-(I32x4 a, I32x4 b) { return {(Raw)((RawUnsigned)a.v - (RawUnsigned)b.v)}; }
  friend I32x4 operator&(I32x4 a, I32x4 b) { return {a.v & b.v}; }
  friend I32x4 operator|(I32x4 a, I32x4 b) { return {a.v | b.v}; }
  friend I32x4 operator^(I32x4 a, I32x4 b) { return {a.v ^ b.v}; }
  I32x4 operator<<(int n) const { return {(Raw)((RawUnsigned)v << n)}; }
  I32x4 operator>>(int n) const { return {v >> n}; }
};

struct I32x1 {
  static constexpr int kLanes = 1;
  int32_t v;

  static I32x1 splat(int32_t x) { return {x}; }
  static I32x1 of(uint32_t x) { return {static_cast<int32_t>(x)}; }
  uint32_t u() const { return static_cast<uint32_t>(v); }
  friend I32x1 operator+(I32x1 a, I32x1 b) { return of(a.u() + b.u()); }
  friend I32x1 operator-(I32x1 a, I32x1 b) { return of(a.u() - b.u()); }
  friend I32x1 operator&(I32x1 a, I32x1 b) { return {a.v & b.v}; }
  friend I32x1 operator|(I32x1 a, I32x1 b) { return {a.v | b.v}; }
  friend I32x1 operator^(I32x1 a, I32x1 b) { return {a.v ^ b.v}; }
  I32x1 operator<<(int n) const { return of(u() << n); }
  I32x1 operator>>(int n) const { return {v >> n}; }
};

struct F32x4 {
  typedef float Raw __attribute__((vector_size(16)));
  typedef int32_t RawInt __attribute__((vector_size(16)));
  using Int = I32x4;
  static constexpr int kLanes = 4;
  Raw v;

  static F32x4 splat(float x) { return {Raw{x, x, x, x}}; }
  static F32x4 load(const float* p) {
    F32x4 r;
    std::memcpy(&r.v, p, sizeof(r.v));
    return r;
  }
  void store(float* p) const { std::memcpy(p, &v, sizeof(v)); }
  // Tails: n in [1, 4); missing lanes read as 0.
  static F32x4 load_n(const float* p, int n) {
    F32x4 r = splat(0);
    std::memcpy(&r.v, p, static_cast<size_t>(n) * sizeof(float));
    return r;
  }
  void store_n(float* p, int n) const { std::memcpy(p, &v, static_cast<size_t>(n) * sizeof(float)); }

  friend F32x4 operator+(F32x4 a, F32x4 b) { return {a.v + b.v}; }
  friend F32x4 operator-(F32x4 a, F32x4 b) { return {a.v - b.v}; }
  friend F32x4 operator*(F32x4 a, F32x4 b) { return {a.v * b.v}; }
  friend F32x4 operator/(F32x4 a, F32x4 b) { return {a.v / b.v}; }
  F32x4 operator-() const { return {-v}; }
  // Sum of the lanes, always in the order (0+2)+(1+3): the same bits on every host.
  float sum() const { return (v[0] + v[2]) + (v[1] + v[3]); }
  float operator[](int i) const { return v[i]; }
};

struct F32x1 {
  using Int = I32x1;
  static constexpr int kLanes = 1;
  float v;
  static F32x1 splat(float x) { return {x}; }
  static F32x1 load(const float* p) { return {*p}; }
  void store(float* p) const { *p = v; }
  static F32x1 load_n(const float*, int) { return {0}; }
  void store_n(float*, int) const {}
  friend F32x1 operator+(F32x1 a, F32x1 b) { return {a.v + b.v}; }
  friend F32x1 operator-(F32x1 a, F32x1 b) { return {a.v - b.v}; }
  friend F32x1 operator*(F32x1 a, F32x1 b) { return {a.v * b.v}; }
  friend F32x1 operator/(F32x1 a, F32x1 b) { return {a.v / b.v}; }
  F32x1 operator-() const { return {-v}; }
  float sum() const { return v; }
  float operator[](int) const { return v; }
};

// a * b + c. With relaxed SIMD the rounding between the two is the machine's choice, at the fast level of native builds
// it does not happen where the machine can leave it out; elsewhere it always does.
inline F32x4 madd(F32x4 a, F32x4 b, F32x4 c) {
#if defined(__wasm_relaxed_simd__)
  return {(F32x4::Raw)wasm_f32x4_relaxed_madd((v128_t)a.v, (v128_t)b.v, (v128_t)c.v)};
#elif defined(ONNXLET_FAST) && defined(__FMA__)
  return {_mm_fmadd_ps(a.v, b.v, c.v)};
#elif defined(ONNXLET_FAST) && defined(__clang__)
  return {__builtin_elementwise_fma(a.v, b.v, c.v)};
#elif defined(ONNXLET_FAST) && defined(__ARM_FEATURE_FMA)
  return {(F32x4::Raw)vfmaq_f32((float32x4_t)c.v, (float32x4_t)a.v, (float32x4_t)b.v)};
#else
  return {a.v * b.v + c.v};
#endif
}
inline F32x1 madd(F32x1 a, F32x1 b, F32x1 c) {
#if defined(ONNXLET_FAST)
  return {__builtin_fmaf(a.v, b.v, c.v)};
#else
  return {a.v * b.v + c.v};
#endif
}

// Comparisons give a lane mask (all ones or zeros) for select().
struct Mask32x4 {
  F32x4::RawInt m;
};
struct Mask32x1 {
  bool m;
};
inline Mask32x4 operator<(F32x4 a, F32x4 b) { return {(F32x4::RawInt)(a.v < b.v)}; }
inline Mask32x4 operator<=(F32x4 a, F32x4 b) { return {(F32x4::RawInt)(a.v <= b.v)}; }
inline Mask32x4 operator==(F32x4 a, F32x4 b) { return {(F32x4::RawInt)(a.v == b.v)}; }
inline Mask32x1 operator<(F32x1 a, F32x1 b) { return {a.v < b.v}; }
inline Mask32x1 operator<=(F32x1 a, F32x1 b) { return {a.v <= b.v}; }
inline Mask32x1 operator==(F32x1 a, F32x1 b) { return {a.v == b.v}; }
inline F32x4 select(Mask32x4 m, F32x4 yes, F32x4 no) {
  return {(F32x4::Raw)((m.m & (F32x4::RawInt)yes.v) | (~m.m & (F32x4::RawInt)no.v))};
}
inline F32x1 select(Mask32x1 m, F32x1 yes, F32x1 no) { return m.m ? yes : no; }

inline Mask32x4 operator==(I32x4 a, I32x4 b) { return {(F32x4::RawInt)(a.v == b.v)}; }
inline Mask32x1 operator==(I32x1 a, I32x1 b) { return {a.v == b.v}; }
inline Mask32x4 operator&(Mask32x4 a, Mask32x4 b) { return {a.m & b.m}; }
inline Mask32x1 operator&(Mask32x1 a, Mask32x1 b) { return {a.m && b.m}; }
inline Mask32x4 operator|(Mask32x4 a, Mask32x4 b) { return {a.m | b.m}; }
inline Mask32x1 operator|(Mask32x1 a, Mask32x1 b) { return {a.m || b.m}; }
inline Mask32x4 operator!(Mask32x4 a) { return {~a.m}; }
inline Mask32x1 operator!(Mask32x1 a) { return {!a.m}; }
inline bool any(Mask32x4 m) {
#if defined(__wasm_simd128__)
  return wasm_v128_any_true((v128_t)m.m);
#else
  return (m.m[0] | m.m[1] | m.m[2] | m.m[3]) != 0;
#endif
}
inline bool any(Mask32x1 m) { return m.m; }

inline I32x4 bits_of(F32x4 a) { return {(I32x4::Raw)a.v}; }
inline I32x1 bits_of(F32x1 a) { return {__builtin_bit_cast(int32_t, a.v)}; }
inline F32x4 from_bits(I32x4 a) { return {(F32x4::Raw)a.v}; }
inline F32x1 from_bits(I32x1 a) { return {__builtin_bit_cast(float, a.v)}; }
inline F32x4 to_float(I32x4 a) { return {__builtin_convertvector(a.v, F32x4::Raw)}; }
inline F32x1 to_float(I32x1 a) { return {static_cast<float>(a.v)}; }

// Towards zero. Beyond int32 and for NaN the value is unspecified, but it is a value.
inline I32x4 to_int(F32x4 a) {
#if defined(__wasm_simd128__)
  return {(I32x4::Raw)wasm_i32x4_trunc_sat_f32x4((v128_t)a.v)};
#else
  return {__builtin_convertvector(a.v, I32x4::Raw)};
#endif
}
inline I32x1 to_int(F32x1 a) {
  if (!(a.v > -2147483648.0f)) return {INT32_MIN};
  return {a.v >= 2147483648.0f ? INT32_MAX : static_cast<int32_t>(a.v)};
}

template <class F>
F abs(F a) {
  return from_bits(bits_of(a) & F::Int::splat(0x7fffffff));
}
template <class F>
F sign_bit(F a) {
  return from_bits(bits_of(a) & F::Int::splat(INT32_MIN));
}
// |magnitude| with the sign of `sign`; magnitude must not be negative.
template <class F>
F with_sign(F magnitude, F sign) {
  return from_bits(bits_of(magnitude) | bits_of(sign_bit(sign)));
}

// Fast forms: the second operand where either is NaN.
inline F32x4 max(F32x4 a, F32x4 b) {
#if defined(__wasm_simd128__)
  return {(F32x4::Raw)wasm_f32x4_pmax((v128_t)b.v, (v128_t)a.v)};
#elif defined(__SSE2__)
  return {_mm_max_ps(a.v, b.v)};
#else
  return select(b < a, a, b);
#endif
}
inline F32x4 min(F32x4 a, F32x4 b) {
#if defined(__wasm_simd128__)
  return {(F32x4::Raw)wasm_f32x4_pmin((v128_t)b.v, (v128_t)a.v)};
#elif defined(__SSE2__)
  return {_mm_min_ps(a.v, b.v)};
#else
  return select(a < b, a, b);
#endif
}
inline F32x1 max(F32x1 a, F32x1 b) { return b.v < a.v ? a : b; }
inline F32x1 min(F32x1 a, F32x1 b) { return a.v < b.v ? a : b; }

inline F32x4 sqrt(F32x4 a) {
#if defined(__wasm_simd128__)
  return {(F32x4::Raw)wasm_f32x4_sqrt((v128_t)a.v)};
#elif defined(__SSE2__)
  return {_mm_sqrt_ps(a.v)};
#else
  return {
      F32x4::Raw{__builtin_sqrtf(a.v[0]), __builtin_sqrtf(a.v[1]), __builtin_sqrtf(a.v[2]), __builtin_sqrtf(a.v[3])}};
#endif
}
inline F32x1 sqrt(F32x1 a) { return {__builtin_sqrtf(a.v)}; }

// Rounding to integers: halves to even, down, up, towards zero. The sign of zero results is that of the operand.
#if defined(__wasm_simd128__)
inline F32x4 nearest(F32x4 a) { return {(F32x4::Raw)wasm_f32x4_nearest((v128_t)a.v)}; }
inline F32x4 floor(F32x4 a) { return {(F32x4::Raw)wasm_f32x4_floor((v128_t)a.v)}; }
inline F32x4 ceil(F32x4 a) { return {(F32x4::Raw)wasm_f32x4_ceil((v128_t)a.v)}; }
inline F32x4 trunc(F32x4 a) { return {(F32x4::Raw)wasm_f32x4_trunc((v128_t)a.v)}; }
#else
inline F32x4 nearest(F32x4 a) {
  const F32x4 magic = F32x4::splat(0x1p23f), size = abs(a);
  return select(size < magic, with_sign((size + magic) - magic, a), a);
}
inline F32x4 floor(F32x4 a) {
  const F32x4 t = nearest(a);
  return select(a < t, t - F32x4::splat(1), t);
}
inline F32x4 ceil(F32x4 a) { return -floor(-a); }
inline F32x4 trunc(F32x4 a) { return with_sign(floor(abs(a)), a); }
#endif
inline F32x1 nearest(F32x1 a) { return {__builtin_rintf(a.v)}; }
inline F32x1 floor(F32x1 a) { return {__builtin_floorf(a.v)}; }
inline F32x1 ceil(F32x1 a) { return {__builtin_ceilf(a.v)}; }
inline F32x1 trunc(F32x1 a) { return {__builtin_truncf(a.v)}; }

// IEEE maximum and minimum as ONNX wants them: NaN when either is NaN. In both orders the fast forms differ only there
// (and in the sign of zero), and whatever is joined with the bits of a NaN is one.
template <class F>
F max_nan(F a, F b) {
  return from_bits(bits_of(max(a, b)) | bits_of(max(b, a)));
}
template <class F>
F min_nan(F a, F b) {
  return from_bits(bits_of(min(a, b)) | bits_of(min(b, a)));
}

// Elements 0, 2, 4, 6 and 1, 3, 5, 7 of two vectors.
inline F32x4 even_lanes(F32x4 a, F32x4 b) { return {__builtin_shufflevector(a.v, b.v, 0, 2, 4, 6)}; }
inline F32x4 odd_lanes(F32x4 a, F32x4 b) { return {__builtin_shufflevector(a.v, b.v, 1, 3, 5, 7)}; }

}  // namespace onnxlet::inline ONNXLET_LEVEL::simd

// The vector type kernels use outside tests.
#if defined(ONNXLET_FAST) && defined(__AVX2__) && defined(__FMA__)
#include "simd/f32x8.h"
namespace onnxlet::inline ONNXLET_LEVEL::simd {
using F32 = F32x8;
}
#else
namespace onnxlet::inline ONNXLET_LEVEL::simd {
using F32 = F32x4;
}
#endif
