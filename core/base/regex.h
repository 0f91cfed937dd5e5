// Regular expressions in RE2's syntax, matched in time linear in the length of the text.
// Left out: Unicode classes (\p), single bytes (\C); like RE2 there are no backreferences and no look-around.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/regex_class.h"
#include "base/status.h"

namespace onnxlet {

class Regex {
 public:
  // The error quotes the pattern and says at which byte it fails.
  static Result<Regex> compile(std::string_view pattern);

  bool full_match(std::string_view text) const;
  // The leftmost match at or behind `from`, and of those the longest.
  bool find(std::string_view text, size_t from, size_t* begin, size_t* end) const;

 private:
  friend class RegexCompiler;
  enum class Op : uint8_t { kClass, kSplit, kAssert, kMatch };
  enum class Assert : uint8_t { kBeginText, kEndText, kBeginLine, kEndLine, kWordBoundary, kNoWordBoundary };
  struct Inst {
    Op op;
    Assert assertion;
    int32_t x = 0, y = 0;  // kClass: next, class; kSplit: both ways; kAssert: next
  };
  class Threads;

  void follow(int32_t start, size_t origin, int32_t before, int32_t after, Threads* threads) const;
  bool accepts(int32_t which, int32_t c) const { return classes_[static_cast<size_t>(which)].accepts(c); }

  std::vector<Inst> program_;
  std::vector<RegexClass> classes_;
  int32_t start_ = 0;
};

}  // namespace onnxlet
