// Writes ONNX protobuf by hand, for tests of the reader and the runtime.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace onnxlet::test {

class Message {
 public:
  Message& number(int field, uint64_t v) {
    tag(field, 0);
    varint(v);
    return *this;
  }
  Message& bytes(int field, std::string_view v) {
    tag(field, 2);
    varint(v.size());
    out_.append(v);
    return *this;
  }
  Message& message(int field, const Message& m) { return bytes(field, m.out_); }
  Message& floating(int field, float v) {
    tag(field, 5);
    char raw[4];
    std::memcpy(raw, &v, 4);
    out_.append(raw, 4);
    return *this;
  }
  const std::string& text() const { return out_; }

 private:
  void tag(int field, int type) { varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type)); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) out_.push_back(static_cast<char>(v | 0x80));
    out_.push_back(static_cast<char>(v));
  }
  std::string out_;
};

// A TensorProto with raw_data.
template <class T>
Message tensor(std::string_view name, int dtype, const std::vector<int64_t>& dims, const std::vector<T>& values) {
  Message m;
  for (int64_t d : dims) m.number(1, static_cast<uint64_t>(d));
  m.number(2, static_cast<uint64_t>(dtype)).bytes(8, name);
  return m.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

// A ValueInfoProto of a tensor without a shape.
inline Message value_info(std::string_view name, int dtype) {
  return Message().bytes(1, name).message(2, Message().message(1, Message().number(1, static_cast<uint64_t>(dtype))));
}

inline Message node(std::string_view op_type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {},
                    std::string_view domain = "") {
  Message m;
  for (const auto& s : inputs) m.bytes(1, s);
  for (const auto& s : outputs) m.bytes(2, s);
  m.bytes(3, "the_" + std::string(op_type)).bytes(4, op_type);
  for (const Message& a : attributes) m.message(5, a);
  return m.bytes(7, domain);
}
inline Message int_attribute(std::string_view name, int64_t v) {
  return Message().bytes(1, name).number(3, static_cast<uint64_t>(v)).number(20, 2);
}
inline Message graph_attribute(std::string_view name, const Message& graph) {
  return Message().bytes(1, name).message(6, graph).number(20, 5);
}

struct GraphParts {
  std::vector<Message> nodes, initializers, inputs, outputs;
};
inline Message graph(const GraphParts& g) {
  Message m;
  for (const Message& n : g.nodes) m.message(1, n);
  m.bytes(2, "g");
  for (const Message& t : g.initializers) m.message(5, t);
  for (const Message& v : g.inputs) m.message(11, v);
  for (const Message& v : g.outputs) m.message(12, v);
  return m;
}
inline std::string model(const GraphParts& g, int opset = 17, int ir_version = 8) {
  return Message()
      .number(1, static_cast<uint64_t>(ir_version))
      .message(7, graph(g))
      .message(8, Message().bytes(1, "").number(2, static_cast<uint64_t>(opset)))
      .text();
}

}  // namespace onnxlet::test
