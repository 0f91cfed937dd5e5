// JSON that hosts read: what a model file is, and what a session became.
#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "base/trim.h"
#include "graph/build.h"
#include "graph/gradient.h"
#include "ops/table.h"
#include "runtime/feed.h"
#include "runtime/session.h"
#include "schema/schema_table.h"

namespace onnxlet {
namespace {

const TypeSpec* tensor_type(const TypeSpec& type) { return type.kind == TypeSpec::Kind::kTensor ? &type : nullptr; }

void write_arg(const ValueInfo& v, const FreeDimensions& free, JsonWriter* w) {
  w->begin_object().field("name", v.name).field("type", std::string_view(v.type.to_string()));
  const TypeSpec* tensor = tensor_type(v.type);
  w->field("dtype", tensor != nullptr ? static_cast<int>(tensor->dtype) : 0).key("shape");
  if (tensor == nullptr || !tensor->has_shape) {
    w->null();
  } else {
    w->begin_array();
    for (size_t i = 0; i < tensor->dims.size(); ++i) {
      const int64_t dim = fixed_dim(*tensor, i, free);
      if (dim >= 0)
        w->value(dim);
      else if (!tensor->dim_names[i].empty())
        w->value(tensor->dim_names[i]);
      else
        w->null();
    }
    w->end_array();
  }
  w->end_object();
}

void write_args(const char* key, const std::vector<const ValueInfo*>& args, const FreeDimensions& free, JsonWriter* w) {
  w->key(key).begin_array();
  for (const ValueInfo* v : args) write_arg(*v, free, w);
  w->end_array();
}

void write_header(const Model& m, JsonWriter* w) {
  w->field("ir_version", m.ir_version)
      .field("producer_name", m.producer_name)
      .field("producer_version", m.producer_version);
  w->field("domain", m.domain).field("model_version", m.model_version).field("doc_string", m.doc_string);
  w->field("graph_name", m.graph.name).field("graph_doc_string", m.graph.doc_string);
  w->key("opset_imports").begin_object();
  for (const auto& [domain, version] : m.opset_imports) w->field(domain, version);
  w->end_object().key("metadata").begin_object();
  for (const auto& [key, value] : m.metadata) w->field(key, value);
  w->end_object();
}

void write_interface(const Model& m, const FreeDimensions& free, JsonWriter* w) {
  const GraphInterface face = graph_interface(m);
  write_args("inputs", face.inputs, free, w);
  write_args("outputs", face.outputs, free, w);
  write_args("overridable_initializers", face.overridable, free, w);
}

struct OperatorCount {
  std::string_view domain, op_type;
  int count, since;
  bool supported;
};

void count_operators(const Model& m, const std::vector<Node>& nodes, std::vector<OperatorCount>* out) {
  for (const Node& n : nodes) {
    const auto found = std::find_if(out->begin(), out->end(), [&](const OperatorCount& c) {
      return c.domain == n.domain && c.op_type == n.op_type;
    });
    if (found != out->end()) {
      ++found->count;
    } else {
      const int opset = std::max(m.opset_of(n.domain), n.domain.empty() ? 0 : 1);
      const Schema* schema = find_schema(n.domain, n.op_type, opset);
      bool supported = find_op(n.domain, n.op_type, opset) != nullptr ||
                       (trim::kGradient && is_gradient(n.domain, n.op_type)) ||
                       (schema != nullptr && (!schema->function_bodies.empty() || runs_on_host(n.domain, n.op_type)));
      for (const Function& f : m.functions) supported = supported || (f.name == n.op_type && f.domain == n.domain);
      out->push_back({n.domain, n.op_type, 1, schema != nullptr ? schema->since_version : 0, supported});
    }
    for (const Attribute& a : n.attributes) {
      if (a.g) count_operators(m, a.g->nodes, out);
    }
  }
}

void write_operators(const Model& m, JsonWriter* w) {
  const bool list = !trim::kTrimmed || trim::kHostOperators;  // hosts ask whether there is something for them
  std::vector<OperatorCount> counts;
  if (list) count_operators(m, m.graph.nodes, &counts);
  for (const Function& f : m.functions) {
    if (list) count_operators(m, f.nodes, &counts);
  }
  w->key("operators").begin_array();
  for (const OperatorCount& c : counts) {
    w->begin_object().field("domain", c.domain).field("op_type", c.op_type).field("count", c.count);
    w->field("since", c.since).field("supported", c.supported).end_object();
  }
  w->end_array();
}

// JSON has no infinity, but readers make one of a number that is too large.
void write_float(float v, JsonWriter* w) {
  if (std::isinf(v))
    w->raw(v > 0 ? "1e999" : "-1e999");
  else
    w->value(static_cast<double>(v));
}

template <class T>
void write_list(const std::vector<T>& list, JsonWriter* w) {
  w->begin_array();
  for (const T& v : list) {
    if constexpr (std::is_floating_point_v<T>)
      write_float(v, w);
    else
      w->value(v);
  }
  w->end_array();
}

// What the engine has been asked for so far: what one that is trimmed to the same must have.
void write_asked(JsonWriter* w) {
  w->key("asked").begin_object().field("types", static_cast<uint64_t>(types_seen())).key("operators").begin_array();
  const std::span<const Schema> table = schema_table();
  for (size_t i = 0; i < table.size(); ++i) {
    if (!schemas_asked()[i]) continue;
    w->begin_array().value(table[i].domain).value(table[i].name).value(table[i].since_version).end_array();
  }
  w->end_array().end_object();
}

uint64_t stored_bytes(const TensorRef& t) { return packed_bytes(t.dtype, static_cast<uint64_t>(t.shape.size())); }

}  // namespace

std::string ModelFile::describe() const {
  JsonWriter w;
  w.begin_object();
  write_header(model, &w);
  write_interface(model, {}, &w);
  w.key("initializers").begin_array();
  for (const TensorRef& t : model.graph.initializers) {
    if (trim::kTrimmed) break;  // for people who look into models
    w.begin_object().field("name", t.name).field("dtype", static_cast<int>(t.dtype)).key("shape").begin_array();
    for (int64_t d : t.shape) w.value(d);
    w.end_array().field("bytes", stored_bytes(t)).field("external", t.external).end_object();
  }
  w.end_array();
  write_operators(model, &w);
  w.key("functions").begin_array();
  for (const Function& f : model.functions) w.value(text(f.domain, f.domain.empty() ? "" : ".", f.name));
  w.end_array().field("sparse", model.sparse);
  std::vector<std::pair<std::string_view, uint64_t>> files;
  const auto note = [&](const TensorRef& t) {
    const uint64_t end = t.external_offset + t.external_length.value_or(stored_bytes(t));
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == t.external_file; });
    if (found == files.end())
      files.emplace_back(t.external_file, end);
    else
      found->second = std::max(found->second, end);
  };
  if (trim::kExternalData) const_cast<ModelFile*>(this)->each_external(note);
  w.key("external").begin_array();
  for (const auto& [file, bytes] : files) w.begin_object().field("file", file).field("bytes", bytes).end_object();
  w.end_array().end_object();
  return w.take();
}

std::string describe_pending(const Step& step) {
  const IrNode& n = step.node;
  JsonWriter w;
  w.begin_object().field("kind", "custom_op").field("domain", n.domain).field("op_type", n.op_type);
  w.field("node", text(n.path, n.name)).key("attributes").begin_object();
  for (const Attribute& a : n.attributes) {
    w.key(a.name);
    switch (a.type) {
      case Attribute::Type::kFloat:
        write_float(a.f, &w);
        break;
      case Attribute::Type::kInt:
        w.value(a.i);
        break;
      case Attribute::Type::kString:
        w.value(a.s);
        break;
      case Attribute::Type::kFloats:
        write_list(a.floats, &w);
        break;
      case Attribute::Type::kInts:
        write_list(a.ints, &w);
        break;
      case Attribute::Type::kStrings:
        write_list(a.strings, &w);
        break;
      default:
        w.null();
    }
  }
  w.end_object()
      .field("inputs", static_cast<uint64_t>(step.inputs.size()))
      .field("outputs", static_cast<uint64_t>(step.outputs.size()));
  w.end_object();
  return w.take();
}

std::string Session::describe() const {
  JsonWriter w;
  w.begin_object();
  write_header(file_->model, &w);
  write_interface(file_->model, options_.graph.free_dimensions, &w);
  w.key("nodes").begin_array();
  for (const Step& s : plan_->steps) {
    w.begin_object().field("name", text(s.node.path, s.node.name)).field("op_type", s.node.op_type);
    w.field("domain", s.node.domain).field("since", s.node.since_version()).end_object();
  }
  w.end_array().key("passes").begin_array();
  for (const PassReport& p : passes_) w.begin_object().field("name", p.name).field("changed", p.changed).end_object();
  w.end_array().key("knobs").begin_array();
  for (const Pass& p : passes()) w.value(p.name);
  w.end_array();
  if (!trim::kTrimmed) write_asked(&w);
  w.end_object();
  return w.take();
}

}  // namespace onnxlet
