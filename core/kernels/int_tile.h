// The 4x8 tile of 8-bit integer products. A strip: [k / 2][4] pairs of int16; B panel: [k / 2][8] pairs of bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/int_gemm.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace onnxlet::int_tile {

inline constexpr int kRows = 4, kCols = 8;

inline int64_t pairs(int64_t k) { return (k + 1) / 2; }

// Four columns' pairs of one k step, and the sums they add to.
#if defined(__wasm_simd128__)
struct Quad {
  v128_t v;
  static Quad zero() { return {wasm_i32x4_const_splat(0)}; }
  static Quad splat_pair(const int16_t* p) { return {wasm_v128_load32_splat(p)}; }
  template <bool kSigned>
  static Quad widen(const uint8_t* p) {
    return {kSigned ? wasm_i16x8_load8x8(p) : wasm_u16x8_load8x8(p)};
  }
  void store(int32_t* p) const { wasm_v128_store(p, v); }
};
inline Quad dot_add(Quad a, Quad b, Quad acc) { return {wasm_i32x4_add(acc.v, wasm_i32x4_dot_i16x8(a.v, b.v))}; }
#elif defined(__SSE2__)
struct Quad {
  __m128i v;
  static Quad zero() { return {_mm_setzero_si128()}; }
  static Quad splat_pair(const int16_t* p) {
    int32_t pair;
    std::memcpy(&pair, p, sizeof(pair));
    return {_mm_set1_epi32(pair)};
  }
  template <bool kSigned>
  static Quad widen(const uint8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    if (kSigned) return {_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8)};
    return {_mm_unpacklo_epi8(bytes, _mm_setzero_si128())};
  }
  void store(int32_t* p) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
};
inline Quad dot_add(Quad a, Quad b, Quad acc) { return {_mm_add_epi32(acc.v, _mm_madd_epi16(a.v, b.v))}; }
#else
struct Quad {
  int32_t v[4][2];
  static Quad zero() { return {}; }
  static Quad splat_pair(const int16_t* p) {
    Quad q;
    for (auto& lane : q.v) lane[0] = p[0], lane[1] = p[1];
    return q;
  }
  template <bool kSigned>
  static Quad widen(const uint8_t* p) {
    Quad q;
    for (int i = 0; i < 8; ++i) q.v[i / 2][i % 2] = kSigned ? static_cast<int8_t>(p[i]) : p[i];
    return q;
  }
  void store(int32_t* p) const {
    for (int i = 0; i < 4; ++i) p[i] = v[i][0];
  }
};
inline Quad dot_add(const Quad& a, const Quad& b, Quad acc) {
  for (int i = 0; i < 4; ++i) {
    const int32_t dot = a.v[i][0] * b.v[i][0] + a.v[i][1] * b.v[i][1];
    acc.v[i][0] = static_cast<int32_t>(static_cast<uint32_t>(acc.v[i][0]) + static_cast<uint32_t>(dot));
  }
  return acc;
}
#endif

template <int kR, bool kSigned>
inline void multiply(const int16_t* a, const uint8_t* b, int64_t k_pairs, int32_t (&sums)[kRows][kCols]) {
  Quad acc[kR][2];
  for (int r = 0; r < kR; ++r) acc[r][0] = acc[r][1] = Quad::zero();
  const int16_t* const end = a + static_cast<ptrdiff_t>(k_pairs) * kRows * 2;
#pragma GCC unroll 1
  for (; a != end; a += kRows * 2, b += kCols * 2) {
    const Quad b0 = Quad::widen<kSigned>(b), b1 = Quad::widen<kSigned>(b + 8);
    for (int r = 0; r < kR; ++r) {
      const Quad av = Quad::splat_pair(a + r * 2);
      acc[r][0] = dot_add(av, b0, acc[r][0]);
      acc[r][1] = dot_add(av, b1, acc[r][1]);
    }
  }
  for (int r = 0; r < kR; ++r) {
    acc[r][0].store(sums[r]);
    acc[r][1].store(sums[r] + 4);
  }
}

inline int32_t wrap_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
inline int32_t wrap_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// One finished sum into the output, at (row, col) counted from the output's first element.
inline void put(const IntOutput& o, int64_t row, int64_t col, int32_t sum) {
  const int64_t at = row * o.row_stride + col * o.col_stride;
  if (o.bias) sum = wrap_add(sum, o.bias[col]);
  if (o.kind == IntOutput::kInt32) {
    static_cast<int32_t*>(o.data)[at] = sum;
    return;
  }
  float v = static_cast<float>(sum) * (o.row_scale.at(row, 1) * o.col_scale.at(col, 1));
  if (o.kind == IntOutput::kFloat) {
    static_cast<float*>(o.data)[at] = o.float_bias ? v + o.float_bias[col] : v;
    return;
  }
  const bool is_signed = o.kind == IntOutput::kInt8;
  const float lo = static_cast<float>((is_signed ? -128 : 0) - o.zero_point),
              hi = static_cast<float>((is_signed ? 127 : 255) - o.zero_point);
  v = v > lo ? (v < hi ? v : hi) : lo;  // NaN becomes the smallest value
  const int32_t q = static_cast<int32_t>(std::nearbyint(v)) + o.zero_point;
  static_cast<uint8_t*>(o.data)[at] = static_cast<uint8_t>(q);
}

// All tiles of a block. sums_a: of each row of A (zero point removed). row0, col0: where the block lies in the output.
template <bool kSigned>
void block(const int16_t* a, const int32_t* sums_a, int64_t rows, const uint8_t* b, int64_t cols, int64_t k,
           const PerAxis<int32_t>& b_zero, const IntOutput& out, int64_t row0, int64_t col0) {
  const int64_t kp = pairs(k);
  for (int64_t j = 0; j < cols; j += kCols) {
    const uint8_t* panel = b + j * kp * 2;
    const int tile_cols = static_cast<int>(std::min<int64_t>(kCols, cols - j));
    for (int64_t i = 0; i < rows; i += kRows) {
      int32_t sums[kRows][kCols];
      const int tile_rows = static_cast<int>(std::min<int64_t>(kRows, rows - i));
      const int16_t* strip = a + i * kp * 2;
      if (tile_rows == 1) {
        multiply<1, kSigned>(strip, panel, kp, sums);
      } else {
        multiply<4, kSigned>(strip, panel, kp, sums);
      }
      for (int r = 0; r < tile_rows; ++r) {
        for (int c = 0; c < tile_cols; ++c) {
          const int32_t zero = b_zero.at(col0 + j + c, 0);
          put(out, row0 + i + r, col0 + j + c, wrap_add(sums[r][c], wrap_mul(-zero, sums_a[i + r])));
        }
      }
    }
  }
}

}  // namespace onnxlet::int_tile
