// The 4x8 tile of 8-bit integer products, and the two forms of packed operands it exists for.
//
// A strip: [k / kGroup][4 rows][kGroup]. B panel: [k / kGroup][8 columns][kGroup] of int8 (unsigned B has 128 taken
// off), k padded with zeros. The sums of the columns, as int32, lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/int_dot.h"
#include "kernels/int_gemm.h"

namespace onnxlet::int_tile {

using int_dot::I32x4;
using int_dot::load_ints;
using int_dot::U8x16;
using simd::F32x4;

inline constexpr int kRows = 4, kCols = 8, kHalves = kCols / 4;

// How A's bytes become a strip's: minus `zero` (wide strips), or with the sign bit flipped, so that the machine's dot
// reads all 8 bits. `left` is the zero point that remains for the end.
struct ARecode {
  int32_t zero = 0, left = 0;
  uint8_t flip = 0;
};

// A widened to 16 bits: every machine multiplies these exactly.
struct Pairs {
  using Element = int16_t;
  static constexpr int kGroup = 2;
  static ARecode recode(bool, int32_t zero, DotOperand) { return {zero, 0, 0}; }
  static Element encode(const ARecode& r, int32_t value) { return static_cast<Element>(value - r.zero); }
  static U8x16 load_b(const uint8_t* p) { return int_dot::widen(p); }
  static U8x16 splat_a(const Element* p) { return int_dot::splat_quad(reinterpret_cast<const uint8_t*>(p)); }
  static I32x4 add(U8x16 a, U8x16 b, I32x4 sum) { return int_dot::add_pairs(a, b, sum); }
};

// Four bytes a lane, through a dot whose second operand takes 8 bits, one way or the other.
template <class Dot>
struct Quads {
  using Element = uint8_t;
  static constexpr int kGroup = 4;
  static ARecode recode(bool is_signed, int32_t zero, DotOperand operand) {
    if (is_signed == (operand == DotOperand::kSigned)) return {0, zero, 0};
    return {0, is_signed ? zero + 128 : zero - 128, 0x80};
  }
  static Element encode(const ARecode& r, int32_t value) { return static_cast<uint8_t>(value) ^ r.flip; }
  static U8x16 load_b(const uint8_t* p) { return int_dot::load_bytes(p); }
  static U8x16 splat_a(const Element* p) { return int_dot::splat_quad(p); }
  static I32x4 add(U8x16 a, U8x16 b, I32x4 sum) { return Dot::add(b, a, sum); }
};

// What packing takes off B, and sum - a * b in wrapping arithmetic.
inline int32_t shift_of(bool b_signed) { return b_signed ? 0 : 128; }
inline int32_t minus_product(int32_t sum, int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) - static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// Sizes of packed operands.
template <class Format>
int64_t groups(int64_t k) {
  return (k + Format::kGroup - 1) / Format::kGroup;
}
template <class Format>
int64_t strip_elements(int64_t k) {
  return groups<Format>(k) * Format::kGroup * kRows;
}
template <class Format>
int64_t panel_bytes(int64_t k) {
  return groups<Format>(k) * Format::kGroup * kCols;
}

// kR rows times kPanels panels.
template <class Format, int kR, int kPanels>
inline void multiply(const typename Format::Element* a, const uint8_t* b, int64_t panel, int64_t k_groups,
                     I32x4 (&sums)[kPanels][kR][kHalves]) {
  I32x4 acc[kPanels][kR][kHalves];  // not `sums`: what others see the address of does not stay in registers
  for (auto& p : acc) {
    for (auto& row : p) {
      for (I32x4& s : row) s = I32x4::splat(0);
    }
  }
  constexpr ptrdiff_t kStepA = kRows * Format::kGroup, kStepB = kCols * Format::kGroup;
  const auto* const end = a + static_cast<ptrdiff_t>(k_groups) * kStepA;
#pragma GCC unroll 1
  for (; a != end; a += kStepA, b += kStepB) {
    for (int p = 0; p < kPanels; ++p) {
      const uint8_t* at = b + p * static_cast<ptrdiff_t>(panel);
      U8x16 bv[kHalves];
      for (int h = 0; h < kHalves; ++h) bv[h] = Format::load_b(at + h * (kStepB / kHalves));
      for (int r = 0; r < kR; ++r) {
        const U8x16 av = Format::splat_a(a + r * Format::kGroup);
        for (int h = 0; h < kHalves; ++h) acc[p][r][h] = Format::add(av, bv[h], acc[p][r][h]);
      }
    }
  }
  for (int p = 0; p < kPanels; ++p) {
    for (int r = 0; r < kR; ++r) std::copy_n(acc[p][r], kHalves, sums[p][r]);
  }
}

// What the end of a sum needs of 8 columns, fetched once for all rows.
struct Columns {
  int32_t sum[kCols], zero[kCols], bias[kCols];
  float scale[kCols], float_bias[kCols];
  bool has_sum = true, has_zero = false;

  // zero_shift: what packing took off B.
  [[gnu::noinline]] Columns(const IntOutput& o, const PerAxis<int32_t>& b_zero, int32_t zero_shift, const int32_t* sums,
                            int64_t col, int cols) {
    std::copy_n(sums, kCols, sum);
#pragma GCC unroll 1
    for (int c = 0; c < kCols; ++c) {
      const bool in = c < cols;
      zero[c] = in ? b_zero.at(col + c, 0) - zero_shift : 0;
      has_zero = has_zero || zero[c] != 0;
      bias[c] = in && o.bias ? o.bias[col + c] : 0;
      scale[c] = in ? o.col_scale.at(col + c, 1) : 0;
      float_bias[c] = in && o.float_bias ? o.float_bias[col + c] : -0.0f;
    }
  }
  // For rows that all have this zero point left: its part becomes bias.
  void fold(int32_t row_zero) {
    for (int c = 0; c < kCols; ++c) bias[c] = minus_product(bias[c], row_zero, sum[c]);
    has_sum = false;
  }
  // Whether every sum of k products plus bias, scaled, is a number that ToBytes rounds without clamping it first.
  bool bounded(int64_t k) const {
    bool all = true;
#pragma GCC unroll 1
    for (int c = 0; c < kCols; ++c) all = all && is_bounded(k, bias[c], scale[c]);
    return all;
  }
  static bool is_bounded(int64_t k, int32_t bias, float scale) {
    const float most = static_cast<float>(k) * 32768 + std::abs(static_cast<float>(bias));
    return most < 0x1p31f && most * std::abs(scale) < 0x1p21f;
  }
};

// Of one row of A: the zero point that packing left, the sum over k without it, and the scale.
struct RowTerms {
  int32_t zero = 0, sum = 0;
  float scale = 1;
};

// round(sum * scale) + zero point within the type, as bytes; NaN becomes the smallest value.
struct ToBytes {
  F32x4 lo, hi;
  I32x4 shift;
  U8x16 flip;

  explicit ToBytes(const IntOutput& o) {
    const int32_t sign = o.kind == IntOutput::kInt8 ? 128 : 0, zero = o.zero_point + sign;
    lo = F32x4::splat(static_cast<float>(-zero));
    hi = F32x4::splat(static_cast<float>(255 - zero));
    shift = bits_of(F32x4::splat(kMagic)) - I32x4::splat(zero);
    flip = U8x16{} + static_cast<uint8_t>(sign);
  }
  // Where a float's last bit is 1, adding rounds to whole numbers, halves to even.
  I32x4 round(I32x4 sum, F32x4 scale, bool clamps = true) const {
    F32x4 v = to_float(sum) * scale;
    if (clamps) v = min(max(v, lo), hi);
    return bits_of(v + F32x4::splat(kMagic)) - shift;
  }
  U8x16 narrow(I32x4 a, I32x4 b, I32x4 c, I32x4 d) const { return int_dot::narrow(a, b, c, d) ^ flip; }

 private:
  static constexpr float kMagic = 0x1.8p23f;
};

// Rows of finished sums into the output; (row, col) counted from the output's first element. One copy for all tiles: it
// is long.
[[gnu::noinline]] inline void put(const IntOutput& o, const Columns& c, const RowTerms* terms,
                                  const I32x4 (*sums)[kHalves], int rows, int64_t row, int64_t col, int cols) {
  const bool bytes = o.kind == IntOutput::kInt8 || o.kind == IntOutput::kUint8, scaled = o.kind != IntOutput::kInt32;
  const bool whole = cols == kCols && o.col_stride == 1;
  const ptrdiff_t size = bytes ? 1 : sizeof(int32_t), step = static_cast<ptrdiff_t>(o.col_stride) * size;
  I32x4 bias[kHalves], sum[kHalves], zero[kHalves];
  F32x4 scale[kHalves], float_bias[kHalves];
  for (int h = 0; h < kHalves; ++h) {
    bias[h] = load_ints(c.bias + 4 * h);
    sum[h] = load_ints(c.sum + 4 * h);
    zero[h] = load_ints(c.zero + 4 * h);
    scale[h] = F32x4::load(c.scale + 4 * h);
    float_bias[h] = F32x4::load(c.float_bias + 4 * h);
  }
  const ToBytes to_bytes(o);
  char* out = static_cast<char*>(o.data) + (row * o.row_stride + col * o.col_stride) * size;
  for (int r = 0; r < rows; ++r, out += o.row_stride * size) {
    I32x4 v[kHalves];
    for (int h = 0; h < kHalves; ++h) {
      v[h] = sums[r][h] + bias[h];
      if (c.has_sum) v[h] = v[h] - int_dot::mul(I32x4::splat(terms[r].zero), sum[h]);
      if (c.has_zero) v[h] = v[h] - int_dot::mul(I32x4::splat(terms[r].sum), zero[h]);
      if (!scaled) continue;
      const F32x4 factor = F32x4::splat(terms[r].scale) * scale[h];
      v[h] = bytes ? to_bytes.round(v[h], factor) : bits_of(to_float(v[h]) * factor + float_bias[h]);
    }
    if (bytes) {
      const U8x16 narrow = to_bytes.narrow(v[0], v[1], v[0], v[1]);
      if (cols == kCols && step == 1) {
        std::memcpy(out, &narrow, kCols);
        continue;
      }
      for (int j = 0; j < cols; ++j) out[j * step] = static_cast<char>(narrow[j]);
      continue;
    }
    if (whole) {
      for (int h = 0; h < kHalves; ++h) std::memcpy(out + h * sizeof(v[h].v), &v[h].v, sizeof(v[h].v));
      continue;
    }
    int32_t values[kCols];
    for (int h = 0; h < kHalves; ++h) int_dot::store_ints(v[h], values + 4 * h);
    for (int j = 0; j < cols; ++j) std::memcpy(out + j * step, values + j, sizeof(int32_t));
  }
}

// B as a block sees it. zero: of the matrix as the model has it, from column 0 of the output.
struct PackedPanels {
  const uint8_t* data;
  const int32_t* sums;
  PerAxis<int32_t> zero;
  int32_t zero_shift;
};

template <class Format, int kR, int kPanels>
void tile(const typename Format::Element* strip, const RowTerms* terms, int rows, const PackedPanels& b,
          const Columns* columns, int64_t cols, int64_t k, const IntOutput& out, int64_t row, int64_t col) {
  const int64_t panel = panel_bytes<Format>(k);
  I32x4 sums[kPanels][kR][kHalves];
  multiply<Format, kR, kPanels>(strip, b.data, panel, groups<Format>(k), sums);
  for (int p = 0; p < kPanels; ++p) {
    const int64_t j = p * kCols;
    put(out, columns[p], terms, sums[p], rows, row, col + j, static_cast<int>(std::min<int64_t>(kCols, cols - j)));
  }
}

inline bool one_zero(const RowTerms* terms, int64_t rows) {
  return std::all_of(terms, terms + rows, [&](const RowTerms& t) { return t.zero == terms->zero; });
}

// All tiles of a block. `terms`: one per row. row0, col0: where the block lies in the output; b.data, b.sums: those of
// its first panel.
template <class Format>
void block(const typename Format::Element* a, const RowTerms* terms, int64_t rows, PackedPanels b, int64_t cols,
           int64_t k, const IntOutput& out, int64_t row0, int64_t col0) {
  constexpr int kWide = 4;  // panels that a single row walks at once: one alone would wait for its own sums
  const int64_t panel = panel_bytes<Format>(k);
  const bool fold = one_zero(terms, rows);
  auto columns_of = [&](int64_t p, int64_t first) {  // p panels after b's first
    Columns c(out, b.zero, b.zero_shift, b.sums + p * kCols, col0 + first,
              static_cast<int>(std::min<int64_t>(kCols, cols - first)));
    if (fold) c.fold(terms->zero);
    return c;
  };
  int64_t j = 0;
  if (rows == 1) {
    for (; j + kWide * kCols <= cols; j += kWide * kCols, b.data += kWide * panel, b.sums += kWide * kCols) {
      const Columns columns[kWide] = {columns_of(0, j), columns_of(1, j + kCols), columns_of(2, j + 2 * kCols),
                                      columns_of(3, j + 3 * kCols)};
      tile<Format, 1, kWide>(a, terms, 1, b, columns, kWide * kCols, k, out, row0, col0 + j);
    }
  }
  for (; j < cols; j += kCols, b.data += panel, b.sums += kCols) {
    const Columns columns = columns_of(0, j);
    for (int64_t i = 0; i < rows; i += kRows) {
      const int tile_rows = static_cast<int>(std::min<int64_t>(kRows, rows - i));
      const auto* strip = a + i / kRows * strip_elements<Format>(k);
      if (tile_rows == 1) {
        tile<Format, 1, 1>(strip, terms + i, 1, b, &columns, cols - j, k, out, row0 + i, col0 + j);
      } else {
        tile<Format, kRows, 1>(strip, terms + i, tile_rows, b, &columns, cols - j, k, out, row0 + i, col0 + j);
      }
    }
  }
}

// body.template operator()<Format>() with the kernel's format.
template <class Body>
auto with_format(IntKernel kernel, Body&& body) {
  switch (kernel) {
#define INT_KERNEL(kernel, name, operand, ...) \
  case IntKernel::kernel:                      \
    return body.template operator()<__VA_ARGS__>();
#include "kernels/int_kernels.inc"
#undef INT_KERNEL
  }
  __builtin_unreachable();
}
DotOperand operand_of(IntKernel kernel);

}  // namespace onnxlet::int_tile
