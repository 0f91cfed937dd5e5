// Dot products of 8-bit numbers with 32-bit sums: i32x4.relaxed_dot_i8x16_i7x16_add where the build has it, pairs of
// 16-bit products elsewhere, and plain loops as the oracle.
//
// WebAssembly leaves open how the relaxed instruction reads a second operand beyond 7 bits. dot_operand() asks the
// machine, and kernels give it only what it multiplies exactly.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/f32.h"

namespace onnxlet {

// What the second operand of the relaxed dot may be (the first is always signed, 8 bits). kSevenBits: the machine
// saturates or wraps on the way; only 0 to 127 is exact, as the standard promises.
enum class DotOperand : uint8_t { kSevenBits, kUnsigned, kSigned };
DotOperand dot_operand();

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL::int_dot {

using simd::I32x4;
typedef uint8_t U8x16 __attribute__((vector_size(16)));

inline U8x16 load_bytes(const uint8_t* p) {
  U8x16 v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}

inline I32x4 load_ints(const int32_t* p) {
  I32x4 v;
  std::memcpy(&v.v, p, sizeof(v.v));
  return v;
}
inline void store_ints(I32x4 v, int32_t* p) { std::memcpy(p, &v.v, sizeof(v.v)); }
inline I32x4 mul(I32x4 a, I32x4 b) { return {(I32x4::Raw)((I32x4::RawUnsigned)a.v * (I32x4::RawUnsigned)b.v)}; }

// Lanes as bytes, saturated to 0 to 255.
inline U8x16 narrow(I32x4 a, I32x4 b, I32x4 c, I32x4 d) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4((v128_t)a.v, (v128_t)b.v),
                                        wasm_i16x8_narrow_i32x4((v128_t)c.v, (v128_t)d.v));
#elif defined(__SSE2__)
  return (U8x16)_mm_packus_epi16(_mm_packs_epi32((__m128i)a.v, (__m128i)b.v),
                                 _mm_packs_epi32((__m128i)c.v, (__m128i)d.v));
#else
  const auto byte = [](int32_t x) { return static_cast<uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x); };
  U8x16 out;
  for (int i = 0; i < 4; ++i) {
    out[i] = byte(a.v[i]);
    out[i + 4] = byte(b.v[i]);
    out[i + 8] = byte(c.v[i]);
    out[i + 12] = byte(d.v[i]);
  }
  return out;
#endif
}

// Element by element from two vectors of bytes or of 16-bit numbers: their lower and upper halves.
inline U8x16 interleave_low(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline U8x16 interleave_high(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
inline U8x16 interleave_low16(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}
inline U8x16 interleave_high16(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

// The instruction as a machine with the given second operand has it, on plain integers.
template <DotOperand kSecond>
struct Emulated {
  static I32x4 add(U8x16 first, U8x16 second, I32x4 sum) {
    for (int lane = 0; lane < 4; ++lane) {
      uint32_t dot = static_cast<uint32_t>(sum.v[lane]);
      for (int i = lane * 4; i < lane * 4 + 4; ++i) {
        const int32_t b = kSecond == DotOperand::kSigned ? static_cast<int8_t>(second[i]) : second[i];
        dot += static_cast<uint32_t>(static_cast<int8_t>(first[i]) * b);
      }
      sum.v[lane] = static_cast<int32_t>(dot);
    }
    return sum;
  }
};

// Four bytes, or four 16-bit numbers half by half, in every place.
inline U8x16 splat_quad(const uint8_t* p) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_v128_load32_splat(p);
#else
  int32_t quad;
  std::memcpy(&quad, p, sizeof(quad));
  return (U8x16)I32x4::splat(quad).v;
#endif
}
inline U8x16 splat_wide_quad(const int16_t* p) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_v128_load64_splat(p);
#else
  typedef int64_t I64x2 __attribute__((vector_size(16)));
  int64_t quad;
  std::memcpy(&quad, p, sizeof(quad));
  return (U8x16)I64x2{quad, quad};
#endif
}

// Eight bytes as signed 16-bit numbers; the lower and the upper half as unsigned ones.
inline U8x16 widen(const uint8_t* p) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_i16x8_load8x8(p);
#elif defined(__SSE2__)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return (U8x16)_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#else
  typedef int16_t I16x8 __attribute__((vector_size(16)));
  I16x8 v;
  for (int i = 0; i < 8; ++i) v[i] = static_cast<int8_t>(p[i]);
  return (U8x16)v;
#endif
}
inline U8x16 widen_low(U8x16 v) {
  return __builtin_shufflevector(v, U8x16{}, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6, 16, 7, 16);
}
inline U8x16 widen_high(U8x16 v) {
#if defined(__wasm_simd128__)
  return (U8x16)wasm_u16x8_extend_high_u8x16((v128_t)v);  // not found from the shuffle
#else
  return __builtin_shufflevector(v, U8x16{}, 8, 16, 9, 16, 10, 16, 11, 16, 12, 16, 13, 16, 14, 16, 15, 16);
#endif
}

// sum + products of 16-bit numbers, two to a lane.
inline I32x4 add_pairs(U8x16 a, U8x16 b, I32x4 sum) {
#if defined(__wasm_simd128__)
  return {(I32x4::Raw)wasm_i32x4_add((v128_t)sum.v, wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b))};
#elif defined(__SSE2__)
  return {(I32x4::Raw)_mm_add_epi32((__m128i)sum.v, _mm_madd_epi16((__m128i)a, (__m128i)b))};
#else
  typedef int16_t I16x8 __attribute__((vector_size(16)));
  const I16x8 x = (I16x8)a, y = (I16x8)b;
  for (int i = 0; i < 4; ++i) {
    const int32_t dot = x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
    sum.v[i] = static_cast<int32_t>(static_cast<uint32_t>(sum.v[i]) + static_cast<uint32_t>(dot));
  }
  return sum;
#endif
}

#if defined(__wasm_relaxed_simd__)
struct Relaxed {
  static I32x4 add(U8x16 first, U8x16 second, I32x4 sum) {
    return {(I32x4::Raw)wasm_i32x4_relaxed_dot_i8x16_i7x16_add((v128_t)first, (v128_t)second, (v128_t)sum.v)};
  }
};
#endif

}  // namespace onnxlet::inline ONNXLET_LEVEL::int_dot
