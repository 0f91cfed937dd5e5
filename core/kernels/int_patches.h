// The patches of a convolution of 8-bit integers as strips of A: k is [tap][channel], the channels of a tap padded to
// whole groups.
#pragma once

#include <algorithm>

#include "kernels/int_tile.h"
#include "kernels/patches.h"

namespace onnxlet::int_tile {

template <class Format>
int64_t padded_channels(int64_t channels) {
  return groups<Format>(channels) * Format::kGroup;
}

// One group of channels, taps and pixels of one image.
struct PatchSource {
  const uint8_t* x;  // plane after plane, `plane` apart
  bool is_signed;
  int32_t zero;
  int64_t plane, channels, taps;
  // From locate_patches(), `block` pixels to a tap.
  const int32_t* offsets;
  const uint8_t* kinds;
  int64_t block;
};

// 16 bytes [4 pixels][4 channels] of a strip. `planes` holds those of the channels; missing channels read `zeros`.
inline U8x16 patch_quad(const uint8_t* const (&planes)[4], int present, uint8_t kind, const int32_t* o, U8x16 zeros) {
  if (kind == kPadding) return zeros;
  if (kind >= kContiguous) {
    uint32_t rows[4];
    std::memcpy(rows, &zeros, sizeof(rows));
    for (int c = 0; c < present; ++c) std::memcpy(rows + c, planes[c] + o[0], sizeof(uint32_t));
    U8x16 v;
    std::memcpy(&v, rows, sizeof(v));
    return __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  }
  uint8_t bytes[16];
  std::memcpy(bytes, &zeros, sizeof(bytes));
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < present && o[r] >= 0; ++c) bytes[r * 4 + c] = planes[c][o[r]];
  }
  return int_dot::load_bytes(bytes);
}

// The sum of the four bytes of each lane, as unsigned numbers.
inline I32x4 quad_sums(U8x16 v) {
  const I32x4 bytes{(I32x4::Raw)v}, low = I32x4::splat(0x00ff00ff);
  const I32x4 pairs = (bytes & low) + ((bytes >> 8) & low);
  return (pairs & I32x4::splat(0xffff)) + ((pairs >> 16) & I32x4::splat(0xffff));
}

// Four channels at a time.
template <class Format>
void pack_patch_quads(const PatchSource& p, int64_t strips, const ARecode& recode, uint8_t* out, RowTerms* terms) {
  const uint8_t sign = p.is_signed ? 0x80 : 0;  // what makes a byte unsigned
  const U8x16 zeros = U8x16{} + static_cast<uint8_t>(p.zero), flip = U8x16{} + recode.flip,
              to_unsigned = U8x16{} + sign;
  const int64_t padded = padded_channels<Format>(p.channels);
  const ptrdiff_t strip_step = static_cast<ptrdiff_t>(strip_elements<Format>(padded * p.taps));
  for (int64_t t = 0; t < p.taps; ++t) {
    for (int64_t ch = 0; ch < padded; ch += 4) {
      const int present = static_cast<int>(std::min<int64_t>(4, p.channels - ch));
      const uint8_t* planes[4];
      for (int c = 0; c < 4; ++c) planes[c] = p.x + (ch + std::min(c, present - 1)) * p.plane;
      const int32_t* o = p.offsets + t * p.block;
      const uint8_t* kinds = p.kinds + t * (p.block / kRows);
      uint8_t* dst = out + (t * padded + ch) * kRows;
      for (int64_t s = 0; s < strips; ++s, dst += strip_step, o += kRows) {
        const U8x16 v = patch_quad(planes, present, kinds[s], o, zeros), coded = v ^ flip;
        std::memcpy(dst, &coded, sizeof(coded));
        const I32x4 sums = quad_sums(v ^ to_unsigned);
        for (int r = 0; r < kRows; ++r) terms[s * kRows + r].sum += sums.v[r];
      }
    }
  }
  const int32_t zero_sum = static_cast<int32_t>(padded * p.taps) * (p.zero + (p.is_signed ? 128 : 0));
  for (int64_t i = 0; i < strips * kRows; ++i) terms[i].sum -= zero_sum;
}

template <class Format, class T>
void pack_patches_singly(const PatchSource& p, int64_t strips, const ARecode& recode, typename Format::Element* out,
                         RowTerms* terms) {
  constexpr ptrdiff_t kGroup = Format::kGroup;
  const int64_t padded = padded_channels<Format>(p.channels);
  const ptrdiff_t strip_step = static_cast<ptrdiff_t>(strip_elements<Format>(padded * p.taps));
  for (ptrdiff_t at = 0; at < padded * p.taps; ++at) {
    const int64_t ch = at % padded;
    const T* x = reinterpret_cast<const T*>(p.x) + ch * p.plane;
    const int32_t* o = p.offsets + at / padded * p.block;
    auto* dst = out + at / kGroup * kRows * kGroup + at % kGroup;
    for (int64_t s = 0; s < strips; ++s, dst += strip_step, o += kRows) {
      for (int r = 0; r < kRows; ++r) {
        const int32_t v = o[r] < 0 || ch >= p.channels ? p.zero : x[o[r]];
        dst[r * kGroup] = Format::encode(recode, v);
        terms[s * kRows + r].sum += v - p.zero;
      }
    }
  }
}

template <class Format>
void pack_patches(const PatchSource& p, int64_t rows, DotOperand operand, typename Format::Element* out,
                  RowTerms* terms) {
  const int64_t strips = (rows + kRows - 1) / kRows;
  const ARecode recode = Format::recode(p.is_signed, p.zero, operand);
  std::fill(terms, terms + strips * kRows, RowTerms{recode.left, 0, 1});
  if constexpr (Format::kGroup == 4) {
    pack_patch_quads<Format>(p, strips, recode, out, terms);
  } else if (p.is_signed) {
    pack_patches_singly<Format, int8_t>(p, strips, recode, out, terms);
  } else {
    pack_patches_singly<Format, uint8_t>(p, strips, recode, out, terms);
  }
}

}  // namespace onnxlet::int_tile
