#include "tokenizers/pattern_compiler.h"

#include <algorithm>
#include <utility>

#include "base/regex_reader.h"
#include "base/text.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

constexpr int kMostNested = 50;
constexpr size_t kMostInstructions = 20000;

}  // namespace

// Instructions are emitted back to front, so that each knows what follows it: first a tree.
class PatternCompiler {
 public:
  explicit PatternCompiler(std::string_view text) : in_(text) {}

  Result<Pattern> compile() {
    OL_ASSIGN(const int root, alternatives());
    if (in_.more()) return fail("there is an unmatched )");
    out_.program_.push_back({Pattern::Op::kMatch});
    OL_ASSIGN(out_.start_, emit(root, 0));
    return std::move(out_);
  }

 private:
  enum class Kind : uint8_t { kEmpty, kClass, kCat, kAlt, kRepeat, kLook, kBegin, kEnd };
  struct Node {
    Kind kind;
    int left = 0, right = 0;  // kClass: left is the class; kLook, kRepeat: the operand
    int32_t min = 0, max = 0;
    bool greedy = true, possessive = false, negated = false;
    bool empty = false;  // may match nothing
  };

  Status fail(std::string_view what) const {
    return not_implemented("tokenizer.json: the regular expression \"", in_.text(), "\" is not understood: ", what,
                           ", at byte ", in_.at());
  }
  int add(Node n) {
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
  }
  const Node& node(int i) const { return nodes_[static_cast<size_t>(i)]; }
  int add_class(CharClass c, bool negated) {
    c.finish(negated, fold_);
    out_.classes_.push_back(std::move(c));
    return add({Kind::kClass, static_cast<int>(out_.classes_.size()) - 1});
  }

  Result<int> alternatives() {
    if (++depth_ > kMostNested) return fail("groups are nested too deeply");
    OL_ASSIGN(int left, sequence());
    while (in_.take("|")) {
      OL_ASSIGN(const int right, sequence());
      left = add({.kind = Kind::kAlt, .left = left, .right = right, .empty = node(left).empty || node(right).empty});
    }
    --depth_;
    return left;
  }

  Result<int> sequence() {
    int left = add({.kind = Kind::kEmpty, .empty = true});
    while (in_.more() && in_.peek() != '|' && in_.peek() != ')') {
      OL_ASSIGN(int item, atom());
      OL_ASSIGN(item, repetition(item));
      left = add({.kind = Kind::kCat, .left = left, .right = item, .empty = node(left).empty && node(item).empty});
    }
    return left;
  }

  Result<int> repetition(int item) {
    int32_t min = 0, max = -1;
    if (in_.take("*")) {
    } else if (in_.take("+")) {
      min = 1;
    } else if (in_.take("?")) {
      max = 1;
    } else if (!in_.counted(true, &min, &max)) {
      return item;
    }
    const bool lazy = in_.take("?"), possessive = !lazy && in_.take("+");
    if (node(item).empty) return fail("what may match nothing is repeated");
    if (possessive && node(item).kind != Kind::kClass) return fail("a group is repeated possessively");
    if (max > RegexReader::kMostRepeats || min > RegexReader::kMostRepeats || (max >= 0 && min > max))
      return fail("a count is out of range");
    return add({.kind = Kind::kRepeat,
                .left = item,
                .min = min,
                .max = max,
                .greedy = !lazy,
                .possessive = possessive,
                .empty = min == 0});
  }

  Result<int> atom() {
    if (in_.take("(")) return group();
    if (in_.take("[")) return bracket();
    if (in_.take("^")) return add({.kind = Kind::kBegin, .empty = true});
    if (in_.take("$")) return add({.kind = Kind::kEnd, .empty = true});
    CharClass c;
    if (in_.take(".")) {
      c.add_range('\n', '\n');
      return add_class(std::move(c), true);
    }
    if (std::string_view("*+?").find(in_.peek()) != std::string_view::npos) return fail("nothing is repeated");
    OL_TRY(one(&c));
    return add_class(std::move(c), false);
  }

  Result<int> group() {
    const bool fold = fold_;
    int look = 0;  // 1: look ahead, 2: for what must not come
    if (in_.take("?")) {
      if (in_.take("i:"))
        fold_ = true;
      else if (in_.take("="))
        look = 1;
      else if (in_.take("!"))
        look = 2;
      else if (!in_.take(":"))
        return fail("this kind of group is unknown");
    }
    OL_ASSIGN(const int inner, alternatives());
    if (!in_.take(")")) return fail("a group is not closed");
    fold_ = fold;
    return look == 0 ? inner : add({.kind = Kind::kLook, .left = inner, .negated = look == 2, .empty = true});
  }

  Result<int> bracket() {
    const bool negated = in_.take("^");
    CharClass c;
    for (bool first = true; first || !in_.take("]"); first = false) {
      if (!in_.more()) return fail("a [ is not closed");
      if (in_.comes("&&") || in_.peek() == '[') return fail("sets within sets are not supported");
      const RegexReader from = in_;
      OL_TRY(one(&c));
      if (!in_.comes("-") || in_.comes("-]")) continue;
      const int32_t low = last_;
      in_.skip(1);
      CharClass ignored;
      if (!in_.more()) return fail("a [ is not closed");
      OL_TRY(one(&ignored));
      if (low < 0 || last_ < low) {
        in_ = from;
        return fail("this is no range");
      }
      c.add_range(low, last_);
    }
    return add_class(std::move(c), negated);
  }

  // One character, or an escape that stands for a set. last_: the character, -1 for a set.
  Status one(CharClass* c) {
    if (in_.peek() == '\\') return escape(c);
    last_ = in_.code_point();
    if (last_ < 0) return fail("it is not UTF-8");
    c->add_range(last_, last_);
    return {};
  }

  Status escape(CharClass* c) {
    in_.skip(1);
    if (!in_.more()) return fail("it ends in a backslash");
    const char kind = in_.peek(), small = static_cast<char>(kind | 0x20);
    in_.skip(1);
    last_ = -1;
    if (small == 's') {
      c->add_space(kind == 'S');
    } else if (small == 'w') {
      c->add_word(kind == 'W');
    } else if (small == 'd') {
      c->add_categories(category_set("Nd"), kind == 'D');
    } else if (small == 'p') {
      return property(kind == 'P', c);
    } else {
      OL_ASSIGN(last_, character(kind));
      c->add_range(last_, last_);
    }
    return {};
  }

  Status property(bool negated, CharClass* c) {
    const bool open = in_.take("{");
    const size_t length = in_.rest().find('}');
    if (!open || length == std::string_view::npos) return fail("\\p is without {...}");
    std::string_view name = in_.rest().substr(0, length);
    if (name.substr(0, 1) == "^") {
      negated = !negated;
      name.remove_prefix(1);
    }
    const uint32_t set = category_set(name);
    if (set == 0) return fail("this property is unknown");
    c->add_categories(set, negated);
    in_.skip(length + 1);
    return {};
  }

  Result<int32_t> character(char kind) {
    if (const int32_t named = named_escape(kind); named >= 0) return named;
    if (kind == 'x' || kind == 'u') {
      const int32_t value = in_.hexadecimal(kind == 'x' ? 2 : 4);
      if (value < 0) return fail("a hexadecimal escape is incomplete or beyond the last code point");
      return value;
    }
    const bool alphanumeric = (kind >= '0' && kind <= '9') || ((kind | 0x20) >= 'a' && (kind | 0x20) <= 'z');
    if (alphanumeric || static_cast<uint8_t>(kind) >= 0x80) return fail("an escape is unknown");
    return static_cast<int32_t>(kind);
  }

  // ---- instructions

  using Op = Pattern::Op;

  Result<int32_t> append(Pattern::Inst inst) {
    if (out_.program_.size() >= kMostInstructions) return fail("it is too large once its repetitions are written out");
    out_.program_.push_back(inst);
    return static_cast<int32_t>(out_.program_.size()) - 1;
  }

  // Instructions for a node that go on at `next`; gives where they start.
  Result<int32_t> emit(int i, int32_t next) {
    const Node n = node(i);
    switch (n.kind) {
      case Kind::kEmpty:
        return next;
      case Kind::kClass:
        return append({.op = Op::kMany, .next = next, .which = n.left});
      case Kind::kBegin:
        return append({.op = Op::kBegin, .next = next});
      case Kind::kEnd:
        return append({.op = Op::kEnd, .next = next});
      case Kind::kLook: {
        OL_ASSIGN(const int32_t done, append({.op = Op::kMatch}));
        OL_ASSIGN(const int32_t inner, emit(n.left, done));
        return append({.op = Op::kLook, .negated = n.negated, .next = next, .other = inner});
      }
      case Kind::kAlt: {
        OL_ASSIGN(const int32_t right, emit(n.right, next));
        OL_ASSIGN(const int32_t left, emit(n.left, next));
        return append({.op = Op::kSplit, .next = left, .other = right});
      }
      case Kind::kCat: {
        OL_ASSIGN(const int32_t right, emit(n.right, next));
        return emit(n.left, right);
      }
      case Kind::kRepeat:
        return emit_repeat(n, next);
    }
    return next;
  }

  Result<int32_t> emit_repeat(const Node& n, int32_t next) {
    if (node(n.left).kind == Kind::kClass) {
      return append({.op = Op::kMany,
                     .greedy = n.greedy,
                     .possessive = n.possessive,
                     .next = next,
                     .which = node(n.left).left,
                     .min = n.min,
                     .max = n.max});
    }
    const auto choice = [&](int32_t body, int32_t rest) {
      return Pattern::Inst{.op = Op::kSplit, .next = n.greedy ? body : rest, .other = n.greedy ? rest : body};
    };
    int32_t at = next;
    if (n.max < 0) {
      OL_ASSIGN(at, append(choice(0, next)));
      OL_ASSIGN(const int32_t body, emit(n.left, at));
      out_.program_[static_cast<size_t>(at)] = choice(body, next);
    } else {
      for (int32_t k = n.min; k < n.max; ++k) {
        OL_ASSIGN(const int32_t body, emit(n.left, at));
        OL_ASSIGN(at, append(choice(body, next)));
      }
    }
    for (int32_t k = 0; k < n.min; ++k) {
      OL_ASSIGN(at, emit(n.left, at));
    }
    return at;
  }

  RegexReader in_;
  int depth_ = 0;
  bool fold_ = false;
  int32_t last_ = -1;
  std::vector<Node> nodes_;
  Pattern out_;
};

Result<Pattern> compile_pattern(std::string_view expression) { return PatternCompiler(expression).compile(); }

}  // namespace onnxlet
