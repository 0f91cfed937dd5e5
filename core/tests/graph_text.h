// Models written as text, for tests of the graph passes:
//
//   "d = Div(x, 1.4142135); e = Erf(d); a = Add(e, 1.0); y = Mul(x, a)"
//
// A name that nothing produces is an input of type float; "x:2x?" declares its shape. "w:2x3" (a name that begins with
// w) is a constant of that shape, holding multiples of 1/8, "0.5:1x1" one filled with a number, "0.5" a scalar, "[1,2]"
// int64 values, "_" an omitted input. Attributes are named: "Conv(x, w:4x3x1x1, pads=[1,1], alpha=0.5, mode='tanh')".
// "a!" on the left makes a value an output, as the last one always is. "a, b = Split(x)" has two results.
// "com.microsoft.Gelu" is an operator of that domain.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model_writer.h"

namespace onnxlet::test {

class GraphText {
 public:
  // The bytes of the model.
  static std::string model(std::string_view source, int opset = 17) { return GraphText(source).finish(opset); }

 private:
  explicit GraphText(std::string_view source) {
    for (std::string_view s : split(source, ';')) {
      if (!trim(s).empty()) statement(trim(s));
    }
    if (!last_.empty() && outputs_.insert(last_).second) parts_.outputs.push_back(value_info(last_, 1));
  }

  static std::string_view trim(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
  }

  static std::vector<std::string_view> split(std::string_view s, char at) {
    std::vector<std::string_view> out;
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= s.size(); ++i) {
      if (i < s.size() && s[i] == '[') ++depth;
      if (i < s.size() && s[i] == ']') --depth;
      if (i < s.size() && (s[i] != at || depth > 0)) continue;
      out.push_back(s.substr(begin, i - begin));
      begin = i + 1;
    }
    return out;
  }

  static std::vector<int64_t> ints(std::string_view s, char separator) {
    std::vector<int64_t> out;
    for (std::string_view part : split(s, separator)) {
      part = trim(part);
      if (!part.empty()) out.push_back(part == "?" ? -1 : std::stoll(std::string(part)));
    }
    return out;
  }

  void statement(std::string_view s) {
    const size_t equals = s.find('='), open = s.find('('), close = s.rfind(')');
    std::vector<std::string> outputs, inputs;
    for (std::string_view name : split(s.substr(0, equals), ',')) {
      name = trim(name);
      const bool wanted = name.back() == '!';
      if (wanted) name.remove_suffix(1);
      outputs.emplace_back(name);
      known_.insert(outputs.back());
      if (wanted && outputs_.insert(outputs.back()).second) parts_.outputs.push_back(value_info(name, 1));
    }
    last_ = outputs[0];
    std::string_view op = trim(s.substr(equals + 1, open - equals - 1)), domain;
    if (const size_t dot = op.rfind('.'); dot != std::string_view::npos) {
      domain = op.substr(0, dot);
      op.remove_prefix(dot + 1);
    }
    std::vector<Message> attributes;
    for (std::string_view argument : split(s.substr(open + 1, close - open - 1), ',')) {
      argument = trim(argument);
      if (argument.empty()) continue;
      const size_t named = argument.find('=');
      if (named == std::string_view::npos)
        inputs.push_back(input(argument));
      else
        attributes.push_back(attribute(trim(argument.substr(0, named)), trim(argument.substr(named + 1))));
    }
    parts_.nodes.push_back(node(op, inputs, outputs, attributes, domain));
  }

  static Message attribute(std::string_view name, std::string_view value) {
    Message m = Message().bytes(1, name);
    if (value.front() == '\'') return m.bytes(4, value.substr(1, value.size() - 2)).number(20, 3);
    if (value.front() == '[') {
      for (int64_t v : ints(value.substr(1, value.size() - 2), ',')) m.number(8, static_cast<uint64_t>(v));
      return m.number(20, 7);
    }
    if (value.find('.') != std::string_view::npos) return m.floating(2, std::stof(std::string(value))).number(20, 1);
    return m.number(3, static_cast<uint64_t>(std::stoll(std::string(value)))).number(20, 2);
  }

  std::string input(std::string_view text) {
    if (text == "_") return "";
    const size_t colon = text.find(':');
    const std::string name(text.substr(0, colon));
    std::vector<int64_t> dims;
    if (colon != std::string_view::npos) dims = ints(text.substr(colon + 1), 'x');
    if (name.front() == '[') {
      const std::vector<int64_t> values = ints(name.substr(1, name.size() - 2), ',');
      return constant(name, tensor(name, 7, {static_cast<int64_t>(values.size())}, values));
    }
    const bool number = name.find_first_not_of("-.0123456789") == std::string::npos;
    if (number || name.front() == 'w') {
      int64_t size = 1;
      for (int64_t d : dims) size *= d;
      std::vector<float> values(static_cast<size_t>(size));
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = number ? std::stof(name) : static_cast<float>(i % 13 + 1) / 8;
      }
      const std::string key = number ? std::string(text) : name;
      return constant(key, tensor(key, 1, dims, values));
    }
    if (!known_.insert(name).second) return name;
    parts_.inputs.push_back(colon == std::string_view::npos ? value_info(name, 1) : shaped(name, dims));
    return name;
  }

  static Message shaped(std::string_view name, const std::vector<int64_t>& dims) {
    Message shape;
    for (int64_t d : dims) shape.message(1, d < 0 ? Message() : Message().number(1, static_cast<uint64_t>(d)));
    return Message().bytes(1, name).message(2, Message().message(1, Message().number(1, 1).message(2, shape)));
  }

  std::string constant(const std::string& name, const Message& tensor_proto) {
    if (known_.insert(name).second) parts_.initializers.push_back(tensor_proto);
    return name;
  }

  std::string finish(int opset) const {
    return Message()
        .number(1, 10)
        .message(7, graph(parts_))
        .message(8, Message().bytes(1, "").number(2, static_cast<uint64_t>(opset)))
        .message(8, Message().bytes(1, "com.microsoft").number(2, 1))
        .text();
  }

  GraphParts parts_;
  std::set<std::string> known_, outputs_;
  std::string last_;
};

}  // namespace onnxlet::test
