#include "graph/backward.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"
#include "graph/infer.h"
#include "kernels/move.h"
#include "ops/table.h"

namespace onnxlet {
namespace {

constexpr int kContribOpset = 1;

bool is_real(const ValueType& type) { return type.is_tensor() && is_float(type.dtype); }

// Reads an expression and makes its nodes.
class Formula {
 public:
  Formula(Backward& b, const char* text, ValueId g, ValueId y) : b_(b), at_(text), g_(g), y_(y), type_(b.dtype(g)) {}

  ValueId sum() {
    ValueId left = product();
    for (;;) {
      if (take('+'))
        left = b_.op("Add", {left, product()});
      else if (take('-'))
        left = b_.op("Sub", {left, product()});
      else
        return left;
    }
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
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  ValueId product() {
    ValueId left = factor();
    for (;;) {
      if (take('*'))
        left = b_.op("Mul", {left, factor()});
      else if (take('/'))
        left = b_.op("Div", {left, factor()});
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
    const bool is_name = is_letter(peek());
    const char* begin = at_;
    if (!is_name) {
      while ((*at_ >= '0' && *at_ <= '9') || *at_ == '.') ++at_;
      double v = 0;
      parse_double({begin, static_cast<size_t>(at_ - begin)}, false, &v);
      return b_.number(v, type_);
    }
    while (is_letter(*at_)) ++at_;
    const std::string_view name(begin, static_cast<size_t>(at_ - begin));
    if (!take('(')) return variable(name);
    Backward::Inputs arguments;
    do arguments.push_back(sum());
    while (take(','));
    take(')');
    return b_.op(name, std::move(arguments));
  }

  ValueId variable(std::string_view name) {
    if (name == "g") return g_;
    if (name == "y") return y_;
    if (name == "x" || name == "a") return in(0);
    if (name == "b") return in(1);
    if (name == "c") return in(2);
    return b_.number(b_.float_of(name), type_);
  }

  ValueId in(int i) {  // exponents may be of another type
    const ValueId id = b_.in(i);
    const DType type = b_.dtype(id);
    return type == DType::kBool || type == type_ ? id : b_.cast(id, type_);
  }

  Backward& b_;
  const char* at_;
  ValueId g_, y_;
  DType type_;
};

}  // namespace

Attribute attribute(std::string_view name, int64_t value) {
  Attribute a;
  a.name = name;
  a.type = Attribute::Type::kInt;
  a.i = value;
  return a;
}
Attribute attribute(std::string_view name, std::vector<int64_t> values) {
  Attribute a;
  a.name = name;
  a.type = Attribute::Type::kInts;
  a.ints = std::move(values);
  return a;
}
Attribute attribute(std::string_view name, std::string_view value) {
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
  accumulate(y, filled_like(y, 1));
  for (size_t i = path.size(); i-- > 0;) differentiate(*path[i]);
}

void Backward::differentiate(const IrNode& n) {
  gradients_.clear();
  for (ValueId id : n.outputs) gradients_.push_back(id != kAbsent && active(id) ? at(totals_, id) : kAbsent);
  if (std::all_of(gradients_.begin(), gradients_.end(), [](ValueId id) { return id == kAbsent; })) return;
  node_ = &n;
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
  return total != kAbsent ? total : filled_like(id, 0);
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
  if (const Attribute* a = given(name)) return a->i;
  const AttributeSpec* s = spec(name);
  return s != nullptr ? s->i : 0;
}

double Backward::float_of(std::string_view name) const {
  if (const Attribute* a = given(name)) return static_cast<double>(a->f);
  const AttributeSpec* s = spec(name);
  return s != nullptr ? static_cast<double>(s->f) : 0;
}

std::string_view Backward::text_of(std::string_view name) const {
  if (const Attribute* a = given(name)) return a->s;
  const AttributeSpec* s = spec(name);
  return s != nullptr && s->s != nullptr ? s->s : std::string_view();
}

std::vector<int64_t> Backward::ints_of(std::string_view name) const {
  const Attribute* a = given(name);
  return a != nullptr ? a->ints : std::vector<int64_t>();
}

// ---- making nodes ----

void Backward::add(std::string_view op_type, Inputs inputs, Inputs outputs, Attributes attributes,
                   std::string_view domain) {
  IrNode n;
  n.name = node_ != nullptr ? node_->name : op_type;
  n.op_type = op_type;
  n.domain = domain;
  n.path = path_;
  n.opset = domain.empty() ? opset_ : kContribOpset;
  n.schema = find_schema(domain, op_type, n.opset);
  n.row = find_op(domain, op_type, n.opset);
  n.attributes = std::move(attributes);
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  if (n.row == nullptr) report_missing_operator(n, problems_);
  infer_node(graph_, n, problems_);
  made_.push_back(std::move(n));
}

ValueId Backward::op(std::string_view op_type, Inputs inputs, Attributes attributes, std::string_view domain) {
  const ValueId result = graph_.add_value(op_type);
  add(op_type, std::move(inputs), {result}, std::move(attributes), domain);
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
  n.attributes = node.attributes;
  n.custom = node.custom;
  n.inputs = std::move(inputs);
  for (ValueId id : node.outputs)
    n.outputs.push_back(id == kAbsent ? kAbsent : graph_.add_value(graph_.value(id).name));
  infer_node(graph_, n, problems_);
  made_.push_back(std::move(n));
  return made_.back();
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

ValueId Backward::ints(std::vector<int64_t> values) { return constant_value(Tensor::of_ints(pool_, values)); }

ValueId Backward::dims(ValueId shape, int64_t begin, int64_t end) {
  return op("Slice", {shape, ints({begin}), ints({end})});
}

ValueId Backward::filled_like(ValueId x, double value) { return expand(number(value, dtype(x)), x); }

ValueId Backward::reshape(ValueId x, ValueId shape) { return op("Reshape", {x, shape}, {attribute("allowzero", 1)}); }

ValueId Backward::sum_to(ValueId x, ValueId like) { return op("SumToShapeOf", {x, like}, {}, "onnxlet"); }

ValueId Backward::per_channel(ValueId x) {
  const ValueId rows = op("Reshape", {x, ints({0, 0, -1})});
  return op("ReduceSum", {rows, ints({0, 2})}, {attribute("keepdims", 0)});
}

ValueId Backward::scatter(ValueId gradient, ValueId places, ValueId like) {
  const ValueId flat = ints({-1});
  const ValueId zeros = op("Expand", {number(0, dtype(gradient)), reshape(op("Size", {like}), flat)});
  const ValueId sums = op("ScatterElements", {zeros, reshape(places, flat), reshape(gradient, flat)},
                          {attribute("axis", 0), attribute("reduction", std::string_view("add"))});
  return as_shape_of(sums, like);
}

ValueId Backward::cast(ValueId x, DType type) {
  return dtype(x) == type ? x : op("Cast", {x}, {attribute("to", static_cast<int64_t>(type))});
}

ValueId Backward::matmul(ValueId a, bool transpose_a, ValueId b, bool transpose_b) {
  return op("FusedMatMul", {a, b}, {attribute("transA", transpose_a), attribute("transB", transpose_b)},
            "com.microsoft");
}

ValueId Backward::formula(const char* expression, ValueId g, ValueId y) {
  return Formula(*this, expression, g, y).sum();
}

}  // namespace onnxlet
