// The language of gradient rules: "h = g * s; (h - ReduceSum(h * y, [axis])) * y".
//
//   statements end with ;        `name = value` names a value for the node's further formulas; the last value counts
//   g, y                         the gradient and the output it belongs to
//   x or a, b, c, i3, i4         the node's inputs; e is b in the type of g
//   0.5, epsilon                 numbers in the type of g: written out, or an attribute of the node
//   [0, axis, end]               a list of int64: written out, or attributes
//   Name(value, ..., key=what)   makes a node; `what` is a number, 'text', an attribute of the node, or !attribute
//   Name:1(...)                  its second output
//   @ among the arguments        Backward::attributes
//   _                            an input that is left out
//   cast(value, like)            a value in the type of another
#include "base/number_text.h"
#include "graph/backward.h"

namespace onnxlet {
namespace {

class Formula {
 public:
  Formula(Backward& b, const char* text, ValueId g, ValueId y) : b_(b), at_(text), g_(g), y_(y), type_(b.dtype(g)) {}

  ValueId run() {
    ValueId last = kAbsent;
    do {
      const char* begin = at_;
      const std::string_view name = word();
      if (!name.empty() && take('=')) {
        last = sum();
        b_.let(name, last);
      } else {
        at_ = begin;
        last = sum();
      }
    } while (take(';') && peek() != '\0');
    return last;
  }

 private:
  char peek() {
    while (*at_ == ' ') ++at_;
    return *at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

  std::string_view word() {
    if (!is_letter(peek())) return {};
    const char* begin = at_;
    while (is_letter(*at_) || is_digit(*at_)) ++at_;
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  double digits() {
    const char* begin = at_;
    while (is_digit(*at_)) ++at_;
    double v = 0;
    parse_double({begin, static_cast<size_t>(at_ - begin)}, false, &v);
    return v;
  }
  int64_t whole() {
    const bool minus = take('-'), negated = take('!');
    const std::string_view name = word();
    int64_t v;
    if (name.empty())
      v = static_cast<int64_t>(digits());
    else
      v = name == "end" ? INT64_MAX : b_.int_of(name);
    if (negated) v = v == 0 ? 1 : 0;
    return minus ? -v : v;
  }
  ValueId binary(const char* op_type, ValueId left, ValueId right) { return b_.op(op_type, {left, right}); }

  ValueId sum() {
    ValueId left = product();
    for (;;) {
      if (take('+'))
        left = binary("Add", left, product());
      else if (take('-'))
        left = binary("Sub", left, product());
      else
        return left;
    }
  }

  ValueId product() {
    ValueId left = factor();
    for (;;) {
      if (take('*'))
        left = binary("Mul", left, factor());
      else if (take('/'))
        left = binary("Div", left, factor());
      else
        return left;
    }
  }

  ValueId factor() {
    if (take('-')) return b_.op("Neg", {factor()});
    if (take('(')) {
      const ValueId inside = sum();
      take(')');
      return inside;
    }
    if (take('[')) {
      std::vector<int64_t> values;
      do values.push_back(whole());
      while (take(','));
      take(']');
      return b_.ints(values);
    }
    const std::string_view name = word();
    if (name.empty()) return b_.number(digits(), type_);
    int output = 0;
    if (take(':')) output = static_cast<int>(digits());
    return take('(') ? call(name, output) : variable(name);
  }

  ValueId call(std::string_view name, int output) {
    Backward::Inputs inputs;
    Backward::Attributes attributes;
    do {
      const char* begin = at_;
      const std::string_view key = word();
      if (!key.empty() && take('='))
        attributes.push_back(attribute(key));
      else if (take('@'))
        for (const Attribute& a : b_.attributes) attributes.push_back(a);
      else
        at_ = begin, inputs.push_back(sum());
    } while (take(','));
    take(')');
    if (name == "cast") return cast(inputs[0], b_.dtype(inputs[1]));
    return b_.op(name, std::move(inputs), std::move(attributes), output);
  }

  Attribute attribute(std::string_view key) {
    if (take('\'')) {
      const char* begin = at_;
      while (*at_ != '\'') ++at_;
      return make_attribute(key, std::string_view(begin, static_cast<size_t>(at_++ - begin)));
    }
    return make_attribute(key, whole());
  }

  ValueId cast(ValueId x, DType type) {
    if (b_.dtype(x) == type) return x;
    return b_.op("Cast", {x}, {make_attribute("to", static_cast<int64_t>(type))});
  }

  ValueId variable(std::string_view name) {
    const ValueId known = b_.named(name);
    if (known != kAbsent) return known;
    if (name == "_") return kAbsent;
    if (name == "g") return g_;
    if (name == "y") return y_;
    if (name == "e") return cast(b_.in(1), type_);
    if (name == "x") return b_.in(0);
    if (name.size() == 1 && name[0] <= 'c') return b_.in(name[0] - 'a');
    if (name == "i3" || name == "i4") return b_.in(name[1] - '0');
    return b_.number(b_.float_of(name), type_);
  }

  Backward& b_;
  const char* at_;
  ValueId g_, y_;
  DType type_;
};

}  // namespace

ValueId Backward::formula(const char* text, ValueId gradient, ValueId output) {
  return Formula(*this, text, gradient, output).run();
}

}  // namespace onnxlet
