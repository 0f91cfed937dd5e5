// Reads the text of a regular expression: what its dialects (base/regex_compiler.h, tokenizers/pattern.h) have in
// common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnxlet {

class RegexReader {
 public:
  static constexpr int kMostRepeats = 1000;  // larger numbers are read as one more than this
  static constexpr int32_t kLastCodePoint = 0x10ffff;

  explicit RegexReader(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  size_t at() const { return at_; }
  bool more() const { return at_ < text_.size(); }
  char peek() const { return text_[at_]; }  // only while there is more()
  bool comes(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
  std::string_view rest() const { return text_.substr(at_); }
  void skip(size_t bytes) { at_ += bytes; }
  bool take(std::string_view s);
  int32_t code_point();  // -1: it is not UTF-8

  // {n}, {n,}, {n,m}, and where `from_none` {,m}; max -1: no limit. Of anything else nothing is taken.
  bool counted(bool from_none, int* min, int* max);
  // What comes behind a \x: so many digits, or any number of them in braces. -1: too few, or beyond the last code
  // point.
  int32_t hexadecimal(int digits);

 private:
  bool number(int* out);

  std::string_view text_;
  size_t at_ = 0;
};

// What \a \f \n \r \t \v stand for; -1: another letter.
int32_t named_escape(char letter);

}  // namespace onnxlet
