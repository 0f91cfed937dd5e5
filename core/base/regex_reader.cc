#include "base/regex_reader.h"

#include <algorithm>

#include "base/unicode.h"

namespace onnxlet {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

bool RegexReader::take(std::string_view s) {
  if (!comes(s)) return false;
  at_ += s.size();
  return true;
}

int32_t RegexReader::code_point() { return next_code_point(text_, &at_); }

bool RegexReader::number(int* out) {
  const size_t first = at_;
  for (*out = 0; more() && peek() >= '0' && peek() <= '9'; ++at_) {
    *out = std::min(*out * 10 + (peek() - '0'), kMostRepeats + 1);
  }
  return at_ > first;
}

bool RegexReader::counted(bool from_none, int* min, int* max) {
  const size_t start = at_;
  if (take("{")) {
    const bool from = number(min);
    *max = *min;
    const bool open = take(",");
    const bool to = open && number(max);
    if (open && !to) *max = -1;
    if ((from || (from_none && to)) && take("}")) return true;
  }
  at_ = start;
  return false;
}

int32_t RegexReader::hexadecimal(int digits) {
  const bool braces = take("{");
  int32_t value = 0;
  int count = 0;
  for (; more() && hex_digit(peek()) >= 0 && (braces || count < digits); ++count, ++at_) {
    value = std::min(value * 16 + hex_digit(peek()), kLastCodePoint + 1);
  }
  const bool complete = braces ? count > 0 && take("}") : count == digits;
  return complete && value <= kLastCodePoint ? value : -1;
}

int32_t named_escape(char letter) {
  constexpr std::string_view kNames = "afnrtv", kValues = "\a\f\n\r\t\v";
  const size_t i = kNames.find(letter);
  return i == std::string_view::npos ? -1 : kValues[i];
}

}  // namespace onnxlet
