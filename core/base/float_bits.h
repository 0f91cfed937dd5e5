// Bit-level codecs between float and the 16-bit floats, inline and without branches on the data so that loops over
// them vectorise. Everybody else uses float_types.h.
#pragma once

#include <cstdint>

namespace onnxlet {

// std::bit_cast, which the standard library of older Emscriptens lacks.
template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// Exact; NaN payloads are kept.
inline float half_bits_to_float(uint16_t h) {
  const uint32_t magnitude = static_cast<uint32_t>(h & 0x7fff) << 13;
  const uint32_t exponent = magnitude & 0x0f800000u;
  const uint32_t rebias = (127u - 15u) << 23;
  const uint32_t normal = magnitude + rebias + (exponent == 0x0f800000u ? rebias : 0u);
  // A subnormal is read as 2^-14 plus its mantissa; the subtraction of 2^-14 is exact.
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f);
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  return bit_cast<float>((exponent == 0 ? subnormal : normal) | sign);
}

// Round to nearest even; beyond 65504 + half a unit infinity; NaN stays a quiet NaN.
inline uint16_t float_to_half_bits(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : 0x7c00u;
  // Below 2^-14: adding 1/2 makes the adder round at the unit 2^-24.
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  return static_cast<uint16_t>((magnitude >= (143u << 23) ? special : finite) | ((bits >> 16) & 0x8000u));
}

inline float bfloat16_bits_to_float(uint16_t b) { return bit_cast<float>(static_cast<uint32_t>(b) << 16); }

inline uint16_t float_to_bfloat16_bits(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

// double -> float rounded to odd: a second rounding to any format at least two bits narrower is then correct, as if it
// had been made from the double (Boldo and Melquiond, "When double rounding is odd").
inline float double_to_float_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  uint32_t bits = bit_cast<uint32_t>(nearest);
  if (back == value || back != back) return nearest;
  const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  if (away) --bits;  // truncate: infinity becomes the largest finite value
  return bit_cast<float>(bits | 1u);
}

}  // namespace onnxlet
