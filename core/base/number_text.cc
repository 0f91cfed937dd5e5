#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace onnxlet {
namespace {

// A natural number with room for the largest double times a power of ten and some guard bits.
class BigNatural {
 public:
  explicit BigNatural(uint64_t v = 0) {
    words_[0] = static_cast<uint32_t>(v);
    words_[1] = static_cast<uint32_t>(v >> 32);
    used_ = words_[1] != 0 ? 2 : words_[0] != 0 ? 1 : 0;
  }
  bool zero() const { return used_ == 0; }
  int bits() const { return used_ == 0 ? 0 : used_ * 32 - std::countl_zero(words_[at(used_ - 1)]); }

  void multiply(uint32_t factor, uint32_t carry = 0) {
    uint64_t sum = carry;
    for (int i = 0; i < used_; ++i) {
      sum += static_cast<uint64_t>(words_[at(i)]) * factor;
      words_[at(i)] = static_cast<uint32_t>(sum);
      sum >>= 32;
    }
    if (sum != 0) words_[at(used_++)] = static_cast<uint32_t>(sum);
  }
  void multiply_power_of_ten(int n) {
    for (; n >= 9; n -= 9) multiply(1000000000u);
    for (; n > 0; --n) multiply(10);
  }
  void shift_left(int n) {
    if (used_ == 0) return;
    const int whole = n / 32, part = n % 32;
    for (int i = used_ - 1; i >= 0; --i) words_[at(i + whole)] = words_[at(i)];
    std::fill_n(words_.begin(), whole, 0u);
    used_ += whole;
    if (part != 0) multiply(1u << part);
  }
  void add(const BigNatural& b) {
    uint64_t sum = 0;
    used_ = std::max(used_, b.used_);
    for (int i = 0; i < used_; ++i) {
      sum += static_cast<uint64_t>(words_[at(i)]) + b.words_[at(i)];
      words_[at(i)] = static_cast<uint32_t>(sum);
      sum >>= 32;
    }
    if (sum != 0) words_[at(used_++)] = static_cast<uint32_t>(sum);
  }
  void subtract(const BigNatural& b) {  // b <= *this
    int64_t borrow = 0;
    for (int i = 0; i < used_; ++i) {
      borrow += static_cast<int64_t>(words_[at(i)]) - b.words_[at(i)];
      words_[at(i)] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    while (used_ > 0 && words_[at(used_ - 1)] == 0) --used_;
  }
  int compare(const BigNatural& b) const {
    if (used_ != b.used_) return used_ < b.used_ ? -1 : 1;
    for (int i = used_ - 1; i >= 0; --i) {
      if (words_[at(i)] != b.words_[at(i)]) return words_[at(i)] < b.words_[at(i)] ? -1 : 1;
    }
    return 0;
  }

 private:
  static size_t at(int i) { return static_cast<size_t>(i); }
  std::array<uint32_t, 48> words_{};
  int used_ = 0;
};

struct Digits {
  char text[20];
  int count = 0;
  int point = 0;  // value = 0.text * 10^point
};

// Free-format printing by Steele and White, in the form of Dybvig and Burger (1996).
Digits shortest_digits(double value, FloatFormat format) {
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [1/2, 1)
  const int precision = std::min(format.precision, exponent - 1 - format.min_exponent + format.precision);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, precision));
  exponent -= precision;
  const bool even = (mantissa & 1) == 0;
  // The gap below a power of two is half the gap above it, except at the bottom of the format.
  const bool lopsided = mantissa == uint64_t{1} << (precision - 1) && precision == format.precision &&
                        exponent + precision - 1 > format.min_exponent;
  BigNatural r(mantissa), s(1), above(1), below(1);
  const int extra = lopsided ? 2 : 1;
  r.shift_left(extra + std::max(exponent, 0));
  s.shift_left(extra + std::max(-exponent, 0));
  above.shift_left(extra - 1 + std::max(exponent, 0));
  below.shift_left(std::max(exponent, 0));

  Digits out;
  out.point = static_cast<int>(std::ceil(std::log10(value) - 1e-10));
  s.multiply_power_of_ten(out.point);
  r.multiply_power_of_ten(-out.point);
  above.multiply_power_of_ten(-out.point);
  below.multiply_power_of_ten(-out.point);
  BigNatural top = r;
  top.add(above);
  if (const int c = top.compare(s); c > 0 || (c == 0 && even)) {
    ++out.point;
  } else {
    r.multiply(10), above.multiply(10), below.multiply(10);
  }
  while (true) {
    int digit = 0;
    for (; r.compare(s) >= 0; ++digit) r.subtract(s);
    top = r;
    top.add(above);
    const int low = r.compare(below), high = top.compare(s);
    const bool at_low = low < 0 || (low == 0 && even), at_high = high > 0 || (high == 0 && even);
    if (at_low || at_high) {
      BigNatural twice = r;
      twice.shift_left(1);
      const int side = twice.compare(s);
      const bool up = at_high && (!at_low || side > 0 || (side == 0 && digit % 2 != 0));
      out.text[out.count++] = static_cast<char>('0' + digit + (up ? 1 : 0));
      return out;
    }
    out.text[out.count++] = static_cast<char>('0' + digit);
    r.multiply(10), above.multiply(10), below.multiply(10);
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::string_view trim(std::string_view s) {
  const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Consumes a sign; true when it is minus.
bool take_sign(std::string_view* s) {
  if (s->empty() || (s->front() != '-' && s->front() != '+')) return false;
  const bool minus = s->front() == '-';
  s->remove_prefix(1);
  return minus;
}

// Rounds q * 2^exponent (q with its top bit set; more says that the true value is larger) to a double.
double assemble(uint64_t q, int exponent, bool more, bool to_odd) {
  int drop = 11;  // 64 -> 53 bits
  if (exponent + drop < -1074) drop = -1074 - exponent;
  if (drop > 64) return to_odd ? std::numeric_limits<double>::denorm_min() : 0.0;
  uint64_t kept = drop == 64 ? 0 : q >> drop;
  const uint64_t rest = drop == 64 ? q : q & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  if (to_odd) {
    if (rest != 0 || more) kept |= 1;
  } else if (rest > half || (rest == half && (more || (kept & 1) != 0))) {
    ++kept;
  }
  return std::ldexp(static_cast<double>(kept), exponent + drop);
}

// digits * 10^power, exactly, by a 64-bit quotient and what remains of it.
double decimal_to_double(const BigNatural& digits, int power, bool to_odd) {
  BigNatural numerator = digits, denominator(1);
  numerator.multiply_power_of_ten(power);
  denominator.multiply_power_of_ten(-power);
  int shift = 64 - (numerator.bits() - denominator.bits());  // the quotient gets 64 or 65 bits
  if (shift > 0) numerator.shift_left(shift);
  if (shift < 0) denominator.shift_left(-shift);
  denominator.shift_left(64);
  if (numerator.compare(denominator) >= 0) {
    denominator.shift_left(1);
    --shift;
  }
  uint64_t q = 0;
  for (int i = 0; i < 64; ++i) {
    numerator.shift_left(1);
    q <<= 1;
    if (numerator.compare(denominator) >= 0) {
      numerator.subtract(denominator);
      q |= 1;
    }
  }
  return assemble(q, -shift, !numerator.zero(), to_odd);
}

}  // namespace

std::string shortest_text(double value, FloatFormat format) {
  if (std::isnan(value)) return "nan";
  std::string out = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return out + "inf";
  if (value == 0) return out + "0.0";
  const Digits d = shortest_digits(std::fabs(value), format);
  const std::string_view digits(d.text, static_cast<size_t>(d.count));
  const int exponent = d.point - 1;
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (d.count > 1) out.append(1, '.').append(digits.substr(1));
    out += exponent < 0 ? "e-" : "e+";
    const int size = exponent < 0 ? -exponent : exponent;
    if (size < 10) out += '0';
    append(out, static_cast<int64_t>(size));
    return out;
  }
  if (d.point <= 0) return out.append("0.").append(static_cast<size_t>(-d.point), '0').append(digits);
  const auto whole = static_cast<size_t>(d.point);
  if (digits.size() <= whole) return out.append(digits).append(whole - digits.size(), '0').append(".0");
  return out.append(digits.substr(0, whole)).append(1, '.').append(digits.substr(whole));
}

bool parse_double(std::string_view text, bool round_to_odd, double* out) {
  text = trim(text);
  const bool minus = take_sign(&text);
  const double sign = minus ? -1.0 : 1.0;
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity")) {
    *out = sign * std::numeric_limits<double>::infinity();
    return true;
  }
  if (equals_ignoring_case(text, "nan")) {
    *out = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  constexpr int kMaxDigits = 60;  // what comes after cannot matter but for being there
  BigNatural digits;
  int taken = 0, power = 0;
  bool any = false, fraction = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (fraction) --power;
    if (taken == 0 && c == '0') continue;
    if (taken < kMaxDigits) {
      if (digits.zero())
        digits = BigNatural(static_cast<uint64_t>(c - '0'));
      else
        digits.multiply(10, static_cast<uint32_t>(c - '0'));
    } else {
      ++power;
    }
    ++taken;
  }
  if (!any) return false;
  if (i < text.size() && lower(text[i]) == 'e') {
    std::string_view rest = text.substr(i + 1);
    const bool negative = take_sign(&rest);
    if (rest.empty() || !std::all_of(rest.begin(), rest.end(), is_digit)) return false;
    int exponent = 0;
    for (const char c : rest) exponent = std::min(exponent * 10 + (c - '0'), 100000);
    power += negative ? -exponent : exponent;
    i = text.size();
  }
  if (i != text.size()) return false;
  const int magnitude = std::min(taken, kMaxDigits) + power;
  if (digits.zero() || magnitude < -340) {
    *out = sign * 0.0;
  } else if (magnitude > 310) {
    *out = sign * std::numeric_limits<double>::infinity();
  } else {
    *out = sign * decimal_to_double(digits, power, round_to_odd);
  }
  return true;
}

bool parse_integer(std::string_view text, int64_t* out) {
  text = trim(text);
  const bool minus = take_sign(&text);
  if (text.empty()) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  if (minus && value > uint64_t{1} << 63) return false;
  *out = static_cast<int64_t>(minus ? uint64_t{0} - value : value);
  return true;
}

}  // namespace onnxlet
