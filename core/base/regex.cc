#include "base/regex.h"

#include <algorithm>
#include <string>

#include "base/sort.h"
#include "base/text.h"
#include "base/unicode.h"

namespace onnxlet {
namespace {

constexpr int32_t kMaxRune = 0x10ffff;
constexpr int kMaxDepth = 200, kMaxRepeat = 1000;
constexpr size_t kMaxProgram = 50000;
constexpr int32_t kMaxFolded = 0x1000;

bool is_word(int32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct NamedClass {
  std::string_view name, ranges;  // pairs of bytes
};
constexpr NamedClass kPosix[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", std::string_view("\0\x7f", 2)},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
};
constexpr std::string_view kDigit = "09", kSpace = "\t\n\f\r  ", kWord = "09AZ__az";

}  // namespace

// Parses to a tree, because counted repetition emits its operand several times, then emits instructions.
class RegexCompiler {
 public:
  using Op = Regex::Op;
  using Assert = Regex::Assert;
  using Class = Regex::Class;

  explicit RegexCompiler(std::string_view pattern) : text_(pattern) {}

  Result<Regex> compile() {
    OL_ASSIGN(const int root, alternatives());
    if (at_ < text_.size()) return fail("there is an unmatched )");
    // Emitted back to front: every instruction knows what follows it.
    out_.program_.push_back({Op::kMatch, {}});
    OL_ASSIGN(out_.start_, emit(root, 0));
    return std::move(out_);
  }

 private:
  enum class Kind : uint8_t { kEmpty, kClass, kAssert, kCat, kAlt, kRepeat };
  struct Node {
    Kind kind;
    int left = 0, right = 0;  // kClass: class; kAssert: which
    int min = 0, max = 0;     // kRepeat; max -1: no limit
  };

  Status fail(std::string_view what) const {
    return invalid_graph("the regular expression \"", text_, "\" is not valid: ", what, ", at byte ", at_);
  }
  bool more() const { return at_ < text_.size(); }
  bool take(std::string_view s) {
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }
  int add(Node n) {
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
  }
  int add_class(Class c) {
    if (fold_) fold_case(&c);
    normalize(&c);
    out_.classes_.push_back(std::move(c));
    return add({Kind::kClass, static_cast<int>(out_.classes_.size()) - 1});
  }
  int add_assert(Assert a) { return add({Kind::kAssert, static_cast<int>(a)}); }

  // ---- classes

  static void add_pairs(std::string_view pairs, bool negated, Class* c) {
    Class part;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) part.push_back({pairs[i], pairs[i + 1]});
    if (negated) negate(&part);
    c->insert(c->end(), part.begin(), part.end());
  }

  static void normalize(Class* c) {
    std::vector<int64_t> ordered;  // as one number each
    for (const auto& r : *c) ordered.push_back(static_cast<int64_t>(r.low) << 32 | r.high);
    sort_by(ordered.data(), static_cast<int64_t>(ordered.size()), [](int64_t a, int64_t b) { return a < b; });
    for (size_t i = 0; i < ordered.size(); ++i) {
      (*c)[i] = {static_cast<int32_t>(ordered[i] >> 32), static_cast<int32_t>(ordered[i] & 0xffffffff)};
    }
    Class merged;
    for (const auto& r : *c) {
      if (!merged.empty() && r.low <= merged.back().high + 1)
        merged.back().high = std::max(merged.back().high, r.high);
      else
        merged.push_back(r);
    }
    *c = std::move(merged);
  }

  static void negate(Class* c) {
    normalize(c);
    Class rest;
    int32_t next = 0;
    for (const auto& r : *c) {
      if (r.low > next) rest.push_back({next, r.low - 1});
      next = r.high + 1;
    }
    if (next <= kMaxRune) rest.push_back({next, kMaxRune});
    *c = std::move(rest);
  }

  static void fold_case(Class* c) {
    const size_t n = c->size();
    for (size_t i = 0; i < n; ++i) {
      const auto r = (*c)[i];
      if (r.high - r.low > kMaxFolded) continue;  // negations and dots hold both cases already
      for (int32_t x = r.low; x <= std::min(r.high, 0xffff); ++x) {
        if (to_lower(x) != x) c->push_back({to_lower(x), to_lower(x)});
        if (to_upper(x) != x) c->push_back({to_upper(x), to_upper(x)});
      }
    }
  }

  // ---- grammar

  Result<int> alternatives() {
    if (++depth_ > kMaxDepth) return fail("groups are nested too deeply");
    OL_ASSIGN(int left, sequence());
    while (take("|")) {
      OL_ASSIGN(const int right, sequence());
      left = add({Kind::kAlt, left, right});
    }
    --depth_;
    return left;
  }

  Result<int> sequence() {
    int left = add({Kind::kEmpty});
    while (more() && text_[at_] != '|' && text_[at_] != ')') {
      if (take("\\Q")) {
        while (more() && !take("\\E")) {
          OL_ASSIGN(int literal, one_literal());
          if (take("\\E")) {  // what repeats is the last character
            OL_ASSIGN(literal, repetition(literal));
            left = add({Kind::kCat, left, literal});
            break;
          }
          left = add({Kind::kCat, left, literal});
        }
        continue;
      }
      if (take("\\E")) continue;
      OL_ASSIGN(int item, atom());
      OL_ASSIGN(item, repetition(item));
      left = add({Kind::kCat, left, item});
    }
    return left;
  }

  Result<int> one_literal() {
    const int32_t c = next_code_point(text_, &at_);
    if (c < 0) return fail("it is not UTF-8");
    return add_class({{c, c}});
  }

  Result<int> repetition(int item) {
    int min = 0, max = -1;
    if (take("*")) {
    } else if (take("+")) {
      min = 1;
    } else if (take("?")) {
      max = 1;
    } else if (!counted(&min, &max)) {
      return item;
    }
    take("?");  // greed decides neither whether a text matches nor how long the longest match is
    if (min > kMaxRepeat || max > kMaxRepeat || (max >= 0 && min > max))
      return fail("a repetition count is out of range");
    int ignored = 0;
    const size_t here = at_;
    if (more() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?' || counted(&ignored, &ignored))) {
      at_ = here;
      return fail("one repetition follows another");
    }
    return add({Kind::kRepeat, item, 0, min, max});
  }

  // {n}, {n,}, {n,m}; anything else leaves { a literal.
  bool counted(int* min, int* max) {
    const size_t start = at_;
    const auto number = [&](int* out) {
      const size_t first = at_;
      int v = 0;
      for (; more() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
        v = std::min(v * 10 + (text_[at_] - '0'), kMaxRepeat + 1);
      *out = v;
      return at_ > first;
    };
    if (take("{") && number(min)) {
      *max = *min;
      if (take(",") && !number(max)) *max = -1;
      if (take("}")) return true;
    }
    at_ = start;
    return false;
  }

  Result<int> atom() {
    switch (text_[at_]) {
      case '(':
        return group();
      case '[':
        return bracket();
      case '\\':
        return escape();
      case '.': {
        ++at_;
        Class c = dot_newline_ ? Class{{0, kMaxRune}} : Class{{0, '\n' - 1}, {'\n' + 1, kMaxRune}};
        return add_class(std::move(c));
      }
      case '^':
        ++at_;
        return add_assert(multiline_ ? Assert::kBeginLine : Assert::kBeginText);
      case '$':
        ++at_;
        return add_assert(multiline_ ? Assert::kEndLine : Assert::kEndText);
      case '*':
      case '+':
      case '?':
        return fail("a repetition has nothing to repeat");
      default:
        return one_literal();
    }
  }

  Result<int> group() {
    ++at_;
    const bool fold = fold_, multiline = multiline_, dot_newline = dot_newline_;
    if (take("?")) {
      if (take("P<") || take("<")) {
        while (more() && is_word(text_[at_])) ++at_;
        if (!take(">")) return fail("the name of a group is not closed");
      } else {
        bool on = true;
        while (more() && text_[at_] != ':' && text_[at_] != ')') {
          switch (text_[at_++]) {
            case '-':
              on = false;
              break;
            case 'i':
              fold_ = on;
              break;
            case 'm':
              multiline_ = on;
              break;
            case 's':
              dot_newline_ = on;
              break;
            case 'U':
              break;
            default:
              --at_;
              return fail("this kind of group is unknown");
          }
        }
        if (take(")")) return add({Kind::kEmpty});  // flags for the rest of the enclosing group
        if (!take(":")) return fail("a group is not closed");
      }
    }
    OL_ASSIGN(const int inner, alternatives());
    if (!take(")")) return fail("a group is not closed");
    fold_ = fold, multiline_ = multiline, dot_newline_ = dot_newline;
    return inner;
  }

  Result<int> bracket() {
    ++at_;
    const bool negated = take("^");
    Class c;
    for (bool first = true; first || !take("]"); first = false) {
      if (!more()) return fail("a [ is not closed");
      if (take("[:")) {
        OL_TRY(posix(&c));
        continue;
      }
      if (text_[at_] == '\\' && perl_class(&c)) continue;
      OL_ASSIGN(const int32_t low, class_char());
      int32_t high = low;
      if (text_.substr(at_, 1) == "-" && text_.substr(at_, 2) != "-]") {
        ++at_;
        if (!more()) return fail("a [ is not closed");
        OL_ASSIGN(high, class_char());
        if (high < low) return fail("a range of characters is reversed");
      }
      c.push_back({low, high});
    }
    if (fold_) fold_case(&c);
    if (negated) negate(&c);
    const bool fold = fold_;
    fold_ = false;
    const int node = add_class(std::move(c));
    fold_ = fold;
    return node;
  }

  Status posix(Class* c) {
    const bool negated = take("^");
    for (const NamedClass& named : kPosix) {
      if (text_.substr(at_, named.name.size()) != named.name || text_.substr(at_ + named.name.size(), 2) != ":]")
        continue;
      at_ += named.name.size() + 2;
      add_pairs(named.ranges, negated, c);
      return {};
    }
    return fail("the name of a character class is unknown");
  }

  // \d \D \s \S \w \W
  bool perl_class(Class* c) {
    if (at_ + 1 >= text_.size()) return false;
    const char kind = text_[at_ + 1], lower = static_cast<char>(kind | 0x20);
    const std::string_view pairs = lower == 'd'   ? kDigit
                                   : lower == 's' ? kSpace
                                   : lower == 'w' ? kWord
                                                  : std::string_view();
    if (pairs.empty()) return false;
    at_ += 2;
    add_pairs(pairs, kind != lower, c);
    return true;
  }

  Result<int32_t> class_char() {
    if (text_[at_] == '\\') return escaped_char();
    const int32_t c = next_code_point(text_, &at_);
    if (c < 0) return fail("it is not UTF-8");
    return c;
  }

  Result<int> escape() {
    Class c;
    if (perl_class(&c)) return add_class(std::move(c));
    if (take("\\A")) return add_assert(Assert::kBeginText);
    if (take("\\z")) return add_assert(Assert::kEndText);
    if (take("\\b")) return add_assert(Assert::kWordBoundary);
    if (take("\\B")) return add_assert(Assert::kNoWordBoundary);
    OL_ASSIGN(const int32_t literal, escaped_char());
    return add_class({{literal, literal}});
  }

  Result<int32_t> escaped_char() {
    ++at_;
    if (!more()) return fail("it ends in a backslash");
    const char c = text_[at_];
    constexpr std::string_view kNames = "afnrtv", kValues = "\a\f\n\r\t\v";
    if (const size_t i = kNames.find(c); i != std::string_view::npos) {
      ++at_;
      return static_cast<int32_t>(kValues[i]);
    }
    if (c == 'x') return hexadecimal();
    if (c >= '0' && c <= '7') return octal();
    if (static_cast<uint8_t>(c) >= 0x80 || is_word(c)) {
      if (c == 'p' || c == 'P' || c == 'C') {
        return not_implemented("\\", std::string_view(&c, 1), " in a regular expression (\"", text_,
                               "\") is not supported");
      }
      return fail("an escape is unknown");
    }
    ++at_;
    return static_cast<int32_t>(c);
  }

  static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  Result<int32_t> hexadecimal() {
    ++at_;
    const bool braces = take("{");
    int32_t v = 0;
    int digits = 0;
    for (; more() && hex_digit(text_[at_]) >= 0 && (braces || digits < 2); ++digits) {
      v = v * 16 + hex_digit(text_[at_++]);
      if (v > kMaxRune) return fail("a code point is too large");
    }
    if (digits == 0 || (!braces && digits < 2) || (braces && !take("}")))
      return fail("a hexadecimal escape is incomplete");
    return v;
  }

  Result<int32_t> octal() {
    const bool zero = text_[at_] == '0';
    int32_t v = 0, digits = 0;
    for (; more() && text_[at_] >= '0' && text_[at_] <= '7' && digits < 3; ++digits) v = v * 8 + (text_[at_++] - '0');
    if (!zero && digits < 2) return fail("backreferences do not exist");
    return v;
  }

  // ---- instructions

  Result<int32_t> append(Op op, Assert assertion, int32_t x, int32_t y) {
    if (out_.program_.size() >= kMaxProgram) {
      return invalid_graph("the regular expression \"", text_, "\" is too large once its repetitions are written out");
    }
    out_.program_.push_back({op, assertion, x, y});
    return static_cast<int32_t>(out_.program_.size()) - 1;
  }

  // Instructions for node `n` that continue at `next`; returns where they start.
  Result<int32_t> emit(int n, int32_t next) {
    const Node node = nodes_[static_cast<size_t>(n)];
    switch (node.kind) {
      case Kind::kEmpty:
        return next;
      case Kind::kClass:
        return append(Op::kClass, {}, next, node.left);
      case Kind::kAssert:
        return append(Op::kAssert, static_cast<Assert>(node.left), next, 0);
      case Kind::kAlt: {
        OL_ASSIGN(int32_t at, emit(node.right, next));
        int left = node.left;  // a long list leans to the left: walked, not recursed into
        for (; nodes_[static_cast<size_t>(left)].kind == Kind::kAlt; left = nodes_[static_cast<size_t>(left)].left) {
          OL_ASSIGN(const int32_t other, emit(nodes_[static_cast<size_t>(left)].right, next));
          OL_ASSIGN(at, append(Op::kSplit, {}, other, at));
        }
        OL_ASSIGN(const int32_t first, emit(left, next));
        return append(Op::kSplit, {}, first, at);
      }
      case Kind::kRepeat:
        return emit_repeat(node, next);
      case Kind::kCat:
        break;
    }
    // A long sequence leans to the left: walked, not recursed into.
    for (int at = n;;) {
      const Node& cat = nodes_[static_cast<size_t>(at)];
      if (cat.kind != Kind::kCat) return emit(at, next);
      OL_ASSIGN(next, emit(cat.right, next));
      at = cat.left;
    }
  }

  Result<int32_t> emit_repeat(const Node& node, int32_t next) {
    int32_t at = next;
    if (node.max < 0) {
      OL_ASSIGN(const int32_t loop, append(Op::kSplit, {}, 0, next));
      OL_ASSIGN(const int32_t body, emit(node.left, loop));
      out_.program_[static_cast<size_t>(loop)].x = body;
      at = loop;
    } else {
      for (int i = node.min; i < node.max; ++i) {
        OL_ASSIGN(const int32_t body, emit(node.left, at));
        OL_ASSIGN(at, append(Op::kSplit, {}, body, next));
      }
    }
    for (int i = 0; i < node.min; ++i) {
      OL_ASSIGN(at, emit(node.left, at));
    }
    return at;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool fold_ = false, multiline_ = false, dot_newline_ = false;
  std::vector<Node> nodes_;
  Regex out_;
};

Result<Regex> Regex::compile(std::string_view pattern) { return RegexCompiler(pattern).compile(); }

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

bool Regex::accepts(int32_t which, int32_t c) const {
  const Class& ranges = classes_[static_cast<size_t>(which)];
  const auto it =
      std::upper_bound(ranges.begin(), ranges.end(), c, [](int32_t v, const Range& r) { return v < r.low; });
  return it != ranges.begin() && c <= std::prev(it)->high;
}

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
          holds = is_word(before) != is_word(after);
          break;
        case Assert::kNoWordBoundary:
          holds = is_word(before) == is_word(after);
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
