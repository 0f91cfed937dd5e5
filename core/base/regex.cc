#include "base/regex.h"

#include <utility>

#include "base/regex_compiler.h"
#include "base/unicode.h"

namespace onnxlet {

Result<Regex> Regex::compile(std::string_view pattern) { return compile_regex(pattern); }

// A set of program positions, each with where its match began; earlier beginnings come first. Cleared in constant time.
class Regex::Threads {
 public:
  explicit Threads(size_t size) : dense_(size), sparse_(size), origin_(size) {}
  void clear() { count_ = 0; }
  bool insert(int32_t at, size_t origin) {
    const auto i = static_cast<size_t>(at);
    if (sparse_[i] < count_ && dense_[sparse_[i]] == at) return false;
    sparse_[i] = count_;
    origin_[count_] = origin;
    dense_[count_++] = at;
    return true;
  }
  size_t size() const { return count_; }
  int32_t operator[](size_t i) const { return dense_[i]; }
  size_t origin(size_t i) const { return origin_[i]; }
  std::vector<int32_t> stack;

 private:
  std::vector<int32_t> dense_;
  std::vector<size_t> sparse_, origin_;
  size_t count_ = 0;
};

// Adds `start` and all it reaches without reading; before and after are the neighbouring characters, -2 at the ends.
void Regex::follow(int32_t start, size_t origin, int32_t before, int32_t after, Threads* threads) const {
  threads->stack.assign(1, start);
  while (!threads->stack.empty()) {
    const int32_t at = threads->stack.back();
    threads->stack.pop_back();
    if (!threads->insert(at, origin)) continue;
    const Inst& inst = program_[static_cast<size_t>(at)];
    if (inst.op == Op::kSplit) {
      threads->stack.push_back(inst.y);
      threads->stack.push_back(inst.x);
    } else if (inst.op == Op::kAssert) {
      bool holds = false;
      switch (inst.assertion) {
        case Assert::kBeginText:
          holds = before == -2;
          break;
        case Assert::kEndText:
          holds = after == -2;
          break;
        case Assert::kBeginLine:
          holds = before == -2 || before == '\n';
          break;
        case Assert::kEndLine:
          holds = after == -2 || after == '\n';
          break;
        case Assert::kWordBoundary:
          holds = is_ascii_word(before) != is_ascii_word(after);
          break;
        case Assert::kNoWordBoundary:
          holds = is_ascii_word(before) == is_ascii_word(after);
          break;
      }
      if (holds) threads->stack.push_back(inst.x);
    }
  }
}

bool Regex::full_match(std::string_view text) const {
  Threads current(program_.size()), next(program_.size());
  size_t at = 0;
  int32_t c = text.empty() ? -2 : next_code_point(text, &at);
  follow(start_, 0, -2, c, &current);
  while (c != -2 && current.size() > 0) {
    const int32_t after = at < text.size() ? next_code_point(text, &at) : -2;
    next.clear();
    for (size_t i = 0; i < current.size(); ++i) {
      const Inst& inst = program_[static_cast<size_t>(current[i])];
      if (inst.op == Op::kClass && accepts(inst.y, c)) follow(inst.x, 0, c, after, &next);
    }
    std::swap(current, next);
    c = after;
  }
  for (size_t i = 0; i < current.size(); ++i) {
    if (program_[static_cast<size_t>(current[i])].op == Op::kMatch) return c == -2;
  }
  return false;
}

bool Regex::find(std::string_view text, size_t from, size_t* begin, size_t* end) const {
  Threads current(program_.size()), next(program_.size());
  size_t here = from, at = from;  // of the character c, and behind it
  int32_t before = from == 0 ? -2 : static_cast<uint8_t>(text[from - 1]);
  int32_t c = at < text.size() ? next_code_point(text, &at) : -2;
  bool found = false;
  for (;;) {
    if (!found) follow(start_, here, before, c, &current);
    const size_t behind = at;
    const int32_t after = c != -2 && at < text.size() ? next_code_point(text, &at) : -2;
    next.clear();
    for (size_t i = 0; i < current.size(); ++i) {
      const Inst& inst = program_[static_cast<size_t>(current[i])];
      if (found && current.origin(i) > *begin) break;
      if (inst.op == Op::kMatch) {
        found = true;
        *begin = current.origin(i);
        *end = here;
      }
      if (inst.op == Op::kClass && c != -2 && accepts(inst.y, c)) follow(inst.x, current.origin(i), c, after, &next);
    }
    std::swap(current, next);
    if (c == -2 || (found && current.size() == 0)) return found;
    before = c;
    c = after;
    here = behind;
  }
}

}  // namespace onnxlet
