// Sets of code points in regular expressions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace onnxlet {

struct RegexRange {
  int32_t low, high;
};

class RegexClass {
 public:
  void add(int32_t low, int32_t high) { ranges_.push_back({low, high}); }
  void add(const RegexClass& other) { ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end()); }
  void negate();
  void fold_case();  // with a letter the other case is in it
  void normalize();  // before accepts()
  bool accepts(int32_t c) const;

 private:
  std::vector<RegexRange> ranges_;  // sorted and disjoint once normalized
};

bool is_ascii_word(int32_t c);

// Adds RE2's \d, \s or \w, by the small letter. False: there is no such class.
bool perl_class(char letter, bool negated, RegexClass* out);
// Adds the class whose name and ":]" a text begins with, and gives the length of the name. 0: there is no such class.
size_t posix_class(std::string_view text, bool negated, RegexClass* out);

}  // namespace onnxlet
