// Nodes that give back their input, pairs that undo each other, and shapes that the model declares.
#include <algorithm>
#include <limits>

#include "base/sort.h"
#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// The integers of a constant; nothing when the input is absent or not known.
std::optional<std::vector<int64_t>> ints_of(Matcher& m, const IrNode& n, size_t input) {
  const Tensor* t = m.graph().constant(Matcher::input(n, input));
  if (t == nullptr) return std::nullopt;
  Result<std::vector<int64_t>> values = to_ints(*t, "");
  return values.ok() ? std::optional(values.take()) : std::nullopt;
}

// The node's only wanted result is its input.
Result<bool> give_back(Matcher& m, IrNode& n, ValueId input) {
  for (size_t i = 1; i < n.outputs.size(); ++i) {
    if (n.outputs[i] != kAbsent && m.readers(n.outputs[i]) != 0) return false;
  }
  if (input == kAbsent || n.outputs[0] == kAbsent) return false;
  m.bypass(n, input);
  return true;
}

DType cast_target(const IrNode& n) {
  const Attribute* to = n.find("to");
  return to != nullptr && to->i > 0 && to->i < kDTypeCount ? static_cast<DType>(to->i) : DType::kUndefined;
}

// Every value of `from` is one of `to`.
bool holds(DType to, DType from) {
  const auto bits = [](DType t) { return dtype_bits(t); };
  const bool half = from == DType::kFloat16 || from == DType::kBFloat16;
  const bool wide = to == DType::kFloat || to == DType::kDouble;
  if (half || from == DType::kFloat) return wide && bits(to) > bits(from);
  if (!is_integer(from)) return false;
  if (wide) return bits(from) <= (to == DType::kFloat ? 16 : 32);
  return is_integer(to) && bits(to) > bits(from) && (is_signed_integer(to) || !is_signed_integer(from));
}

Result<bool> cast(Matcher& m, IrNode& n, Pool&) {
  const DType to = cast_target(n), from = m.dtype(n.inputs[0]);
  if (to == DType::kUndefined) return false;
  if (to == from) return give_back(m, n, n.inputs[0]);
  // x -> wider -> to: the same as x -> to. Texts show which type a number had.
  const IrNode* inner = m.producer(n.inputs[0], "Cast");
  if (inner == nullptr || to == DType::kString || inner->inputs.empty()) return false;
  const ValueId x = inner->inputs[0];
  const DType middle = cast_target(*inner), first = m.dtype(x);
  if (!holds(middle, first)) return false;
  if (is_integer(first) && is_float(middle) && !is_float(to)) return false;  // integers wrap where floats saturate
  if (to == first) return give_back(m, n, x);
  m.reconnect(n, {x});
  return true;
}

Result<bool> dropout(Matcher& m, IrNode& n, Pool&) {
  const ValueId mode = Matcher::input(n, 2);
  if (mode != kAbsent) {
    const Tensor* t = m.graph().constant(mode);
    if (t == nullptr || t->dtype() != DType::kBool || t->size() != 1 || *t->data<bool>()) return false;
  }
  return give_back(m, n, n.inputs[0]);
}

std::optional<std::vector<int64_t>> permutation(Matcher& m, const IrNode& n) {
  if (const Attribute* perm = n.find("perm")) return perm->ints;
  const std::optional<int> rank = m.rank(n.inputs[0]);
  if (!rank) return std::nullopt;
  std::vector<int64_t> reversed(static_cast<size_t>(*rank));
  for (size_t i = 0; i < reversed.size(); ++i) reversed[i] = static_cast<int64_t>(reversed.size() - 1 - i);
  return reversed;
}

bool is_ascending(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

Result<bool> transpose(Matcher& m, IrNode& n, Pool&) {
  std::optional<std::vector<int64_t>> outer = permutation(m, n);
  if (!outer) return false;
  if (is_ascending(*outer)) return give_back(m, n, n.inputs[0]);
  const IrNode* inner = m.producer(n.inputs[0], "Transpose");
  const auto first = inner != nullptr ? permutation(m, *inner) : std::nullopt;
  if (!first || first->size() != outer->size()) return false;
  for (int64_t& axis : *outer) {
    if (axis < 0 || axis >= static_cast<int64_t>(first->size())) return false;
    axis = (*first)[static_cast<size_t>(axis)];
  }
  if (is_ascending(*outer)) return give_back(m, n, inner->inputs[0]);
  if (m.readers(n.inputs[0]) != 1 || !m.become(n, "Transpose", n.opset, {}, {inner->inputs[0]})) return false;
  Matcher::set(n, "perm", std::move(*outer));
  return true;
}

// A Reshape asks only for the order of the elements, which these keep.
Result<bool> reshape(Matcher& m, IrNode& n, Pool&) {
  constexpr std::string_view kKeepOrder[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  const IrNode* inner = m.producer(n.inputs[0]);
  const auto shape = ints_of(m, n, 1);
  if (inner == nullptr || !inner->domain.empty() || !shape || inner->inputs.empty()) return false;
  if (std::find(std::begin(kKeepOrder), std::end(kKeepOrder), inner->op_type) == std::end(kKeepOrder)) return false;
  // 0 stands for a dimension of the input it would lose.
  if (std::find(shape->begin(), shape->end(), 0) != shape->end()) return false;
  m.reconnect(n, {inner->inputs[0], n.inputs[1]});
  return true;
}

// Squeeze and Unsqueeze of the same axes: both count them where the axes of length 1 are.
Result<bool> squeeze(Matcher& m, IrNode& n, Pool&) {
  const IrNode* inner = m.producer(n.inputs[0], n.op_type == "Squeeze" ? "Unsqueeze" : "Squeeze");
  if (inner == nullptr) return false;
  auto outer_axes = ints_of(m, n, 1), inner_axes = ints_of(m, *inner, 1);
  if (!outer_axes || !inner_axes || outer_axes->empty()) return false;
  for (auto* axes : {&*outer_axes, &*inner_axes}) sort_numbers(axes->data(), static_cast<int64_t>(axes->size()));
  return *outer_axes == *inner_axes ? give_back(m, n, inner->inputs[0]) : Result<bool>(false);
}

Result<bool> of_one(Matcher& m, IrNode& n, Pool&) {
  if (n.inputs.size() == 1) return give_back(m, n, n.inputs[0]);
  if (n.op_type != "Sum" || n.inputs.size() != 2 || n.since_version() < 8) return false;
  return m.become(n, "Add", 14, {}, std::vector<ValueId>(n.inputs));
}

Result<bool> slice(Matcher& m, IrNode& n, Pool&) {
  const auto starts = ints_of(m, n, 1), ends = ints_of(m, n, 2), steps = ints_of(m, n, 4);
  if (!starts || !ends || (Matcher::input(n, 4) != kAbsent && !steps)) return false;
  const auto is = [](int64_t wanted) { return [wanted](int64_t v) { return v == wanted; }; };
  const bool whole =
      std::all_of(starts->begin(), starts->end(), is(0)) &&
      std::all_of(ends->begin(), ends->end(), [](int64_t v) { return v >= std::numeric_limits<int32_t>::max(); }) &&
      (!steps || std::all_of(steps->begin(), steps->end(), is(1)));
  return whole ? give_back(m, n, n.inputs[0]) : Result<bool>(false);
}

// x * 1, x / 1, x - 0. Not x + 0, which makes 0 of -0.
Result<bool> neutral(Matcher& m, IrNode& n, Pool&) {
  const auto with = m.with_scalar(n);
  if (!with || with->scalar != (n.op_type == "Sub" ? 0 : 1) || (with->first && n.op_type != "Mul")) return false;
  return with->rank <= m.least_rank(with->value) ? give_back(m, n, with->value) : Result<bool>(false);
}

// The input of the model that has the shape of this value.
const TypeSpec* declared_like(Matcher& m, ValueId id) {
  constexpr std::string_view kKeepShape[] = {"Cast", "Relu", "Sigmoid", "Tanh", "Identity",
                                             "Neg",  "Abs",  "Clip",    "Not"};
  for (int depth = 0; depth < 8; ++depth) {
    const IrNode* n = m.producer(id);
    if (n == nullptr) return declared_shape(m.graph(), id);
    if (!n->domain.empty()) return nullptr;
    if (std::find(std::begin(kKeepShape), std::end(kKeepShape), n->op_type) == std::end(kKeepShape)) return nullptr;
    id = n->inputs[0];
  }
  return nullptr;
}

// Shape of what is declared without free dimensions.
Result<bool> shape(Matcher& m, IrNode& n, Pool& pool) {
  const TypeSpec* type = declared_like(m, n.inputs[0]);
  if (type == nullptr) return false;
  const auto rank = static_cast<int64_t>(type->dims.size());
  const auto bound = [&](std::string_view name, int64_t fallback) {
    const int64_t at = int_attribute(n, name, fallback);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = bound("start", 0), end = std::max(bound("end", rank), start);
  const std::span<const int64_t> dims =
      std::span(type->dims).subspan(static_cast<size_t>(start), static_cast<size_t>(end - start));
  if (std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) return false;
  OL_ASSIGN(Tensor values, Tensor::of_ints(pool, dims));
  m.become_constant(n, std::move(values));
  return true;
}

// One dimension, or several, of a shape some of which are declared.
Result<bool> gather(Matcher& m, IrNode& n, Pool& pool) {
  const IrNode* inner = m.producer(n.inputs[0], "Shape");
  const TypeSpec* type = inner != nullptr && inner->attributes.empty() ? declared_like(m, inner->inputs[0]) : nullptr;
  const auto indices = ints_of(m, n, 1);
  if (type == nullptr || !indices) return false;
  std::vector<int64_t> picked;
  for (int64_t i : *indices) {
    const auto rank = static_cast<int64_t>(type->dims.size());
    const int64_t at = i < 0 ? i + rank : i;
    if (at < 0 || at >= rank || type->dims[static_cast<size_t>(at)] < 0) return false;
    picked.push_back(type->dims[static_cast<size_t>(at)]);
  }
  OL_ASSIGN(Tensor values, Tensor::from<int64_t>(pool, m.graph().constant(n.inputs[1])->shape(), std::span(picked)));
  m.become_constant(n, std::move(values));
  return true;
}

constexpr Rule kRules[] = {
    {"Cast", cast},         {"Dropout", dropout}, {"Transpose", transpose}, {"Reshape", reshape}, {"Squeeze", squeeze},
    {"Unsqueeze", squeeze}, {"Concat", of_one},   {"Sum", of_one},          {"Max", of_one},      {"Min", of_one},
    {"Mean", of_one},       {"Slice", slice},     {"Mul", neutral},         {"Div", neutral},     {"Sub", neutral},
    {"Shape", shape},       {"Gather", gather},
};

}  // namespace

Result<bool> eliminate_redundant(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
