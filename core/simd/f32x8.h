// Eight floats, for the fast level where it has AVX2 and FMA. simd/f32.h includes this file; what is said there of the
// vectors of four holds here too.
#pragma once

#include <immintrin.h>

namespace onnxlet::inline ONNXLET_LEVEL::simd {

struct I32x8 {
  typedef int32_t Raw __attribute__((vector_size(32)));
  typedef uint32_t RawUnsigned __attribute__((vector_size(32)));
  static constexpr int kLanes = 8;
  Raw v;

  static I32x8 splat(int32_t x) { return {Raw{x, x, x, x, x, x, x, x}}; }
  friend I32x8 operator+(I32x8 a, I32x8 b) { return {(Raw)((RawUnsigned)a.v + (RawUnsigned)b.v)}; }
  friend I32x8 operator-(I32x8 a, I32x8 b) { return {(Raw)((RawUnsigned)a.v - (RawUnsigned)b.v)}; }
  friend I32x8 operator&(I32x8 a, I32x8 b) { return {a.v & b.v}; }
  friend I32x8 operator|(I32x8 a, I32x8 b) { return {a.v | b.v}; }
  friend I32x8 operator^(I32x8 a, I32x8 b) { return {a.v ^ b.v}; }
  I32x8 operator<<(int n) const { return {(Raw)((RawUnsigned)v << n)}; }
  I32x8 operator>>(int n) const { return {v >> n}; }
};

struct F32x8 {
  typedef float Raw __attribute__((vector_size(32)));
  typedef int32_t RawInt __attribute__((vector_size(32)));
  using Int = I32x8;
  static constexpr int kLanes = 8;
  Raw v;

  static F32x8 splat(float x) { return {Raw{x, x, x, x, x, x, x, x}}; }
  static F32x8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  // n in [1, 8)
  static F32x8 load_n(const float* p, int n) { return {_mm256_maskload_ps(p, first_lanes(n))}; }
  void store_n(float* p, int n) const { _mm256_maskstore_ps(p, first_lanes(n), v); }

  friend F32x8 operator+(F32x8 a, F32x8 b) { return {a.v + b.v}; }
  friend F32x8 operator-(F32x8 a, F32x8 b) { return {a.v - b.v}; }
  friend F32x8 operator*(F32x8 a, F32x8 b) { return {a.v * b.v}; }
  friend F32x8 operator/(F32x8 a, F32x8 b) { return {a.v / b.v}; }
  F32x8 operator-() const { return {-v}; }
  float sum() const { return (F32x4{_mm256_castps256_ps128(v)} + F32x4{_mm256_extractf128_ps(v, 1)}).sum(); }
  float operator[](int i) const { return v[i]; }

 private:
  static __m256i first_lanes(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

inline F32x8 madd(F32x8 a, F32x8 b, F32x8 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }

struct Mask32x8 {
  F32x8::RawInt m;
};
inline Mask32x8 operator<(F32x8 a, F32x8 b) { return {(F32x8::RawInt)(a.v < b.v)}; }
inline Mask32x8 operator<=(F32x8 a, F32x8 b) { return {(F32x8::RawInt)(a.v <= b.v)}; }
inline Mask32x8 operator==(F32x8 a, F32x8 b) { return {(F32x8::RawInt)(a.v == b.v)}; }
inline Mask32x8 operator==(I32x8 a, I32x8 b) { return {(F32x8::RawInt)(a.v == b.v)}; }
inline Mask32x8 operator&(Mask32x8 a, Mask32x8 b) { return {a.m & b.m}; }
inline Mask32x8 operator|(Mask32x8 a, Mask32x8 b) { return {a.m | b.m}; }
inline Mask32x8 operator!(Mask32x8 a) { return {~a.m}; }
inline F32x8 select(Mask32x8 m, F32x8 yes, F32x8 no) { return {_mm256_blendv_ps(no.v, yes.v, (F32x8::Raw)m.m)}; }
inline bool any(Mask32x8 m) { return _mm256_movemask_ps((F32x8::Raw)m.m) != 0; }

inline I32x8 bits_of(F32x8 a) { return {(I32x8::Raw)a.v}; }
inline F32x8 from_bits(I32x8 a) { return {(F32x8::Raw)a.v}; }
inline F32x8 to_float(I32x8 a) { return {_mm256_cvtepi32_ps((__m256i)a.v)}; }
inline I32x8 to_int(F32x8 a) { return {(I32x8::Raw)_mm256_cvttps_epi32(a.v)}; }

inline F32x8 max(F32x8 a, F32x8 b) { return {_mm256_max_ps(a.v, b.v)}; }
inline F32x8 min(F32x8 a, F32x8 b) { return {_mm256_min_ps(a.v, b.v)}; }
inline F32x8 sqrt(F32x8 a) { return {_mm256_sqrt_ps(a.v)}; }

inline F32x8 nearest(F32x8 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
inline F32x8 floor(F32x8 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)}; }
inline F32x8 ceil(F32x8 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)}; }
inline F32x8 trunc(F32x8 a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)}; }

}  // namespace onnxlet::inline ONNXLET_LEVEL::simd
