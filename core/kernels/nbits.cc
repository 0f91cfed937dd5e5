#include "kernels/nbits.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/tile.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

using simd::F32;

constexpr int64_t kChunk = 128;  // values expanded at once

// Sixteen numbers as floats minus a zero point.
#if defined(__wasm_simd128__)
// 2^23 + n has n in its lowest mantissa bits: a byte shuffle makes the floats, subtractions take 2^23 and the zero
// point (which may be a fraction) off.
struct Expander {
  v128_t zero;
  explicit Expander(float z) : zero(wasm_f32x4_splat(z)) {}
  F32 floats(v128_t bytes) const {  // numbers in bytes 0, 4, 8, 12; the others zero
    const v128_t n = wasm_f32x4_sub(wasm_v128_or(bytes, wasm_i32x4_splat(0x4B000000)), wasm_f32x4_splat(0x1p23f));
    return {(F32::Raw)wasm_f32x4_sub(n, zero)};
  }
  // 16 numbers in 16 bytes.
  void sixteen(v128_t n, F32 (&out)[4]) const {
    const v128_t none = wasm_i8x16_splat(0);
    out[0] = floats(wasm_i8x16_shuffle(n, none, 0, 16, 16, 16, 1, 16, 16, 16, 2, 16, 16, 16, 3, 16, 16, 16));
    out[1] = floats(wasm_i8x16_shuffle(n, none, 4, 16, 16, 16, 5, 16, 16, 16, 6, 16, 16, 16, 7, 16, 16, 16));
    out[2] = floats(wasm_i8x16_shuffle(n, none, 8, 16, 16, 16, 9, 16, 16, 16, 10, 16, 16, 16, 11, 16, 16, 16));
    out[3] = floats(wasm_i8x16_shuffle(n, none, 12, 16, 16, 16, 13, 16, 16, 16, 14, 16, 16, 16, 15, 16, 16, 16));
  }
  void four_bits(const uint8_t* src, F32 (&out)[4]) const {  // 8 bytes
    const v128_t bytes = wasm_v128_load64_zero(src);
    const v128_t low = wasm_v128_and(bytes, wasm_i8x16_splat(15)), high = wasm_u8x16_shr(bytes, 4);
    sixteen(wasm_i8x16_shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), out);
  }
  void eight_bits(const uint8_t* src, F32 (&out)[4]) const { sixteen(wasm_v128_load(src), out); }
};
#else
struct Expander {
  float zero;
  explicit Expander(float z) : zero(z) {}
  void four_bits(const uint8_t* src, F32 (&out)[4]) const {
    float f[16];
    for (int i = 0; i < 8; ++i) {
      f[2 * i] = static_cast<float>(src[i] & 15) - zero;
      f[2 * i + 1] = static_cast<float>(src[i] >> 4) - zero;
    }
    for (int i = 0; i < 4; ++i) out[i] = F32::load(f + 4 * i);
  }
  void eight_bits(const uint8_t* src, F32 (&out)[4]) const {
    float f[16];
    for (int i = 0; i < 16; ++i) f[i] = static_cast<float>(src[i]) - zero;
    for (int i = 0; i < 4; ++i) out[i] = F32::load(f + 4 * i);
  }
};
#endif

// Numbers [first, first + count) of column j as floats with the zero point taken off; first lies at a byte's begin.
void expand(const NBitsMatrix& b, int64_t j, int64_t first, int64_t count, float zero, float* out) {
  const uint8_t* src = b.data + (j * b.blocks() * b.block + first) * b.bits / 8;
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  ptrdiff_t i = 0;
  if (b.bits == 4 || b.bits == 8) {
    const Expander expander(zero);
    for (; i + 16 <= n; i += 16) {
      F32 v[4];
      if (b.bits == 4) {
        expander.four_bits(src + i / 2, v);
      } else {
        expander.eight_bits(src + i, v);
      }
      for (int q = 0; q < 4; ++q) v[q].store(out + i + 4 * q);
    }
  }
  for (; i < n; ++i) out[i] = static_cast<float>(nbits_number(src, i, b.bits)) - zero;
}

// The same, scaled. `first` at the begin of a block where blocks give the scale.
void weights(const NBitsMatrix& b, int64_t j, int64_t first, int64_t count, float* out) {
  if (b.codebook) {
    // Blocks run over the whole matrix here, not column by column.
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = j * b.k + first + i;
      const uint8_t byte = b.data[at / 2];
      out[i] = b.codebook[at % 2 == 0 ? byte >> 4 : byte & 15] * b.scales[at / b.block];
    }
    return;
  }
  const int64_t row = j * b.blocks();
  if (b.group_of) {
    expand(b, j, first, count, 0, out);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = row + b.group_of[first + i];
      out[i] = (out[i] - (b.zeros ? b.zeros[at] : b.zero)) * b.scales[at];
    }
    return;
  }
  for (int64_t i = 0; i < count; i += b.block) {
    const int64_t at = row + (first + i) / b.block;
    const ptrdiff_t n = static_cast<ptrdiff_t>(std::min(b.block, count - i));
    expand(b, j, first + i, n, b.zeros ? b.zeros[at] : b.zero, out + i);
    const float scale = b.scales[at];
    for (ptrdiff_t q = 0; q < n; ++q) out[i + q] *= scale;
  }
}

float dot(const float* a, const float* b, ptrdiff_t n) {
  F32 sum[2] = {F32::splat(0), F32::splat(0)};
  ptrdiff_t i = 0;
  for (; i + 2 * F32::kLanes <= n; i += 2 * F32::kLanes) {
    sum[0] = madd(F32::load(a + i), F32::load(b + i), sum[0]);
    sum[1] = madd(F32::load(a + i + F32::kLanes), F32::load(b + i + F32::kLanes), sum[1]);
  }
  float total = (sum[0] + sum[1]).sum();
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

// kRows rows times column j, for 4 and 8 bits and whole blocks: numbers are expanded in registers.
template <int kBits, int kRows>
void rows_fast(const NBitsMatrix& b, int64_t j, const float* a, float* sums) {
  const int64_t blocks = b.blocks();
  const uint8_t* src = b.data + j * blocks * (b.block * kBits / 8);
  F32 total[kRows];
  for (F32& t : total) t = F32::splat(0);
  const ptrdiff_t k = static_cast<ptrdiff_t>(b.k), block = static_cast<ptrdiff_t>(b.block);
  for (int64_t i = 0; i < blocks; ++i, a += block) {
    const int64_t at = j * blocks + i;
    const Expander expander(b.zeros ? b.zeros[at] : b.zero);
    F32 sum[kRows];
    for (F32& s : sum) s = F32::splat(0);
    for (ptrdiff_t q = 0; q < block; q += 16, src += kBits * 2) {
      F32 w[4];
      if constexpr (kBits == 4) {
        expander.four_bits(src, w);
      } else {
        expander.eight_bits(src, w);
      }
      for (int r = 0; r < kRows; ++r) {
        const float* x = a + r * k + q;
        sum[r] = sum[r] +
                 (w[0] * F32::load(x) + w[1] * F32::load(x + 4) + (w[2] * F32::load(x + 8) + w[3] * F32::load(x + 12)));
      }
    }
    const F32 scale = F32::splat(b.scales[at]);
    for (int r = 0; r < kRows; ++r) total[r] = madd(sum[r], scale, total[r]);
  }
  for (int r = 0; r < kRows; ++r) sums[r] = total[r].sum();
}

template <int kRows>
bool rows_fast(const NBitsMatrix& b, int64_t j, const float* a, float* sums) {
  if (b.k % b.block != 0) return false;
  if (b.bits == 4) {
    rows_fast<4, kRows>(b, j, a, sums);
  } else if (b.bits == 8) {
    rows_fast<8, kRows>(b, j, a, sums);
  } else {
    return false;
  }
  return true;
}

// Any bits and any k.
void rows_any(const NBitsMatrix& b, int64_t j, int64_t m, const float* a, float* sums) {
  float strip[kChunk];
  for (int64_t i = 0; i < m; ++i) sums[i] = 0;
  const int64_t step = std::min(kChunk, b.block);
  for (int64_t first = 0; first < b.k; first += step) {
    const int64_t n = std::min(step, b.k - first), at = j * b.blocks() + first / b.block;
    expand(b, j, first, n, b.zeros ? b.zeros[at] : b.zero, strip);
    for (int64_t i = 0; i < m; ++i)
      sums[i] += b.scales[at] * dot(strip, a + i * b.k + first, static_cast<ptrdiff_t>(n));
  }
}

}  // namespace

void nbits_panels(const NBitsMatrix& b, int64_t j0, int64_t j1, float* panels) {
  const int64_t count = (j1 - j0 + kGemmCols - 1) / kGemmCols;
  parallel_for(count, grain_for(b.k * kGemmCols * 4), [&](int64_t begin, int64_t end) {
    float strips[kGemmCols][kChunk];  // a part of each column
    for (int64_t p = begin; p < end; ++p) {
      const int64_t j = j0 + p * kGemmCols;
      const int cols = static_cast<int>(std::min<int64_t>(kGemmCols, j1 - j));
      float* panel = panels + p * b.k * kGemmCols;
      for (int64_t first = 0; first < b.k; first += kChunk) {
        const int64_t n = std::min(kChunk, b.k - first);
        for (int c = 0; c < cols; ++c) weights(b, j + c, first, n, strips[c]);
        tile::pack_panel<kGemmCols>(strips[0], kChunk, 1, cols, n, panel + first * kGemmCols);
      }
    }
  });
}

void nbits_rows(const NBitsMatrix& b, int64_t m, const float* a, const float* bias, float* c) {
  parallel_for(b.n, std::max<int64_t>(1, grain_for(b.k * (m + 1) / 4)), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      float sums[kNBitsRows];
      for (int64_t i = 0; i < m; i += kNBitsRows) {
        const int64_t rows = std::min<int64_t>(kNBitsRows, m - i);
        const float* x = a + i * b.k;
        bool done = true;
        if (rows == kNBitsRows) {
          done = rows_fast<kNBitsRows>(b, j, x, sums);
        } else {
          for (int64_t r = 0; r < rows && done; ++r) done = rows_fast<1>(b, j, x + r * b.k, sums + r);
        }
        if (!done) rows_any(b, j, rows, x, sums);
        for (int64_t r = 0; r < rows; ++r) c[(i + r) * b.n + j] = bias ? sums[r] + bias[j] : sums[r];
      }
    }
  });
}

}  // namespace onnxlet
