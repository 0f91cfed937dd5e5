#include "tokenizers/pattern.h"

#include <algorithm>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/pattern_compiler.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

// Oniguruma's \w, which differs from Rust's: without zero-width joiners, and with the small numbers of Latin-1.
bool is_word_here(int32_t c) {
  if (c < 0x100) return is_word(c) || (c >= 0xb2 && is_number(c));
  return is_word(c) && c != 0x200c && c != 0x200d;
}

}  // namespace

bool CharClass::holds(int32_t c) const {
  return std::any_of(items_.begin(), items_.end(), [c](const Item& item) {
    const bool in = item.kind == Item::kRange        ? c >= item.low && c <= item.high
                    : item.kind == Item::kCategories ? in_categories(c, item.set)
                    : item.kind == Item::kSpace      ? is_white_space(c)
                                                     : is_word_here(c);
    return in != item.negated;
  });
}

bool CharClass::contains(int32_t c) const {
  constexpr int32_t kLongS = 0x17f, kKelvin = 0x212a;
  const bool other_case = fold_ && (holds(to_lower(c)) || holds(to_upper(c)) || (c == kLongS && holds('s')) ||
                                    (c == kKelvin && holds('k')));
  return (holds(c) || other_case) != negated_;
}

void CharClass::finish(bool negated, bool fold) {
  negated_ = negated;
  fold_ = fold;
  for (int32_t c = 0; c < 0x80; ++c) ascii_[c] = contains(c);
}

Result<Pattern> Pattern::compile(std::string_view expression) { return compile_pattern(expression); }

// One search. What is still to be tried lies on a stack: a place in the program, and the positions from `at` back to
// `low` (or on to `low`, for lazy repetitions) that it may go on from.
class Pattern::Matcher {
 public:
  Matcher(const Pattern& pattern, const std::vector<int32_t>& text) : pattern_(pattern), text_(text) {
    constexpr uint64_t kStepsPerCharacter = 1000;
    steps_ = kStepsPerCharacter * (text.size() + 100);
  }
  bool exhausted() const { return steps_ == 0; }

  // Where the match ends that begins at `from`; SIZE_MAX: there is none.
  size_t match(int32_t start, size_t from) {
    const size_t floor = stack_.size();
    int32_t pc = start;
    size_t at = from;
    for (;;) {
      if (steps_ == 0 || --steps_ == 0) break;
      const Inst& inst = pattern_.program_[static_cast<size_t>(pc)];
      bool good = true;
      switch (inst.op) {
        case Op::kMatch:
          stack_.resize(floor);
          return at;
        case Op::kMany:
          good = many(inst, &at);
          pc = inst.next;
          break;
        case Op::kSplit:
          stack_.push_back({inst.other, at, at});
          pc = inst.next;
          break;
        case Op::kLook:
          good = (match(inst.other, at) != SIZE_MAX) != inst.negated;
          pc = inst.next;
          break;
        case Op::kBegin:
          good = at == 0;
          pc = inst.next;
          break;
        case Op::kEnd:
          good = at == text_.size();
          pc = inst.next;
          break;
      }
      if (good) continue;
      if (stack_.size() == floor) break;
      Choice& last = stack_.back();
      pc = last.pc;
      at = last.at;
      if (last.at == last.limit)
        stack_.pop_back();
      else
        last.at += last.at > last.limit ? size_t(-1) : 1;
    }
    stack_.resize(floor);
    return SIZE_MAX;
  }

 private:
  struct Choice {
    int32_t pc;
    size_t at, limit;
  };

  bool many(const Inst& inst, size_t* at) {
    const CharClass& wanted = pattern_.classes_[static_cast<size_t>(inst.which)];
    const size_t room = text_.size() - *at, most = inst.max < 0 ? room : std::min<size_t>(room, inst.max);
    size_t count = 0;
    while (count < most && wanted.accepts(text_[*at + count])) ++count;
    steps_ -= std::min<uint64_t>(steps_ - 1, count);
    const auto least = static_cast<size_t>(inst.min);
    if (count < least) return false;
    const size_t low = *at + least, high = *at + count;
    *at = inst.greedy ? high : low;
    if (high > low && !inst.possessive) {
      stack_.push_back(inst.greedy ? Choice{inst.next, high - 1, low} : Choice{inst.next, low + 1, high});
    }
    return true;
  }

  const Pattern& pattern_;
  const std::vector<int32_t>& text_;
  uint64_t steps_;
  std::vector<Choice> stack_;
};

Status Pattern::find_all(const std::vector<int32_t>& text, std::vector<Match>* out) const {
  Matcher matcher(*this, text);
  for (size_t at = 0; at < text.size();) {
    const size_t end = matcher.match(start_, at);
    if (matcher.exhausted()) {
      return run_failed("a regular expression of tokenizer.json takes too many steps on a text of ", text.size(),
                        " characters");
    }
    if (end == SIZE_MAX || end == at) {
      ++at;
      continue;
    }
    out->push_back({at, end});
    at = end;
  }
  return {};
}

}  // namespace onnxlet
