#include "base/text.h"

#include <cmath>

namespace onnxlet {

void append(std::string& out, std::string_view s) { out.append(s); }

void append(std::string& out, uint64_t v) {
  char digits[20];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + v % 10);
    v /= 10;
  } while (v != 0);
  while (n > 0) out.push_back(digits[--n]);
}

void append(std::string& out, int64_t v) {
  if (v < 0) {
    out.push_back('-');
    append(out, ~static_cast<uint64_t>(v) + 1);
  } else {
    append(out, static_cast<uint64_t>(v));
  }
}

void append(std::string& out, double v) {
  if (std::isnan(v)) return append(out, "nan");
  if (std::signbit(v)) {
    out.push_back('-');
    v = -v;
  }
  if (std::isinf(v)) return append(out, "inf");
  if (v == 0) return append(out, "0");
  int exponent = static_cast<int>(std::floor(std::log10(v)));
  const bool scientific = exponent < -5 || exponent > 15;
  const double scaled = scientific ? v / std::pow(10.0, exponent) : v;
  const int decimals = scientific ? 8 : std::max(0, 8 - exponent);
  const double unit = std::pow(10.0, decimals);
  const double rounded = std::round(scaled * unit);
  const auto whole = static_cast<uint64_t>(rounded / unit);
  auto fraction = static_cast<uint64_t>(rounded - static_cast<double>(whole) * unit);
  append(out, whole);
  if (fraction != 0) {
    std::string digits;
    append(digits, fraction);
    digits.insert(0, static_cast<size_t>(decimals) - std::min<size_t>(digits.size(), static_cast<size_t>(decimals)),
                  '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    out.push_back('.');
    out += digits;
  }
  if (scientific) {
    out.push_back('e');
    append(out, static_cast<int64_t>(exponent));
  }
}

void append(std::string& out, DType t) { append(out, dtype_name(t)); }

void append(std::string& out, const Shape& s) {
  out.push_back('[');
  for (int i = 0; i < s.rank(); ++i) {
    if (i > 0) out.push_back(',');
    append(out, s[i]);
  }
  out.push_back(']');
}

std::string join_text(const TextPart* parts, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    const TextPart& p = parts[i];
    switch (p.kind) {
      case TextPart::kChars:
        append(out, p.chars);
        break;
      case TextPart::kView:
        append(out, std::string_view(p.chars, p.length));
        break;
      case TextPart::kInt:
        append(out, p.i);
        break;
      case TextPart::kUint:
        append(out, p.u);
        break;
      case TextPart::kDouble:
        append(out, p.d);
        break;
      case TextPart::kDType:
        append(out, static_cast<DType>(p.i));
        break;
      case TextPart::kShape:
        append(out, *p.shape);
        break;
    }
  }
  return out;
}

Status make_status(Code code, const TextPart* parts, size_t count) { return {code, join_text(parts, count)}; }

}  // namespace onnxlet
