// Numbers as text and back, exactly: the shortest digits that read back as the same value, and correct rounding when
// reading. Independent of locale and of the C library's (large) formatting code.
#pragma once

#include <string>
#include <string_view>

namespace onnxlet {

// As Python and numpy print: "0.1", "1.0", "1e+20", "nan", "inf", "-inf". The shortest decimal that tells the value
// from its neighbours with `precision` bits of significand and the smallest normal exponent given.
struct FloatFormat {
  int precision, min_exponent;
};
inline constexpr FloatFormat kDoubleFormat{53, -1022}, kFloatFormat{24, -126}, kHalfFormat{11, -14},
    kBFloat16Format{8, -126};
std::string shortest_text(double value, FloatFormat format);

// "3.14", " -1e-5 ", "+INF", "nan", any case, spaces around allowed. False when the text is not a number.
// round_to_odd: for a later rounding to a narrower format (see double_to_float_odd); otherwise to nearest even.
bool parse_double(std::string_view text, bool round_to_odd, double* out);
// Digits with a sign; false when the text is something else or beyond 64 bits (the two's complement of uint64 counts).
bool parse_integer(std::string_view text, int64_t* out);

}  // namespace onnxlet
