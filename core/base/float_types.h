// Storage types for the small number formats. Each holds one element in its own byte(s), converts to
// float exactly, and from float by round-to-nearest-even (the float8 kinds saturate as ONNX Cast's default asks).
#pragma once

#include <cstdint>

namespace onnxlet {

float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float value);

struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float v) : bits(float_to_half(v)) {}
  explicit operator float() const { return half_to_float(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float v) : bits(float_to_bfloat16(v)) {}
  explicit operator float() const { return bfloat16_to_float(bits); }
};

// How the minifloats below differ; see the ONNX "Float stored in 8 bits" page and the OCP MX specification.
struct MiniFloatFormat {
  uint8_t exponent_bits, mantissa_bits;
  uint8_t bias;
  bool has_inf;        // E5M2 only
  bool has_nan;        // float8 kinds; the 4- and 6-bit kinds have none
  bool unsigned_zero;  // FNUZ: 0x80 is NaN, there is no negative zero
};
float minifloat_to_float(uint8_t bits, const MiniFloatFormat& format);
// saturate: values beyond the largest finite one become it; otherwise infinity or NaN as the format has.
uint8_t float_to_minifloat(float value, const MiniFloatFormat& format, bool saturate);

inline constexpr MiniFloatFormat kE4M3FN{4, 3, 7, false, true, false};
inline constexpr MiniFloatFormat kE4M3FNUZ{4, 3, 8, false, true, true};
inline constexpr MiniFloatFormat kE5M2{5, 2, 15, true, true, false};
inline constexpr MiniFloatFormat kE5M2FNUZ{5, 2, 16, false, true, true};
inline constexpr MiniFloatFormat kE2M1{2, 1, 1, false, false, false};
inline constexpr MiniFloatFormat kE2M3{2, 3, 1, false, false, false};
inline constexpr MiniFloatFormat kE3M2{3, 2, 3, false, false, false};

template <const MiniFloatFormat& kFormat>
struct MiniFloat {
  uint8_t bits = 0;
  MiniFloat() = default;
  explicit MiniFloat(float v, bool saturate = true) : bits(float_to_minifloat(v, kFormat, saturate)) {}
  explicit operator float() const { return minifloat_to_float(bits, kFormat); }
};
using Float8E4M3FN = MiniFloat<kE4M3FN>;
using Float8E4M3FNUZ = MiniFloat<kE4M3FNUZ>;
using Float8E5M2 = MiniFloat<kE5M2>;
using Float8E5M2FNUZ = MiniFloat<kE5M2FNUZ>;
using Float4E2M1 = MiniFloat<kE2M1>;
using Float6E2M3 = MiniFloat<kE2M3>;
using Float6E3M2 = MiniFloat<kE3M2>;

// Power-of-two scale of the OCP MX formats: value = 2^(bits-127), 255 is NaN.
enum class E8M0Rounding { kUp, kDown, kNearest };
uint8_t float_to_e8m0(float value, E8M0Rounding rounding, bool saturate);
float e8m0_to_float(uint8_t bits);
struct Float8E8M0 {
  uint8_t bits = 0;
  Float8E8M0() = default;
  explicit Float8E8M0(float v) : bits(float_to_e8m0(v, E8M0Rounding::kUp, true)) {}
  explicit operator float() const { return e8m0_to_float(bits); }
};

// Sub-byte integers, one per byte while an operator works on them. From wider integers the low bits are kept.
template <int kBits, bool kSigned>
struct SmallInt {
  uint8_t bits = 0;  // only the low kBits are set
  static constexpr int kMask = (1 << kBits) - 1;
  static constexpr int kMin = kSigned ? -(1 << (kBits - 1)) : 0;
  static constexpr int kMax = kSigned ? (1 << (kBits - 1)) - 1 : kMask;
  SmallInt() = default;
  explicit SmallInt(int v) : bits(static_cast<uint8_t>(v & kMask)) {}
  explicit operator int() const {
    const int v = bits & kMask;
    return kSigned && v > kMax ? v - (kMask + 1) : v;
  }
};
using Int4 = SmallInt<4, true>;
using Uint4 = SmallInt<4, false>;
using Int2 = SmallInt<2, true>;
using Uint2 = SmallInt<2, false>;

}  // namespace onnxlet
