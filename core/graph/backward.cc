#include "graph/backward.h"

#include <algorithm>

#include "base/text.h"
#include "graph/infer.h"
#include "kernels/move.h"
#include "ops/table.h"

namespace onnxlet {
namespace {

// Where the operators are that formulas name.
std::string_view domain_of(std::string_view op_type) {
  if (op_type == "FusedMatMul") return "com.microsoft";
  return op_type == "SumToShapeOf" ? "onnxlet" : "";
}

bool is_real(const ValueType& type) { return type.is_tensor() && is_float(type.dtype); }

}  // namespace

Attribute make_attribute(std::string_view name, int64_t value) {
  Attribute a;
  a.name = name;
  a.type = Attribute::Type::kInt;
  a.i = value;
  return a;
}
Attribute make_attribute(std::string_view name, std::vector<int64_t> values) {
  Attribute a;
  a.name = name;
  a.type = Attribute::Type::kInts;
  a.ints = std::move(values);
  return a;
}
Attribute make_attribute(std::string_view name, std::string_view value) {
  Attribute a;
  a.name = name;
  a.type = Attribute::Type::kString;
  a.s = value;
  return a;
}

Backward::Backward(IrGraph& graph, const IrNode& gradient, Model& model, Pool& pool, Problems* problems)
    : graph_(graph),
      gradient_(gradient),
      model_(model),
      pool_(pool),
      problems_(problems),
      path_(text(gradient.path, gradient.name, "/")),
      opset_(latest_version("")) {}

Backward::~Backward() = default;

void Backward::set(Inputs* list, ValueId id, ValueId value) {
  if (list->size() <= static_cast<size_t>(id)) list->resize(static_cast<size_t>(id) + 1, kAbsent);
  (*list)[static_cast<size_t>(id)] = value;
}

// ---- the walk ----

void Backward::mark(const std::vector<const IrNode*>& path) {
  for (const IrNode* n : path) {
    bool reached = std::any_of(n->inputs.begin(), n->inputs.end(), [&](ValueId id) { return active(id); });
    for (const IrSubgraph& s : n->subgraphs) {
      reached = reached || std::any_of(s.graph->captures.begin(), s.graph->captures.end(),
                                       [&](const Capture& c) { return active(c.outer); });
    }
    if (!reached) continue;
    for (ValueId id : n->outputs) {
      // Integers have no derivative; a value of unknown type may have.
      if (id != kAbsent && (is_real(graph_.value(id).type) || !graph_.value(id).type.known())) want(id);
    }
  }
}

void Backward::run(const std::vector<const IrNode*>& path, ValueId y) {
  mark(path);
  if (!active(y)) return;
  accumulate(y, formula("Expand(1, Shape(y))", y, y));
  for (size_t i = path.size(); i-- > 0;) differentiate(*path[i]);
}

void Backward::differentiate(const IrNode& n) {
  gradients_.clear();
  for (ValueId id : n.outputs) gradients_.push_back(id != kAbsent && active(id) ? at(totals_, id) : kAbsent);
  if (std::all_of(gradients_.begin(), gradients_.end(), [](ValueId id) { return id == kAbsent; })) return;
  node_ = &n;
  names_.clear();
  const auto untyped = [&](ValueId id) { return id != kAbsent && dtype(id) == DType::kUndefined; };
  if (std::any_of(n.inputs.begin(), n.inputs.end(), untyped)) {
    refuse("the element type of an input is not known");
  } else if (n.custom || !n.subgraphs.empty() || !apply_gradient_rule(*this))
    refuse("there is no rule for this operator");
  node_ = nullptr;
}

void Backward::refuse(std::string_view why) {
  problems_->add(Code::kNotImplemented,
                 text(gradient_.describe(), " cannot differentiate ", node_->describe(), ": ", why));
}

void Backward::accumulate(ValueId id, ValueId gradient) {
  if (!active(id)) return;
  const ValueId before = at(totals_, id);
  set(&totals_, id, before == kAbsent ? gradient : op("Add", {before, gradient}));
}

ValueId Backward::gradient_of(ValueId id) {
  const ValueId total = at(totals_, id);
  return total != kAbsent ? total : formula("Expand(0, Shape(y))", id, id);
}

// ---- attributes ----

const AttributeSpec* Backward::spec(std::string_view name) const {
  if (node_->schema == nullptr) return nullptr;
  for (const AttributeSpec& s : node_->schema->attributes) {
    if (name == s.name && s.has_default) return &s;
  }
  return nullptr;
}

int64_t Backward::int_of(std::string_view name) const {
  if (const Attribute* a = node_->find(name)) return a->i;
  const AttributeSpec* s = spec(name);
  return s != nullptr ? s->i : 0;
}

double Backward::float_of(std::string_view name) const {
  if (const Attribute* a = node_->find(name)) return static_cast<double>(a->f);
  const AttributeSpec* s = spec(name);
  return s != nullptr ? static_cast<double>(s->f) : 0;
}

std::string_view Backward::text_of(std::string_view name) const {
  if (const Attribute* a = node_->find(name)) return a->s;
  const AttributeSpec* s = spec(name);
  return s != nullptr && s->s != nullptr ? s->s : std::string_view();
}

std::vector<int64_t> Backward::ints_of(std::string_view name) const {
  const Attribute* a = node_->find(name);
  return a != nullptr ? a->ints : std::vector<int64_t>();
}

// ---- making nodes ----

const IrNode& Backward::made(IrNode node) {
  infer_node(graph_, node, problems_);
  made_.push_back(std::make_unique<IrNode>(std::move(node)));
  return *made_.back();
}

Status Backward::finish(std::vector<IrNode>* nodes) {
  for (auto& n : made_) nodes->push_back(std::move(*n));
  return std::move(status_);
}

void Backward::add(std::string_view op_type, Inputs inputs, Inputs outputs, Attributes attributes) {
  while (!inputs.empty() && inputs.back() == kAbsent) inputs.pop_back();
  IrNode n;
  n.name = node_ != nullptr ? node_->name : op_type;
  n.op_type = op_type;
  n.domain = domain_of(op_type);
  n.path = path_;
  n.opset = n.domain.empty() ? opset_ : 1;
  n.schema = find_schema(n.domain, op_type, n.opset);
  n.row = find_op(n.domain, op_type, n.opset);
  n.attributes = std::move(attributes);
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  if (n.row == nullptr) report_missing_operator(n, problems_);
  made(std::move(n));
}

ValueId Backward::op(std::string_view op_type, Inputs inputs, Attributes attributes, int output) {
  Inputs outputs;
  for (int i = 0; i <= output; ++i) outputs.push_back(graph_.add_value(op_type));
  const ValueId result = outputs.back();
  add(op_type, std::move(inputs), std::move(outputs), std::move(attributes));
  return result;
}

const IrNode& Backward::copy(const IrNode& node, Inputs inputs) {
  IrNode n;
  n.name = node.name;
  n.op_type = node.op_type;
  n.domain = node.domain;
  n.path = text(path_, node.path);
  n.opset = node.opset;
  n.schema = node.schema;
  n.row = node.row;
  n.attributes = Attributes(node.attributes);  // assignment of lists costs more code than their construction
  n.custom = node.custom;
  n.inputs = std::move(inputs);
  for (ValueId id : node.outputs)
    n.outputs.push_back(id == kAbsent ? kAbsent : graph_.add_value(graph_.value(id).name));
  return made(std::move(n));
}

ValueId Backward::named(std::string_view name) const {
  for (size_t i = names_.size(); i-- > 0;) {
    if (names_[i].first == name) return names_[i].second;
  }
  return kAbsent;
}

ValueId Backward::constant_value(Result<Tensor> tensor) {
  const ValueId id = graph_.add_value("constant");
  if (tensor.ok()) {
    graph_.value(id).constant = tensor.take();
    graph_.value(id).type = ValueType::tensor(graph_.value(id).constant.dtype());
  } else if (status_.ok()) {
    status_ = tensor.status();
  }
  return id;
}

ValueId Backward::number(double value, DType type) {
  Result<Tensor> t = Tensor::allocate(pool_, type, Shape{});
  if (t.ok()) store_scalar(type, value, t.value().mutable_raw());
  return constant_value(std::move(t));
}

ValueId Backward::ints(std::span<const int64_t> values) { return constant_value(Tensor::of_ints(pool_, values)); }

}  // namespace onnxlet
