#include "base/regex_compiler.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/regex_reader.h"
#include "base/text.h"

namespace onnxlet {
namespace {

constexpr int kMostNested = 200;
constexpr size_t kMostInstructions = 50000;

}  // namespace

// Parses to a tree, because counted repetition emits its operand several times, then emits instructions.
class RegexCompiler {
 public:
  using Op = Regex::Op;
  using Assert = Regex::Assert;

  explicit RegexCompiler(std::string_view pattern) : in_(pattern) {}

  Result<Regex> compile() {
    OL_ASSIGN(const int root, alternatives());
    if (in_.more()) return fail("there is an unmatched )");
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
    return invalid_graph("the regular expression \"", in_.text(), "\" is not valid: ", what, ", at byte ", in_.at());
  }
  int add(Node n) {
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
  }
  int add_class(RegexClass c, bool fold) {
    if (fold) c.fold_case();
    c.normalize();
    out_.classes_.push_back(std::move(c));
    return add({Kind::kClass, static_cast<int>(out_.classes_.size()) - 1});
  }
  int add_assert(Assert a) { return add({Kind::kAssert, static_cast<int>(a)}); }

  int add_character(int32_t c) {
    RegexClass one;
    one.add(c, c);
    return add_class(std::move(one), fold_);
  }

  // ---- grammar

  Result<int> alternatives() {
    if (++depth_ > kMostNested) return fail("groups are nested too deeply");
    OL_ASSIGN(int left, sequence());
    while (in_.take("|")) {
      OL_ASSIGN(const int right, sequence());
      left = add({Kind::kAlt, left, right});
    }
    --depth_;
    return left;
  }

  Result<int> sequence() {
    int left = add({Kind::kEmpty});
    while (in_.more() && in_.peek() != '|' && in_.peek() != ')') {
      if (in_.take("\\Q")) {
        while (in_.more() && !in_.take("\\E")) {
          OL_ASSIGN(int literal, one_literal());
          if (in_.take("\\E")) {  // what repeats is the last character
            OL_ASSIGN(literal, repetition(literal));
            left = add({Kind::kCat, left, literal});
            break;
          }
          left = add({Kind::kCat, left, literal});
        }
        continue;
      }
      if (in_.take("\\E")) continue;
      OL_ASSIGN(int item, atom());
      OL_ASSIGN(item, repetition(item));
      left = add({Kind::kCat, left, item});
    }
    return left;
  }

  Result<int> one_literal() {
    OL_ASSIGN(const int32_t c, one_character());
    return add_character(c);
  }

  Result<int> repetition(int item) {
    int min = 0, max = -1;
    if (in_.take("*")) {
    } else if (in_.take("+")) {
      min = 1;
    } else if (in_.take("?")) {
      max = 1;
    } else if (!in_.counted(false, &min, &max)) {
      return item;
    }
    in_.take("?");  // greed decides neither whether a text matches nor how long the longest match is
    if (min > RegexReader::kMostRepeats || max > RegexReader::kMostRepeats || (max >= 0 && min > max))
      return fail("a repetition count is out of range");
    if (repeats()) return fail("one repetition follows another");
    return add({Kind::kRepeat, item, 0, min, max});
  }

  bool repeats() const {
    RegexReader ahead = in_;
    int ignored = 0;
    return ahead.take("*") || ahead.take("+") || ahead.take("?") || ahead.counted(false, &ignored, &ignored);
  }

  Result<int> atom() {
    switch (in_.peek()) {
      case '(':
        return group();
      case '[':
        return bracket();
      case '\\':
        return escape();
      case '.': {
        in_.skip(1);
        RegexClass c;
        if (!dot_newline_) c.add('\n', '\n');
        c.negate();
        return add_class(std::move(c), false);
      }
      case '^':
        in_.skip(1);
        return add_assert(multiline_ ? Assert::kBeginLine : Assert::kBeginText);
      case '$':
        in_.skip(1);
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
    in_.skip(1);
    const bool fold = fold_, multiline = multiline_, dot_newline = dot_newline_;
    if (in_.take("?")) {
      if (in_.take("P<") || in_.take("<")) {
        while (in_.more() && is_ascii_word(in_.peek())) in_.skip(1);
        if (!in_.take(">")) return fail("the name of a group is not closed");
      } else {
        bool on = true;
        while (in_.more() && in_.peek() != ':' && in_.peek() != ')') {
          switch (in_.peek()) {
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
              return fail("this kind of group is unknown");
          }
          in_.skip(1);
        }
        if (in_.take(")")) return add({Kind::kEmpty});  // flags for the rest of the enclosing group
        if (!in_.take(":")) return fail("a group is not closed");
      }
    }
    OL_ASSIGN(const int inner, alternatives());
    if (!in_.take(")")) return fail("a group is not closed");
    fold_ = fold, multiline_ = multiline, dot_newline_ = dot_newline;
    return inner;
  }

  Result<int> bracket() {
    in_.skip(1);
    const bool negated = in_.take("^");
    RegexClass c;
    for (bool first = true; first || !in_.take("]"); first = false) {
      if (!in_.more()) return fail("a [ is not closed");
      if (in_.take("[:")) {
        const bool not_in_it = in_.take("^");
        const size_t name = posix_class(in_.rest(), not_in_it, &c);
        if (name == 0) return fail("the name of a character class is unknown");
        in_.skip(name + 2);
        continue;
      }
      if (perl_escape(&c)) continue;
      OL_ASSIGN(const int32_t low, class_character());
      int32_t high = low;
      if (in_.comes("-") && !in_.comes("-]")) {
        in_.skip(1);
        if (!in_.more()) return fail("a [ is not closed");
        OL_ASSIGN(high, class_character());
        if (high < low) return fail("a range of characters is reversed");
      }
      c.add(low, high);
    }
    if (fold_) c.fold_case();
    if (negated) c.negate();
    return add_class(std::move(c), false);
  }

  // \d \D \s \S \w \W
  bool perl_escape(RegexClass* c) {
    const std::string_view both = in_.rest().substr(0, 2);
    if (both.size() < 2 || both[0] != '\\') return false;
    const char lower = static_cast<char>(both[1] | 0x20);
    if (!perl_class(lower, both[1] != lower, c)) return false;
    in_.skip(2);
    return true;
  }

  Result<int32_t> one_character() {
    const int32_t c = in_.code_point();
    if (c < 0) return fail("it is not UTF-8");
    return c;
  }

  Result<int32_t> class_character() { return in_.peek() == '\\' ? escaped_character() : one_character(); }

  Result<int> escape() {
    RegexClass c;
    if (perl_escape(&c)) return add_class(std::move(c), fold_);
    if (in_.take("\\A")) return add_assert(Assert::kBeginText);
    if (in_.take("\\z")) return add_assert(Assert::kEndText);
    if (in_.take("\\b")) return add_assert(Assert::kWordBoundary);
    if (in_.take("\\B")) return add_assert(Assert::kNoWordBoundary);
    OL_ASSIGN(const int32_t character, escaped_character());
    return add_character(character);
  }

  Result<int32_t> escaped_character() {
    in_.skip(1);
    if (!in_.more()) return fail("it ends in a backslash");
    const char c = in_.peek();
    if (const int32_t named = named_escape(c); named >= 0) {
      in_.skip(1);
      return named;
    }
    if (in_.take("x")) {
      const int32_t value = in_.hexadecimal(2);
      if (value < 0) return fail("a hexadecimal escape is incomplete or beyond the last code point");
      return value;
    }
    if (c >= '0' && c <= '7') return octal();
    if (c == 'p' || c == 'P' || c == 'C') {
      return not_implemented("\\", std::string_view(&c, 1), " in a regular expression (\"", in_.text(),
                             "\") is not supported");
    }
    if (static_cast<uint8_t>(c) >= 0x80 || is_ascii_word(c)) return fail("an escape is unknown");
    in_.skip(1);
    return static_cast<int32_t>(c);
  }

  Result<int32_t> octal() {
    const bool zero = in_.peek() == '0';
    int32_t v = 0, digits = 0;
    for (; in_.more() && in_.peek() >= '0' && in_.peek() <= '7' && digits < 3; ++digits) {
      v = v * 8 + (in_.peek() - '0');
      in_.skip(1);
    }
    if (!zero && digits < 2) return fail("backreferences do not exist");
    return v;
  }

  // ---- instructions

  Result<int32_t> append(Op op, Assert assertion, int32_t x, int32_t y) {
    if (out_.program_.size() >= kMostInstructions) {
      return invalid_graph("the regular expression \"", in_.text(),
                           "\" is too large once its repetitions are written out");
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

  RegexReader in_;
  int depth_ = 0;
  bool fold_ = false, multiline_ = false, dot_newline_ = false;
  std::vector<Node> nodes_;
  Regex out_;
};

Result<Regex> compile_regex(std::string_view pattern) { return RegexCompiler(pattern).compile(); }

}  // namespace onnxlet
