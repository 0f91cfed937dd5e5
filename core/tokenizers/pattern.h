// The regular expressions of tokenizer.json: what Oniguruma and Rust's regex have in common, with \p{...} and
// look-ahead. They backtrack, so each search may take a limited number of steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace onnxlet {

// A set of code points.
class CharClass {
 public:
  void add_range(int32_t low, int32_t high) { items_.push_back({Item::kRange, false, low, high, 0}); }
  void add_categories(uint32_t set, bool negated) { items_.push_back({Item::kCategories, negated, 0, 0, set}); }
  void add_space(bool negated) { items_.push_back({Item::kSpace, negated, 0, 0, 0}); }
  void add_word(bool negated) { items_.push_back({Item::kWord, negated, 0, 0, 0}); }
  void finish(bool negated, bool fold);  // no more follow; `fold`: large and small letters are the same
  bool accepts(int32_t c) const { return c >= 0 && c < 0x80 ? ascii_[c] : contains(c); }

 private:
  struct Item {
    enum Kind : uint8_t { kRange, kCategories, kSpace, kWord } kind;
    bool negated;
    int32_t low, high;
    uint32_t set;
  };
  bool holds(int32_t c) const;
  bool contains(int32_t c) const;

  std::vector<Item> items_;
  bool negated_ = false, fold_ = false;
  bool ascii_[0x80] = {};
};

class Pattern {
 public:
  // The error quotes the expression and says at which byte it fails.
  static Result<Pattern> compile(std::string_view expression);

  struct Match {
    size_t begin, end;
  };
  // All matches that are not empty, from left to right, in a text of code points.
  Status find_all(const std::vector<int32_t>& text, std::vector<Match>* out) const;

 private:
  friend class PatternCompiler;
  class Matcher;
  enum class Op : uint8_t { kMany, kSplit, kLook, kBegin, kEnd, kMatch };
  struct Inst {
    Op op;
    bool greedy = true, possessive = false, negated = false;
    int32_t next = 0, other = 0;          // kSplit: both ways, the first preferred; kLook: what is to come is at other
    int32_t which = 0, min = 1, max = 1;  // kMany: so many of a class; max -1: no limit
  };

  std::vector<Inst> program_;
  std::vector<CharClass> classes_;
  int32_t start_ = 0;
};

}  // namespace onnxlet
