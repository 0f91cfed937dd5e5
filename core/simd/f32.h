// Float vectors. An algorithm is written once as a template over F and instantiated with F32x4 (wasm SIMD, SSE, NEON
// through the compiler's vector extension) and with F32x1, the scalar oracle the tests compare against.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace onnxlet::simd {

struct I32x4;

struct F32x4 {
  typedef float Raw __attribute__((vector_size(16)));
  typedef int32_t RawInt __attribute__((vector_size(16)));
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

// a * b + c. With relaxed SIMD the rounding between the two is the machine's choice; elsewhere it always happens.
inline F32x4 madd(F32x4 a, F32x4 b, F32x4 c) {
#if defined(__wasm_relaxed_simd__)
  return {(F32x4::Raw)wasm_f32x4_relaxed_madd((v128_t)a.v, (v128_t)b.v, (v128_t)c.v)};
#else
  return {a.v * b.v + c.v};
#endif
}
inline F32x1 madd(F32x1 a, F32x1 b, F32x1 c) { return {a.v * b.v + c.v}; }

// Comparisons give a lane mask (all ones or zeros) for select().
struct Mask32x4 { F32x4::RawInt m; };
struct Mask32x1 { bool m; };
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

// IEEE maximum and minimum as ONNX wants them: NaN when either is NaN.
template <class F> F max_nan(F a, F b) { return select(a == a, select(b < a, a, b), a); }
template <class F> F min_nan(F a, F b) { return select(a == a, select(a < b, a, b), a); }

// The vector type kernels use outside tests.
using F32 = F32x4;

}  // namespace onnxlet::simd
