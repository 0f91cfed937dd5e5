// A parsed ONNX model. Names and tensor bytes are views into the file's own bytes, which the Model keeps;
// passes that make new names put them into the Model's string store.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/status.h"
#include "base/tensor.h"

namespace onnxlet {

struct Graph;
struct TypeSpec;

// TensorProto, undecoded: raw_data is used in place, typed fields are decoded when the value is asked for.
struct TensorRef {
  std::string_view name;
  DType dtype = DType::kUndefined;
  Shape shape;
  std::string_view raw;       // raw_data, or the external range once it is provided
  std::string_view packed;    // one of the typed *_data fields, packed encoding, as on the wire
  uint32_t packed_field = 0;  // which (4 float, 5 int32, 7 int64, 10 double, 11 uint64); 0: none
  std::vector<std::string_view> strings;
  std::vector<uint64_t> loose;  // a typed field written one element per record: its scalars
  bool external = false;        // not in this file; `raw` is set once the host provides it
  std::string_view external_file;
  uint64_t external_offset = 0;
  std::optional<uint64_t> external_length;
  bool shared = false;  // other tensors have some of the same bytes
};

struct SparseTensorRef {
  TensorRef values, indices;
  Shape dims;
};

// TypeProto. elem: of tensors, the dtype; of sequences and optionals, the type inside; of maps, key and value.
struct TypeSpec {
  enum class Kind : uint8_t { kUnknown, kTensor, kSparseTensor, kSequence, kMap, kOptional, kOpaque };
  Kind kind = Kind::kUnknown;
  DType dtype = DType::kUndefined;  // tensor element, map key
  bool has_shape = false;
  std::vector<int64_t> dims;                // -1: symbolic or unknown
  std::vector<std::string_view> dim_names;  // "" where the dimension is a number or unknown
  std::shared_ptr<TypeSpec> elem;           // sequence, optional, map value
  std::string to_string() const;            // "tensor(float)", "seq(map(int64,tensor(float)))"
};

struct ValueInfo {
  std::string_view name;
  TypeSpec type;
};

struct Attribute {
  enum class Type : uint8_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparseTensor = 11,
    kSparseTensors = 12,
    kTypeProto = 13,
    kTypeProtos = 14,
  };
  std::string_view name;
  Type type = Type::kUndefined;
  std::string_view ref;  // inside a function: the name of the caller's attribute
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::shared_ptr<TensorRef> t;
  std::shared_ptr<SparseTensorRef> sparse;
  std::shared_ptr<Graph> g;
  std::vector<TensorRef> tensors;
  std::vector<std::shared_ptr<Graph>> graphs;
  std::vector<TypeSpec> types;
};

struct Node {
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> inputs, outputs;  // "" is an omitted optional
  std::vector<Attribute> attributes;
  std::string path;     // where it was: "" or "main/loop_3:body/" , for messages
  int opset = 0;        // the import its domain resolves to (functions carry their own)
  uint64_t offset = 0;  // in the file, for messages

  const Attribute* find(std::string_view attribute) const;
};

struct Graph {
  std::string_view name, doc_string;
  std::vector<Node> nodes;
  std::vector<TensorRef> initializers;
  std::vector<SparseTensorRef> sparse_initializers;
  std::vector<ValueInfo> inputs, outputs, value_info;
};

struct Function {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<Attribute> attribute_defaults;
  std::vector<Node> nodes;
  std::vector<std::pair<std::string_view, int64_t>> opset_imports;
  std::vector<ValueInfo> value_info;
};

struct Model {
  int64_t ir_version = 0, model_version = 0;
  std::string_view producer_name, producer_version, domain, doc_string;
  std::vector<std::pair<std::string_view, int64_t>> opset_imports;
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  Graph graph;
  std::vector<Function> functions;
  bool sparse = false;  // whether any tensor is

  std::deque<std::string> names;  // strings made by passes; addresses stay valid
  std::string_view intern(std::string s) {
    names.push_back(std::move(s));
    return names.back();
  }
  int opset_of(std::string_view domain) const;  // 0 when not imported; "ai.onnx" is ""
};

// "ai.onnx" and "" are the same domain.
inline std::string_view canonical_domain(std::string_view d) { return d == "ai.onnx" ? std::string_view() : d; }

// Parses ModelProto. The views point into `bytes`. Damage is reported with its byte offset.
Status parse_model(std::string_view bytes, Model* out);
// Parses FunctionProto (the bodies that the schema table carries).
Status parse_function(std::string_view bytes, Function* out);
// Elements of a TensorProto: borrowed from the file where the encoding allows, else decoded into the pool.
// Sub-byte types stay packed. Checks that the bytes match the shape.
Result<Tensor> tensor_from(const TensorRef& ref, Pool& pool);
// The dense form of a sparse tensor (linear indices, or one row of coordinates per value).
Result<Tensor> densify(const SparseTensorRef& ref, Pool& pool);

}  // namespace onnxlet
