// ModelProto -> Model. Field numbers are those of onnx.proto (IR version 3 to 14); unknown fields are skipped.
#include <algorithm>
#include <cstring>

#include "base/trim.h"
#include "onnx/model.h"
#include "onnx/wire.h"

namespace onnxlet {
namespace {

using wire::Field;
using wire::Reader;

constexpr int kMaxDepth = 64;  // of graphs inside graphs, and types inside types

struct Parser {
  const char* file;
  int depth = 0;
  bool sparse = false;  // whether there was a sparse tensor

  // Calls f(field) for every field of a message.
  template <class F>
  Status each(std::string_view message, F f) {
    Reader reader(message, file);
    Field field;
    while (!reader.done()) {
      OL_TRY(reader.next(&field));
      OL_TRY(f(field));
    }
    return {};
  }

  Status expect(const Field& f, wire::Type type) {
    if (f.type == type) return {};
    return invalid_protobuf("the file is damaged: field ", f.number, " at byte ", f.offset, " has wire type ",
                            static_cast<int>(f.type), " where ONNX has ", static_cast<int>(type));
  }
  Status text_field(const Field& f, std::string_view* out) {
    OL_TRY(expect(f, wire::kBytes));
    *out = f.bytes;
    return {};
  }
  Status int_field(const Field& f, int64_t* out) {
    OL_TRY(expect(f, wire::kVarint));
    *out = static_cast<int64_t>(f.scalar);
    return {};
  }

  // A repeated scalar, packed or one per record.
  template <class F>
  Status scalars(const Field& f, wire::Type element, F push) {
    if (f.type == element) {
      push(f.scalar);
      return {};
    }
    OL_TRY(expect(f, wire::kBytes));
    if (element == wire::kVarint) {
      Reader reader(f.bytes, file);
      while (!reader.done()) {
        OL_ASSIGN(const uint64_t v, reader.varint());
        push(v);
      }
      return {};
    }
    const size_t width = element == wire::kFixed32 ? 4 : 8;
    if (f.bytes.size() % width != 0) {
      return invalid_protobuf("the file is damaged: the list at byte ", f.offset, " has ", f.bytes.size(),
                              " bytes, not a multiple of ", width);
    }
    for (size_t i = 0; i < f.bytes.size(); i += width) {
      uint64_t v = 0;
      std::memcpy(&v, f.bytes.data() + i, width);
      push(v);
    }
    return {};
  }

  Status dims(const Field& f, Shape* shape) {
    Status status;
    OL_TRY(scalars(f, wire::kVarint, [&](uint64_t v) {
      const auto d = static_cast<int64_t>(v);
      if (d < 0) status = invalid_graph("a tensor at byte ", f.offset, " has the negative dimension ", d);
      if (shape->rank() < Shape::kMaxRank) {
        shape->push_back(d);
      } else {
        status = not_implemented("a tensor at byte ", f.offset, " has more than ", Shape::kMaxRank, " dimensions");
      }
    }));
    return status;
  }

  Status key_value(std::string_view message, std::string_view* key, std::string_view* value) {
    return each(message, [&](const Field& f) -> Status {
      if (f.number == 1) return text_field(f, key);
      if (f.number == 2) return text_field(f, value);
      return {};
    });
  }

  Status dtype_field(const Field& f, DType* out) {
    OL_TRY(expect(f, wire::kVarint));
    if (f.scalar >= kDTypeCount) {
      return invalid_graph("element type ", f.scalar, " at byte ", f.offset, " is not one of ONNX");
    }
    *out = static_cast<DType>(f.scalar);
    return {};
  }

  Status external_entry(std::string_view message, TensorRef* t) {
    std::string_view key, value;
    OL_TRY(key_value(message, &key, &value));
    if (key == "location") {
      t->external_file = value;
      return {};
    }
    if (key != "offset" && key != "length") return {};  // checksum and basepath are not needed
    uint64_t n = 0;
    for (char c : value) {
      if (c < '0' || c > '9' || n > UINT64_MAX / 20) {
        return invalid_graph("external data of tensor '", t->name, "': ", key, " is '", value, "', not a number");
      }
      n = n * 10 + static_cast<uint64_t>(c - '0');
    }
    if (key == "offset") t->external_offset = n;
    if (key == "length") t->external_length = n;
    return {};
  }

  Status typed_data(const Field& f, wire::Type element, TensorRef* t) {
    if (f.type == wire::kBytes && t->packed_field == 0) {  // the usual case: one packed record, kept as it is
      t->packed = f.bytes;
      t->packed_field = f.number;
      return {};
    }
    if (!t->packed.empty()) {  // a second record: fall back to a list
      Field first = f;
      first.type = wire::kBytes;
      first.bytes = t->packed;
      t->packed = {};
      OL_TRY(scalars(first, element, [&](uint64_t v) { t->loose.push_back(v); }));
    }
    t->packed_field = f.number;
    return scalars(f, element, [&](uint64_t v) { t->loose.push_back(v); });
  }

  Status tensor(std::string_view message, TensorRef* t) {
    std::vector<std::string_view> external;
    bool has_segment = false;
    OL_TRY(each(message, [&](const Field& f) -> Status {
      switch (f.number) {
        case 1:
          return dims(f, &t->shape);
        case 2:
          return dtype_field(f, &t->dtype);
        case 3:
          has_segment = true;
          return {};
        case 4:
          return typed_data(f, wire::kFixed32, t);
        case 5:
        case 7:
        case 11:
          return typed_data(f, wire::kVarint, t);
        case 10:
          return typed_data(f, wire::kFixed64, t);
        case 6:
          OL_TRY(expect(f, wire::kBytes));
          t->strings.push_back(f.bytes);
          return {};
        case 8:
          return text_field(f, &t->name);
        case 9:
          return text_field(f, &t->raw);
        case 13:
          OL_TRY(expect(f, wire::kBytes));
          external.push_back(f.bytes);
          return {};
        case 14:
          OL_TRY(expect(f, wire::kVarint));
          t->external = f.scalar == 1;
          return {};
        default:
          return {};
      }
    }));
    if (has_segment) return not_implemented("tensor '", t->name, "' is split into segments");
    if (t->dtype == DType::kUndefined) return invalid_graph("tensor '", t->name, "' has no element type");
    if (!trim::kExternalData && t->external) return left_out("external data");
    for (std::string_view entry : external) {
      if (trim::kExternalData) OL_TRY(external_entry(entry, t));
    }
    if (t->external && t->external_file.empty()) {
      return invalid_graph("tensor '", t->name, "' is external but names no file");
    }
    return {};
  }

  Status sparse_tensor(std::string_view message, SparseTensorRef* t) {
    if (!trim::kSparse) return left_out("a sparse tensor");
    sparse = true;
    return each(message, [&](const Field& f) -> Status {
      if (f.number == 3) return dims(f, &t->dims);
      if (f.number > 2) return {};
      OL_TRY(expect(f, wire::kBytes));
      return tensor(f.bytes, f.number == 1 ? &t->values : &t->indices);
    });
  }

  Status tensor_shape(std::string_view message, TypeSpec* t) {
    t->has_shape = true;
    return each(message, [&](const Field& f) -> Status {
      if (f.number != 1) return {};
      OL_TRY(expect(f, wire::kBytes));
      int64_t value = -1;
      std::string_view name;
      OL_TRY(each(f.bytes, [&](const Field& d) -> Status {
        if (d.number == 1) return int_field(d, &value);
        if (d.number == 2) return text_field(d, &name);
        return {};
      }));
      t->dims.push_back(value < 0 ? -1 : value);
      t->dim_names.push_back(name);
      return {};
    });
  }

  Status tensor_type(std::string_view message, TypeSpec* t) {
    return each(message, [&](const Field& f) -> Status {
      if (f.number == 1) return dtype_field(f, &t->dtype);
      if (f.number != 2) return {};
      OL_TRY(expect(f, wire::kBytes));
      return tensor_shape(f.bytes, t);
    });
  }

  // TypeProto.Sequence, .Optional (element in field 1) and .Map (key type in 1, value in 2).
  Status nested_type(std::string_view message, TypeSpec* t) {
    const bool is_map = t->kind == TypeSpec::Kind::kMap;
    return each(message, [&](const Field& f) -> Status {
      if (is_map && f.number == 1) return dtype_field(f, &t->dtype);
      if (f.number != (is_map ? 2u : 1u)) return {};
      OL_TRY(expect(f, wire::kBytes));
      t->elem = std::make_shared<TypeSpec>();
      return type(f.bytes, t->elem.get());
    });
  }

  Status type(std::string_view message, TypeSpec* t) {
    if (++depth > kMaxDepth) return invalid_graph("a type is nested more than ", kMaxDepth, " levels deep");
    Status status = each(message, [&](const Field& f) -> Status {
      using Kind = TypeSpec::Kind;
      switch (f.number) {
        case 1:
          t->kind = Kind::kTensor;
          break;
        case 4:
          t->kind = Kind::kSequence;
          break;
        case 5:
          t->kind = Kind::kMap;
          break;
        case 7:
          t->kind = Kind::kOpaque;
          return {};
        case 8:
          t->kind = Kind::kSparseTensor;
          break;
        case 9:
          t->kind = Kind::kOptional;
          break;
        default:
          return {};
      }
      OL_TRY(expect(f, wire::kBytes));
      const bool is_tensor = t->kind == Kind::kTensor || t->kind == Kind::kSparseTensor;
      if (is_tensor) return tensor_type(f.bytes, t);
      return trim::kContainers ? nested_type(f.bytes, t) : left_out("a type other than tensors");
    });
    --depth;
    return status;
  }

  Status value_info(const Field& f, std::vector<ValueInfo>* list) {
    OL_TRY(expect(f, wire::kBytes));
    ValueInfo v;
    OL_TRY(each(f.bytes, [&](const Field& g) -> Status {
      if (g.number == 1) return text_field(g, &v.name);
      if (g.number != 2) return {};
      OL_TRY(expect(g, wire::kBytes));
      return type(g.bytes, &v.type);
    }));
    list->push_back(std::move(v));
    return {};
  }

  // What an attribute holds when its `type` field is missing (files of IR version 1 and 2).
  static Attribute::Type deduce(const Attribute& a, uint64_t seen) {
    constexpr std::pair<int, Attribute::Type> kFields[] = {
        {2, Attribute::Type::kFloat},  {3, Attribute::Type::kInt},     {4, Attribute::Type::kString},
        {5, Attribute::Type::kTensor}, {6, Attribute::Type::kGraph},   {7, Attribute::Type::kFloats},
        {8, Attribute::Type::kInts},   {9, Attribute::Type::kStrings}, {10, Attribute::Type::kTensors},
        {11, Attribute::Type::kGraphs}};
    for (const auto& [number, type] : kFields) {
      if (seen >> number & 1) return type;
    }
    return a.type;
  }

  Status attribute(const Field& field, std::vector<Attribute>* list) {
    OL_TRY(expect(field, wire::kBytes));
    Attribute a;
    uint64_t seen = 0;
    OL_TRY(each(field.bytes, [&](const Field& f) -> Status {
      if (f.number < 64) seen |= uint64_t{1} << f.number;
      switch (f.number) {
        case 1:
          return text_field(f, &a.name);
        case 2: {
          OL_TRY(expect(f, wire::kFixed32));
          const auto bits = static_cast<uint32_t>(f.scalar);
          std::memcpy(&a.f, &bits, 4);
          return {};
        }
        case 3:
          return int_field(f, &a.i);
        case 4:
          return text_field(f, &a.s);
        case 7:
          return scalars(f, wire::kFixed32, [&](uint64_t v) {
            const auto bits = static_cast<uint32_t>(v);
            float x;
            std::memcpy(&x, &bits, 4);
            a.floats.push_back(x);
          });
        case 8:
          return scalars(f, wire::kVarint, [&](uint64_t v) { a.ints.push_back(static_cast<int64_t>(v)); });
        case 20:
          OL_TRY(expect(f, wire::kVarint));
          a.type = static_cast<Attribute::Type>(f.scalar);
          return {};
        case 21:
          return text_field(f, &a.ref);
        case 5:
        case 6:
        case 9:
        case 10:
        case 11:
        case 14:
        case 15:
        case 22:
          OL_TRY(expect(f, wire::kBytes));
          return attribute_message(f, &a);
        default:
          return {};
      }
    }));
    if (a.type == Attribute::Type::kUndefined) a.type = deduce(a, seen);
    list->push_back(std::move(a));
    return {};
  }

  Status attribute_message(const Field& f, Attribute* a) {
    // Its operator is not in the build: the error names that.
    if (!trim::kSubgraphs && (f.number == 6 || f.number == 11)) return {};
    switch (f.number) {
      case 5:
        a->t = std::make_shared<TensorRef>();
        return tensor(f.bytes, a->t.get());
      case 6:
        a->g = std::make_shared<Graph>();
        return graph(f.bytes, a->g.get());
      case 9:
        a->strings.push_back(f.bytes);
        return {};
      case 10:
        a->tensors.emplace_back();
        return tensor(f.bytes, &a->tensors.back());
      case 11:
        a->graphs.push_back(std::make_shared<Graph>());
        return graph(f.bytes, a->graphs.back().get());
      case 22:
        a->sparse = std::make_shared<SparseTensorRef>();
        return sparse_tensor(f.bytes, a->sparse.get());
      default:
        a->types.emplace_back();
        return type(f.bytes, &a->types.back());  // 14 type_proto, 15 type_protos
    }
  }

  Status node(const Field& field, std::vector<Node>* list) {
    OL_TRY(expect(field, wire::kBytes));
    Node n;
    n.offset = field.offset;
    OL_TRY(each(field.bytes, [&](const Field& f) -> Status {
      if (f.number == 5) return attribute(f, &n.attributes);
      std::string_view value;
      switch (f.number) {
        case 1:
          OL_TRY(text_field(f, &value));
          n.inputs.push_back(value);
          return {};
        case 2:
          OL_TRY(text_field(f, &value));
          n.outputs.push_back(value);
          return {};
        case 3:
          return text_field(f, &n.name);
        case 4:
          return text_field(f, &n.op_type);
        case 7:
          OL_TRY(text_field(f, &value));
          n.domain = canonical_domain(value);
          return {};
        case 8:
          return text_field(f, &n.overload);
        default:
          return {};
      }
    }));
    list->push_back(std::move(n));
    return {};
  }

  Status graph(std::string_view message, Graph* g) {
    if (++depth > kMaxDepth) return invalid_graph("graphs are nested more than ", kMaxDepth, " levels deep");
    Status status = each(message, [&](const Field& f) -> Status {
      switch (f.number) {
        case 1:
          return node(f, &g->nodes);
        case 2:
          return text_field(f, &g->name);
        case 5:
          OL_TRY(expect(f, wire::kBytes));
          g->initializers.emplace_back();
          return tensor(f.bytes, &g->initializers.back());
        case 10:
          return text_field(f, &g->doc_string);
        case 11:
          return value_info(f, &g->inputs);
        case 12:
          return value_info(f, &g->outputs);
        case 13:
          return value_info(f, &g->value_info);
        case 15:
          OL_TRY(expect(f, wire::kBytes));
          g->sparse_initializers.emplace_back();
          return sparse_tensor(f.bytes, &g->sparse_initializers.back());
        default:
          return {};
      }
    });
    --depth;
    return status;
  }

  Status opset_import(const Field& f, std::vector<std::pair<std::string_view, int64_t>>* list) {
    OL_TRY(expect(f, wire::kBytes));
    std::string_view domain;
    int64_t version = 1;
    OL_TRY(each(f.bytes, [&](const Field& g) -> Status {
      if (g.number == 1) return text_field(g, &domain);
      if (g.number == 2) return int_field(g, &version);
      return {};
    }));
    list->emplace_back(canonical_domain(domain), version);
    return {};
  }

  Status function(std::string_view message, Function* fn) {
    return each(message, [&](const Field& f) -> Status {
      std::string_view value;
      switch (f.number) {
        case 1:
          return text_field(f, &fn->name);
        case 4:
          OL_TRY(text_field(f, &value));
          fn->inputs.push_back(value);
          return {};
        case 5:
          OL_TRY(text_field(f, &value));
          fn->outputs.push_back(value);
          return {};
        case 6:
          OL_TRY(text_field(f, &value));
          fn->attributes.push_back(value);
          return {};
        case 7:
          return node(f, &fn->nodes);
        case 9:
          return opset_import(f, &fn->opset_imports);
        case 10:
          OL_TRY(text_field(f, &value));
          fn->domain = canonical_domain(value);
          return {};
        case 11:
          return attribute(f, &fn->attribute_defaults);
        case 12:
          return value_info(f, &fn->value_info);
        case 13:
          return text_field(f, &fn->overload);
        default:
          return {};
      }
    });
  }

  Status model(std::string_view message, Model* m) {
    bool has_graph = false;
    OL_TRY(each(message, [&](const Field& f) -> Status {
      switch (f.number) {
        case 1:
          return int_field(f, &m->ir_version);
        case 2:
          return text_field(f, &m->producer_name);
        case 3:
          return text_field(f, &m->producer_version);
        case 4:
          return text_field(f, &m->domain);
        case 5:
          return int_field(f, &m->model_version);
        case 6:
          return text_field(f, &m->doc_string);
        case 7:
          OL_TRY(expect(f, wire::kBytes));
          has_graph = true;
          return graph(f.bytes, &m->graph);
        case 8:
          return opset_import(f, &m->opset_imports);
        case 14: {
          OL_TRY(expect(f, wire::kBytes));
          std::string_view key, value;
          OL_TRY(key_value(f.bytes, &key, &value));
          m->metadata.emplace_back(key, value);
          return {};
        }
        case 25:
          OL_TRY(expect(f, wire::kBytes));
          if (!trim::kFunctions) return left_out("a function of the model");
          m->functions.emplace_back();
          return function(f.bytes, &m->functions.back());
        default:
          return {};
      }
    }));
    m->sparse = sparse;
    if (!has_graph) return invalid_protobuf("the file holds no graph: it is not an ONNX model");
    return {};
  }
};

}  // namespace

Status parse_model(std::string_view bytes, Model* out) {
  if (bytes.empty()) return invalid_protobuf("the file is empty");
  // What servers send instead of a file that they have not. No model begins so: '<' would be a field of wire type 4.
  if (!trim::kTrimmed && bytes.front() == '<') {
    return invalid_protobuf(
        "the file begins with '<', like a page of HTML or XML: it is no ONNX model; look at its address");
  }
  return Parser{bytes.data()}.model(bytes, out);
}

Status parse_function(std::string_view bytes, Function* out) { return Parser{bytes.data()}.function(bytes, out); }

}  // namespace onnxlet
