#include "graph/match.h"

#include <algorithm>
#include <cmath>

#include "base/visit.h"
#include "ops/op.h"
#include "ops/table.h"

namespace onnxlet {

Matcher::Matcher(IrGraph& graph)
    : graph_(graph),
      ranks_(infer_ranks(graph)),
      readers_(graph.values.size()),
      producers_(graph.values.size(), -1),
      dead_(graph.nodes.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const IrNode& n = graph.nodes[i];
    for (ValueId id : n.inputs) {
      if (id != kAbsent) readers_[index(id)].push_back(static_cast<int>(i));
    }
    for (const IrSubgraph& s : n.subgraphs) {
      for (const Capture& c : s.graph->captures) readers_[index(c.outer)].push_back(kOutside);
    }
    for (ValueId id : n.outputs) {
      if (id != kAbsent) producers_[index(id)] = static_cast<int>(i);
    }
  }
  for (ValueId id : graph.outputs) {
    if (id != kAbsent) readers_[index(id)].push_back(kOutside);
  }
}

IrNode* Matcher::producer(ValueId id) {
  if (id == kAbsent || producers_[index(id)] < 0) return nullptr;
  IrNode& n = graph_.nodes[static_cast<size_t>(producers_[index(id)])];
  return n.custom || n.outputs[0] != id ? nullptr : &n;
}

IrNode* Matcher::producer(ValueId id, std::string_view op_type, std::string_view domain) {
  IrNode* n = producer(id);
  return n != nullptr && is_op(*n, op_type, domain) ? n : nullptr;
}

IrNode* Matcher::only_reader(ValueId id) {
  const std::vector<int>& list = readers_[index(id)];
  return list.size() == 1 && list[0] != kOutside ? &graph_.nodes[static_cast<size_t>(list[0])] : nullptr;
}

bool Matcher::feeds_only(ValueId id, const IrNode& root) const { return feeds_only(id, at(root), 0); }

bool Matcher::feeds_only(ValueId id, int root, int depth) const {
  if (depth > kDeepest) return false;
  return std::all_of(readers_[index(id)].begin(), readers_[index(id)].end(), [&](int reader) {
    if (reader == root) return true;
    if (reader == kOutside) return false;
    const std::vector<ValueId>& outputs = graph_.nodes[static_cast<size_t>(reader)].outputs;
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](ValueId out) { return out == kAbsent || feeds_only(out, root, depth + 1); });
  });
}

std::optional<double> Matcher::scalar(ValueId id) const {
  const Tensor* t = graph_.constant(id);
  if (t == nullptr || t->size() != 1 || is_sub_byte(t->dtype())) return std::nullopt;
  Result<double> v = to_double(*t, "");
  if (!v.ok()) return std::nullopt;
  return v.value();
}

std::optional<Matcher::WithScalar> Matcher::with_scalar(const IrNode& n) const {
  if (n.inputs.size() != 2) return std::nullopt;
  for (size_t i : {1, 0}) {
    const std::optional<double> s = scalar(n.inputs[i]);
    if (s && n.inputs[1 - i] != kAbsent) {
      return WithScalar{n.inputs[1 - i], *s, graph_.constant(n.inputs[i])->rank(), i == 0};
    }
  }
  return std::nullopt;
}

std::optional<int> Matcher::rank(ValueId id) const {
  const int rank = ranks_.exact[index(id)];
  return rank != Ranks::kUnknown ? std::optional(rank) : std::nullopt;
}

void Matcher::release(ValueId id, int reader) {
  if (id == kAbsent) return;
  std::vector<int>& list = readers_[index(id)];
  const auto found = std::find(list.begin(), list.end(), reader);
  if (found != list.end()) list.erase(found);
  const int from = producers_[index(id)];
  if (!list.empty() || from < 0 || dead_[static_cast<size_t>(from)]) return;
  IrNode& n = graph_.nodes[static_cast<size_t>(from)];
  const bool pure = !n.custom && n.subgraphs.empty() && (n.row->flags & kImpure) == 0;
  if (!pure) return;
  for (ValueId out : n.outputs) {
    if (out != kAbsent && !readers_[index(out)].empty()) return;
  }
  kill(n);
}

void Matcher::reconnect(IrNode& n, std::vector<ValueId> inputs) {
  const int self = at(n);
  for (ValueId id : inputs) {
    if (id != kAbsent) readers_[index(id)].push_back(self);
  }
  n.inputs.swap(inputs);
  for (ValueId id : inputs) release(id, self);
}

bool Matcher::become(IrNode& n, std::string_view op_type, int opset, std::string_view domain,
                     std::vector<ValueId> inputs) {
  const OpRow* row = find_op(domain, op_type, opset);
  if (row == nullptr) return false;
  reconnect(n, std::move(inputs));
  n.op_type = op_type;
  n.domain = domain;
  n.opset = opset;
  n.schema = find_schema(domain, op_type, opset);
  n.row = row;
  n.attributes.clear();
  return true;
}

bool Matcher::become_like(IrNode& n, const IrNode& from, std::vector<ValueId> inputs) {
  std::vector<Attribute> attributes(from.attributes);
  if (!become(n, from.op_type, from.opset, from.domain, std::move(inputs))) return false;
  n.attributes.swap(attributes);
  return true;
}

static Attribute& add_attribute(IrNode& n, std::string_view name, Attribute::Type type) {
  Attribute& a = n.attributes.emplace_back();
  a.name = name;
  a.type = type;
  return a;
}

void Matcher::set(IrNode& n, std::string_view attribute, float value) {
  add_attribute(n, attribute, Attribute::Type::kFloat).f = value;
}

void Matcher::set(IrNode& n, std::string_view attribute, int64_t value) {
  add_attribute(n, attribute, Attribute::Type::kInt).i = value;
}

void Matcher::set(IrNode& n, std::string_view attribute, std::string_view value) {
  add_attribute(n, attribute, Attribute::Type::kString).s = value;
}

void Matcher::set(IrNode& n, std::string_view attribute, std::vector<int64_t> value) {
  add_attribute(n, attribute, Attribute::Type::kInts).ints = std::move(value);
}

void Matcher::unset(IrNode& n, std::string_view attribute) {
  std::erase_if(n.attributes, [&](const Attribute& a) { return a.name == attribute; });
}

ValueId Matcher::add_constant(std::string_view name, Tensor tensor) {
  const ValueId id = graph_.add_value(name);
  graph_.value(id).type = ValueType::tensor(tensor.dtype());
  ranks_.exact.push_back(tensor.rank());
  ranks_.least.push_back(tensor.rank());
  graph_.value(id).constant = std::move(tensor);
  readers_.emplace_back();
  producers_.push_back(-1);
  return id;
}

Result<ValueId> Matcher::add_number(std::string_view name, double value, DType dtype, const Shape& shape, Pool& pool) {
  OL_ASSIGN(Tensor t, Tensor::allocate(pool, dtype, shape));
  OL_TRY((visit<Ieee, Halves, SignedInts, UnsignedInts>(dtype, [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T>)
      *t.mutable_data<T>() = static_cast<T>(value);
    else
      *t.mutable_data<T>() = T(static_cast<float>(value));
    return {};
  })));
  return add_constant(name, std::move(t));
}

void Matcher::redirect(ValueId from, ValueId to) {
  std::vector<int> moved = std::exchange(readers_[index(from)], {});
  for (int reader : moved) {
    if (reader == kOutside) continue;
    for (ValueId& id : graph_.nodes[static_cast<size_t>(reader)].inputs) {
      if (id == from) id = to;
    }
  }
  for (IrNode& n : graph_.nodes) {
    for (IrSubgraph& s : n.subgraphs) {
      for (Capture& c : s.graph->captures) {
        if (c.outer == from) c.outer = to;
      }
    }
  }
  for (ValueId& id : graph_.outputs) {
    if (id == from) id = to;
  }
  std::vector<int>& list = readers_[index(to)];
  list.insert(list.end(), moved.begin(), moved.end());
}

void Matcher::kill(IrNode& n) {
  dead_[static_cast<size_t>(at(n))] = true;
  for (ValueId in : n.inputs) release(in, at(n));
}

void Matcher::bypass(IrNode& n, ValueId to) {
  redirect(n.outputs[0], to);
  kill(n);
}

void Matcher::become_constant(IrNode& n, Tensor value) {
  graph_.value(n.outputs[0]).constant = std::move(value);
  producers_[index(n.outputs[0])] = -1;
  kill(n);
}

void Matcher::sweep() {
  size_t i = 0;
  std::erase_if(graph_.nodes, [&](const IrNode&) { return dead_[i++]; });
}

Result<bool> apply_rules(IrGraph& graph, Pool& pool, std::span<const Rule> rules) {
  Matcher m(graph);
  bool changed = false;
  for (IrNode& n : graph.nodes) {
    if (n.custom || !n.domain.empty()) continue;
    for (const Rule& rule : rules) {
      if (m.dead(n) || n.op_type != rule.op_type || !n.domain.empty()) continue;
      OL_ASSIGN(const bool replaced, rule.apply(m, n, pool));
      changed = changed || replaced;
    }
  }
  m.sweep();
  return changed;
}

bool is_op(const IrNode& n, std::string_view op_type, std::string_view domain) {
  return n.op_type == op_type && n.domain == domain && !n.custom;
}

int64_t int_attribute(const IrNode& n, std::string_view name, int64_t fallback) {
  const Attribute* a = n.find(name);
  return a != nullptr ? a->i : fallback;
}

float float_attribute(const IrNode& n, std::string_view name, float fallback) {
  const Attribute* a = n.find(name);
  return a != nullptr ? a->f : fallback;
}

bool close(double a, double b, DType type) {
  const double slack = type == DType::kDouble     ? 1e-12
                       : type == DType::kFloat16  ? 1e-3
                       : type == DType::kBFloat16 ? 8e-3
                                                  : 1e-5;
  return std::fabs(a - b) <= slack * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace onnxlet
