#include "base/float_types.h"

#include "base/float_bits.h"

namespace onnxlet {
namespace {

float power_of_two(int exponent) { return bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23); }

// Largest finite magnitude of a format as its code without the sign.
uint32_t largest_code(const MiniFloatFormat& format) {
  const uint32_t all = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  if (format.has_inf) return all - (1u << format.mantissa_bits);
  return format.has_nan && !format.unsigned_zero ? all - 1 : all;
}

}  // namespace

float half_to_float(uint16_t bits) { return half_bits_to_float(bits); }
uint16_t float_to_half(float value) { return float_to_half_bits(value); }
float bfloat16_to_float(uint16_t bits) { return bfloat16_bits_to_float(bits); }
uint16_t float_to_bfloat16(float value) { return float_to_bfloat16_bits(value); }

float minifloat_to_float(uint8_t bits, const MiniFloatFormat& format) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const uint32_t magnitude = bits & ((1u << width) - 1);
  const uint32_t sign = (static_cast<uint32_t>(bits) >> width) & 1u;
  const uint32_t sign_bit = sign << 31;
  const uint32_t nan = 0x7fc00000u | sign_bit;
  if (format.unsigned_zero && sign != 0 && magnitude == 0) return bit_cast<float>(nan);
  if (format.has_nan && magnitude > largest_code(format)) {
    const bool infinite = format.has_inf && magnitude == largest_code(format) + 1;
    return bit_cast<float>(infinite ? 0x7f800000u | sign_bit : nan);
  }
  const uint32_t exponent = magnitude >> format.mantissa_bits;
  if (exponent == 0) {
    const float value = static_cast<float>(magnitude) * power_of_two(1 - format.bias - format.mantissa_bits);
    return sign != 0 ? -value : value;
  }
  const uint32_t wide = magnitude << (23 - format.mantissa_bits);
  return bit_cast<float>((wide + (static_cast<uint32_t>(127 - format.bias) << 23)) | sign_bit);
}

uint8_t float_to_minifloat(float value, const MiniFloatFormat& format, bool saturate) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const int width = format.exponent_bits + format.mantissa_bits;
  const uint32_t sign = (bits >> 31) << width;
  const uint32_t largest = largest_code(format);
  // E5M2 has several NaN codes: this is the quiet one.
  const uint32_t nan = format.unsigned_zero ? 1u << width : ((1u << width) - (format.has_inf ? 2 : 1)) | sign;
  if (magnitude > 0x7f800000u) {
    // A format without NaN gives a zero of the opposite sign, as ml_dtypes does.
    return static_cast<uint8_t>(format.has_nan ? nan : sign ^ (1u << width));
  }
  const int shift = 23 - format.mantissa_bits;
  uint32_t code;
  if (magnitude < static_cast<uint32_t>(128 - format.bias) << 23) {
    // Below the smallest normal value: adding this makes the adder round at the format's unit.
    const float magic = power_of_two(1 - format.bias + shift);
    code = bit_cast<uint32_t>(bit_cast<float>(magnitude) + magic) - bit_cast<uint32_t>(magic);
  } else {
    const uint32_t half = (1u << (shift - 1)) - 1 + ((magnitude >> shift) & 1u);
    code = ((magnitude + half) >> shift) - (static_cast<uint32_t>(127 - format.bias) << format.mantissa_bits);
  }
  if (code > largest) {
    if (!saturate && format.has_inf) return static_cast<uint8_t>((largest + 1) | sign);
    if (!saturate && format.has_nan) return static_cast<uint8_t>(nan);
    code = largest;
  }
  if (format.unsigned_zero && code == 0) return 0;
  return static_cast<uint8_t>(code | sign);
}

// The sign is ignored: the format has none.
uint8_t float_to_e8m0(float value, E8M0Rounding rounding, bool saturate) {
  const uint32_t bits = bit_cast<uint32_t>(value) & 0x7fffffffu;
  const uint32_t fraction = bits & 0x7fffffu;
  uint32_t exponent = bits >> 23;
  if (exponent == 255) return 255;
  bool up = false;
  if (rounding == E8M0Rounding::kUp) up = fraction != 0;
  if (rounding == E8M0Rounding::kNearest) up = fraction > 0x400000u || (fraction == 0x400000u && exponent > 0);
  if (up && !(saturate && exponent == 254)) ++exponent;
  return static_cast<uint8_t>(exponent);
}

float e8m0_to_float(uint8_t bits) {
  if (bits == 255) return bit_cast<float>(0x7fc00000u);
  return bit_cast<float>(bits == 0 ? 0x00400000u : static_cast<uint32_t>(bits) << 23);
}

}  // namespace onnxlet
