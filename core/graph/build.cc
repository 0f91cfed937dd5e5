// Model -> IrGraph: names become value ids, function calls become their bodies.
#include "graph/build.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>

#include "base/text.h"
#include "base/trim.h"
#include "graph/check.h"
#include "graph/gradient.h"
#include "graph/infer.h"
#include "graph/promote.h"
#include "ops/table.h"

namespace onnxlet {

bool runs_on_host(std::string_view domain, std::string_view op_type) {
  return domain.empty() && op_type == "ImageDecoder" && find_op(domain, op_type, INT_MAX) == nullptr;
}

// Before IR version 4 every initializer had to be listed as an input; those lists say nothing about overriding.
static bool initializers_overridable(const Model& model) { return model.ir_version >= 4; }

GraphInterface graph_interface(const Model& model) {
  GraphInterface face;
  std::set<std::string_view> initialized;
  const bool overridable = initializers_overridable(model);
  for (const TensorRef& t : model.graph.initializers) initialized.insert(t.name);
  if (trim::kSparse) {
    for (const SparseTensorRef& t : model.graph.sparse_initializers) initialized.insert(t.values.name);
  }
  for (const ValueInfo& v : model.graph.inputs) {
    if (initialized.count(v.name) == 0)
      face.inputs.push_back(&v);
    else if (overridable)
      face.overridable.push_back(&v);
  }
  for (const ValueInfo& v : model.graph.outputs) face.outputs.push_back(&v);
  return face;
}

namespace {

constexpr int kMaxFunctionDepth = 64;

using OpsetImports = std::vector<std::pair<std::string_view, int64_t>>;

// The names one graph or function body can see.
struct Scope {
  IrGraph* graph;
  const OpsetImports* opsets;
  Scope* outer = nullptr;              // the enclosing graph, for captures
  const Node* call = nullptr;          // inside a function: the node that called it,
  Scope* call_scope = nullptr;         // where that node stands,
  const Function* function = nullptr;  // and what it called
  std::string path = {};
  int function_depth = 0;
  std::map<std::string_view, ValueId> names = {};
};

class Builder {
 public:
  Builder(Model& model, const GraphOptions& options, Pool& pool) : model_(model), options_(options), pool_(pool) {}

  Result<std::unique_ptr<IrGraph>> build() {
    auto graph = std::make_unique<IrGraph>();
    Scope scope{.graph = graph.get(), .opsets = &model_.opset_imports};
    OL_TRY(add_graph(model_.graph, scope, true));
    // Of use to passes and derivatives; otherwise each operator finds wrong types when it runs.
    if (trim::kAnyPass || trim::kGradient) infer_types(*graph, &problems_);
    if (trim::kGradient && has_gradients_ && problems_.empty())
      OL_TRY(expand_gradients(*graph, model_, pool_, &problems_));
    if (!problems_.empty()) return problems_.report();
    for (size_t i = 0; i < graph->outputs.size(); ++i) {  // outputs that the file leaves undeclared
      TypeSpec& declared = model_.graph.outputs[i].type;
      if (declared.kind == TypeSpec::Kind::kUnknown) declared = graph->value(graph->outputs[i]).type.to_spec();
    }
    return graph;
  }

 private:
  // The id of a name, or kAbsent. A name of an enclosing graph becomes a capture (constants are simply shared).
  ValueId resolve(std::string_view name, Scope& scope) {
    if (name.empty()) return kAbsent;
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return found->second;
    if (!trim::kSubgraphs || scope.outer == nullptr) return kAbsent;
    const ValueId outer = resolve(name, *scope.outer);
    if (outer == kAbsent) return kAbsent;
    const ValueId inner = scope.graph->add_value(name);
    if (const Tensor* constant = scope.outer->graph->constant(outer)) {
      scope.graph->value(inner).constant = *constant;
    } else {
      scope.graph->captures.push_back({outer, inner});
    }
    scope.names.emplace(name, inner);
    return inner;
  }

  Status define(std::string_view name, ValueId id, Scope& scope) {
    if (scope.names.emplace(name, id).second) return {};
    return invalid_graph("the value '", scope.path, name, "' is produced twice");
  }

  Status add_constant(std::string_view name, Tensor tensor, Scope& scope) {
    const ValueId id = scope.graph->add_value(name);
    scope.graph->value(id).constant = std::move(tensor);
    return define(name, id, scope);
  }

  Status add_graph(Graph& source, Scope& scope, bool is_main) {
    OL_TRY(sort_nodes(source));
    std::set<std::string_view> defaults;  // inputs with an initializer: the session feeds it unless overridden
    if (is_main) {
      for (const ValueInfo* v : graph_interface(model_).overridable) defaults.insert(v->name);
    }
    for (const TensorRef& t : source.initializers) {
      if (defaults.count(t.name) != 0) continue;
      OL_ASSIGN(Tensor tensor, tensor_from(t, pool_));
      // A subgraph may be added again, with a function that is called twice.
      if (is_main && tensor.borrowed() && !t.shared) {
        OL_ASSIGN(tensor, Tensor::lodge(pool_, tensor));
      }
      OL_TRY(add_constant(t.name, std::move(tensor), scope));
    }
    if (trim::kSparse) {
      for (const SparseTensorRef& t : source.sparse_initializers) {
        if (defaults.count(t.values.name) != 0) continue;
        OL_ASSIGN(Tensor tensor, densify(t, pool_));
        OL_TRY(add_constant(t.values.name, std::move(tensor), scope));
      }
    }
    for (const ValueInfo& v : source.inputs) {
      if (scope.names.count(v.name) != 0) continue;  // a constant that is listed as an input too
      const ValueId id = scope.graph->add_value(v.name);
      // What the caller feeds is checked against this; a subgraph's inputs are what its operator gives it.
      if (is_main) scope.graph->value(id).type = ValueType::of(v.type);
      OL_TRY(define(v.name, id, scope));
      scope.graph->inputs.push_back(id);
      scope.graph->input_types.push_back(is_main ? &v.type : nullptr);
    }
    for (Node& n : source.nodes) OL_TRY(add_node(n, scope));
    for (const ValueInfo& v : source.outputs) {
      const ValueId id = resolve(v.name, scope);
      if (id == kAbsent) {
        problems_.add(Code::kInvalidGraph, text("the graph output '", scope.path, v.name, "' is produced by no node"));
      }
      scope.graph->outputs.push_back(id);
      scope.graph->output_types.push_back(&v.type);
    }
    return {};
  }

  int opset_for(std::string_view domain, const Scope& scope) const {
    for (const auto& [name, version] : *scope.opsets) {
      if (name == domain) return static_cast<int>(version);
    }
    return domain.empty() ? 0 : 1;  // a domain the model forgot to import means its first version
  }

  const Function* local_function(const Node& n) const {
    for (const Function& f : model_.functions) {
      if (f.name == n.op_type && f.domain == n.domain && f.overload == n.overload) return &f;
    }
    return nullptr;
  }

  bool is_custom(const Node& n) const {
    for (const auto& [domain, op_type] : options_.custom_ops) {
      if (domain == n.domain && op_type == n.op_type) return true;
    }
    return false;
  }

  Status add_node(const Node& n, Scope& scope) {
    if (const Function* f = trim::kFunctions ? local_function(n) : nullptr) return inline_function(*f, n, scope);
    IrNode out;
    out.name = n.name;
    out.op_type = n.op_type;
    out.domain = n.domain;
    out.path = scope.path;
    out.opset = opset_for(n.domain, scope);
    const bool registered = trim::kHostOperators && is_custom(n);
    out.schema = registered ? nullptr : find_schema(n.domain, n.op_type, out.opset);
    out.custom = registered || (trim::kHostOperators && out.schema != nullptr && runs_on_host(n.domain, n.op_type));
    if (!out.custom) out.row = find_op(n.domain, n.op_type, out.opset);
    const bool gradient = trim::kGradient && !out.custom && is_gradient(n.domain, n.op_type);
    const bool has_kernel = out.custom || gradient || out.row != nullptr;
    if (trim::kFunctions && out.schema != nullptr && !out.custom && (!has_kernel || options_.function_bodies)) {
      if (const FunctionBody* body = function_body(*out.schema, out.opset)) {
        OL_ASSIGN(const Function* function, specified_function(*out.schema, *body));
        return inline_function(*function, n, scope);
      }
    }
    // What a version that came later changed is not known: running the newest known one could give wrong numbers.
    if (out.schema != nullptr && out.domain.empty() && out.opset > latest_version_) {
      problems_.add(Code::kNotImplemented, text("the model asks for version ", out.opset,
                                                " of ai.onnx; this build knows versions up to ", latest_version_));
    }
    OL_TRY(add_attributes(n, scope, &out));
    if (!has_kernel) report_missing_operator(out, &problems_);
    check_against_schema(n, out, &problems_);
    if (trim::kHostOperators && out.custom) check_host_attributes(out, &problems_);
    for (std::string_view name : n.inputs) {
      const ValueId id = resolve(name, scope);
      if (id == kAbsent && !name.empty() && !is_omitted(name, scope)) {
        problems_.add(Code::kInvalidGraph, text(out.describe(), " reads '", name, "', which nothing produces"));
      }
      out.inputs.push_back(id);
    }
    while (!out.inputs.empty() && out.inputs.back() == kAbsent) out.inputs.pop_back();
    if (gradient) add_named_inputs(scope, &out);
    if (!out.custom) OL_TRY(promote_attributes(&out, scope.graph, pool_));
    for (std::string_view name : n.outputs) {
      ValueId id = kAbsent;
      if (!name.empty()) {
        id = scope.graph->add_value(name);
        OL_TRY(define(name, id, scope));
      }
      out.outputs.push_back(id);
    }
    scope.graph->nodes.push_back(std::move(out));
    return {};
  }

  // The values that a Gradient names become its last inputs: xs, zs, y.
  void add_named_inputs(Scope& scope, IrNode* out) {
    has_gradients_ = true;
    const auto add = [&](std::string_view name) {
      const ValueId id = resolve(name, scope);
      if (id == kAbsent) {
        problems_.add(Code::kInvalidGraph, text(out->describe(), " names '", name, "', which nothing produces"));
      }
      out->inputs.push_back(id);
    };
    for (const char* list : {"xs", "zs"}) {
      const Attribute* names = out->find(list);
      if (names == nullptr) continue;
      for (std::string_view name : names->strings) add(name);
    }
    if (const Attribute* y = out->find("y")) add(y->s);
  }

  // A function's formal input that the caller left out is defined, as kAbsent.
  static bool is_omitted(std::string_view name, const Scope& scope) {
    for (const Scope* s = &scope; s != nullptr; s = s->outer) {
      if (s->names.count(name) != 0) return true;
    }
    return false;
  }

  // Copies attributes, replacing references to the enclosing function's attributes, and builds subgraphs.
  Status add_attributes(const Node& n, Scope& scope, IrNode* out) {
    for (const Attribute& a : n.attributes) {
      if (a.name == "consumed_inputs") continue;  // an in-place hint of opsets 1 to 5
      const Attribute* actual = &a;
      Scope* origin = &scope;
      if (!a.ref.empty()) actual = referenced_attribute(a.ref, &origin);
      if (actual == nullptr) continue;  // the caller left it out: the operator's default holds
      if (!trim::kSubgraphs && actual->type == Attribute::Type::kGraph) continue;  // its operator is not in the build
      if (actual->type == Attribute::Type::kGraph) {
        if (actual->g == nullptr)
          return invalid_graph(out->describe(), " has no graph in its attribute '", a.name, "'");
        IrSubgraph sub{a.name, std::make_unique<IrGraph>()};
        Scope inner{.graph = sub.graph.get(),
                    .opsets = origin->opsets,
                    .outer = origin,
                    .call = origin->call,
                    .call_scope = origin->call_scope,
                    .function = origin->function,
                    .path = text(scope.path, n.name, "/", a.name, "/"),
                    .function_depth = scope.function_depth};
        OL_TRY(add_graph(*actual->g, inner, false));
        out->subgraphs.push_back(std::move(sub));
        continue;
      }
      out->attributes.push_back(*actual);
      out->attributes.back().name = a.name;
    }
    return {};
  }

  const Attribute* referenced_attribute(std::string_view name, Scope** origin) const {
    Scope& scope = **origin;
    if (scope.call == nullptr) return nullptr;
    if (const Attribute* given = scope.call->find(name)) {
      *origin = scope.call_scope;
      return given->ref.empty() ? given : referenced_attribute(given->ref, origin);
    }
    for (const Attribute& a : scope.function->attribute_defaults) {
      if (a.name == name) return &a;
    }
    return nullptr;
  }

  Result<const Function*> specified_function(const Schema& schema, const FunctionBody& body) {
    auto& slot = specified_[{&schema, &body}];
    if (slot == nullptr) {
      slot = std::make_unique<Function>();
      OL_TRY(parse_function(body.bytes, slot.get()));
      for (const AttributeSpec& spec : schema.attributes) {  // the operator's defaults hold inside its body too
        if (!spec.has_default) continue;
        Attribute a;
        a.name = spec.name;
        a.type = spec.type;
        a.i = spec.i;
        a.f = spec.f;
        if (spec.s != nullptr) a.s = spec.s;
        if (spec.list != nullptr) a.ints.assign(spec.list, spec.list + spec.list_size);
        slot->attribute_defaults.push_back(std::move(a));
      }
    }
    return static_cast<const Function*>(slot.get());
  }

  Status inline_function(const Function& f, const Node& call, Scope& scope) {
    if (scope.function_depth >= kMaxFunctionDepth) {
      return invalid_graph("function '", f.name, "' calls itself, or functions are nested more than ",
                           kMaxFunctionDepth, " deep");
    }
    Scope body{.graph = scope.graph,
               .opsets = &f.opset_imports,
               .call = &call,
               .call_scope = &scope,
               .function = &f,
               .path = text(scope.path, call.name, "/"),
               .function_depth = scope.function_depth + 1};
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      const std::string_view actual = i < call.inputs.size() ? call.inputs[i] : std::string_view();
      const ValueId id = resolve(actual, scope);
      if (id == kAbsent && !actual.empty() && !is_omitted(actual, scope)) {
        problems_.add(Code::kInvalidGraph, text("the call of function '", f.name, "' by node '", scope.path, call.name,
                                                "' reads '", actual, "', which nothing produces"));
      }
      OL_TRY(define(f.inputs[i], id, body));
    }
    auto copy = std::make_unique<Graph>();  // the specification asks for sorted nodes in a function; be lenient
    copy->nodes = f.nodes;
    OL_TRY(sort_nodes(*copy));
    for (const Node& n : copy->nodes) OL_TRY(add_node(n, body));
    for (size_t i = 0; i < call.outputs.size() && i < f.outputs.size(); ++i) {
      if (call.outputs[i].empty()) continue;
      const ValueId id = resolve(f.outputs[i], body);
      if (id == kAbsent) {
        problems_.add(Code::kInvalidGraph,
                      text("function '", f.name, "' does not produce its output '", f.outputs[i], "'"));
      }
      OL_TRY(define(call.outputs[i], id, scope));
    }
    return {};
  }

  Model& model_;
  const GraphOptions& options_;
  Pool& pool_;
  const int latest_version_ = latest_version("");
  Problems problems_;
  bool has_gradients_ = false;
  // Operators may share a body, but not the defaults that are put into it.
  std::map<std::pair<const Schema*, const FunctionBody*>, std::unique_ptr<Function>> specified_;
};

}  // namespace

Result<std::unique_ptr<IrGraph>> build_graph(Model& model, const GraphOptions& options, Pool& pool) {
  return Builder(model, options, pool).build();
}

}  // namespace onnxlet
