// LayerNormalization and RMSNormalization from the arithmetic that older opsets spell them with:
// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale + bias over the last axes, and the same without the
// mean.
#include <algorithm>

#include "base/sort.h"
#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// The first of the axes of a ReduceMean over the last ones with keepdims, counted from the end; 0 when it is none.
int64_t first_reduced_axis(Matcher& m, const IrNode& reduce) {
  const Tensor* axes = m.graph().constant(Matcher::input(reduce, 1));
  if (axes == nullptr || int_attribute(reduce, "keepdims", 1) == 0) return 0;
  Result<std::vector<int64_t>> list = to_ints(*axes, "axes");
  if (!list.ok() || list.value().empty()) return 0;
  const std::optional<int> rank = m.rank(reduce.inputs[0]);
  for (int64_t& axis : list.value()) {
    if (axis >= 0 && !rank) return 0;
    if (axis >= 0) axis -= *rank;
  }
  sort_numbers(list.value().data(), static_cast<int64_t>(list.value().size()));
  for (size_t i = 0; i < list.value().size(); ++i) {
    if (list.value()[i] != static_cast<int64_t>(i) - static_cast<int64_t>(list.value().size())) return 0;
  }
  return list.value().front();
}

// x^2 -> x.
ValueId square_root_of(Matcher& m, ValueId id) {
  const IrNode* n = m.producer(id);
  if (n == nullptr || !n->domain.empty() || n->inputs.size() != 2) return kAbsent;
  const bool same = n->op_type == "Mul" && n->inputs[0] == n->inputs[1];
  const bool power =
      n->op_type == "Pow" && m.scalar(n->inputs[1]) == 2.0 && m.graph().constant(n->inputs[1])->rank() <= 1;
  return same || power ? n->inputs[0] : kAbsent;
}

struct Norm {
  ValueId deviation = kAbsent;  // what is divided by its root mean square
  int64_t axis = 0;             // negative
  float epsilon = 0;
  DType dtype = DType::kUndefined;
};

// Norm of which `id` is the root mean square: sqrt(mean(d^2) + epsilon), given what is under the root.
std::optional<Norm> norm_under_root(Matcher& m, ValueId id) {
  const IrNode* add = m.producer(id, "Add");
  if (add == nullptr) return std::nullopt;
  const auto with = m.with_scalar(*add);
  if (!with || with->rank > 1 || with->scalar < 0) return std::nullopt;
  const IrNode* mean = m.producer(with->value, "ReduceMean");
  if (mean == nullptr) return std::nullopt;
  Norm norm;
  norm.axis = first_reduced_axis(m, *mean);
  norm.deviation = square_root_of(m, mean->inputs[0]);
  norm.epsilon = static_cast<float>(with->scalar);
  norm.dtype = m.graph().constant(add->inputs[with->first ? 0 : 1])->dtype();
  return norm.axis < 0 && norm.deviation != kAbsent && is_float(norm.dtype) ? std::optional(norm) : std::nullopt;
}

// x when `id` is x - mean(x) over the axes from `axis` on.
ValueId centered_value(Matcher& m, ValueId id, int64_t axis) {
  const IrNode* sub = m.producer(id, "Sub");
  const IrNode* mean = sub != nullptr ? m.producer(sub->inputs[1], "ReduceMean") : nullptr;
  if (mean == nullptr || mean->inputs[0] != sub->inputs[0]) return kAbsent;
  return first_reduced_axis(m, *mean) == axis ? sub->inputs[0] : kAbsent;
}

// The node after `root` if it is `op_type` with a constant that has at most the normalized axes; the constant's id.
IrNode* next_with_constant(Matcher& m, const IrNode& root, std::string_view op_type, int64_t axis, ValueId* constant) {
  IrNode* next = m.only_reader(root.outputs[0]);
  if (next == nullptr || !is_op(*next, op_type) || next->inputs.size() != 2) return nullptr;
  const ValueId other = next->inputs[next->inputs[0] == root.outputs[0] ? 1 : 0];
  const Tensor* t = m.graph().constant(other);
  if (t == nullptr || t->rank() > -axis || t->size() == 0) return nullptr;
  *constant = other;
  return next;
}

// Replaces the pattern that ends in `root` (d / rms), and the scale and bias after it.
Result<bool> replace(Matcher& m, IrNode* root, const Norm& norm, Pool& pool) {
  const ValueId x = centered_value(m, norm.deviation, norm.axis);
  ValueId scale = kAbsent, bias = kAbsent;
  if (IrNode* mul = next_with_constant(m, *root, "Mul", norm.axis, &scale)) root = mul;
  if (x != kAbsent) {
    if (IrNode* add = next_with_constant(m, *root, "Add", norm.axis, &bias)) root = add;
    if (!m.feeds_only(norm.deviation, *root)) return false;
  }
  if (scale == kAbsent) {
    OL_ASSIGN(scale, m.add_number("one", 1, norm.dtype, Shape{1}, pool));
  }
  std::vector<ValueId> inputs{x != kAbsent ? x : norm.deviation, scale};
  if (bias != kAbsent) inputs.push_back(bias);
  const bool done = x != kAbsent ? m.become(*root, "LayerNormalization", 17, {}, std::move(inputs))
                                 : m.become(*root, "RMSNormalization", 23, {}, std::move(inputs));
  if (!done) return false;
  Matcher::set(*root, "axis", norm.axis);
  Matcher::set(*root, "epsilon", norm.epsilon);
  return true;
}

// d / sqrt(...)
Result<bool> divided(Matcher& m, IrNode& n, Pool& pool) {
  const IrNode* root = m.producer(n.inputs[1], "Sqrt");
  if (root == nullptr || !m.feeds_only(n.inputs[1], n)) return false;
  const std::optional<Norm> norm = norm_under_root(m, root->inputs[0]);
  if (!norm || norm->deviation != n.inputs[0]) return false;
  return replace(m, &n, *norm, pool);
}

// d * (1 / sqrt(...)), the reciprocal written in one of three ways.
Result<bool> multiplied(Matcher& m, IrNode& n, Pool& pool) {
  for (size_t i = 0; i < 2; ++i) {
    IrNode* inverse = m.producer(n.inputs[i]);
    if (inverse == nullptr || !inverse->domain.empty() || !m.feeds_only(n.inputs[i], n)) continue;
    ValueId under = kAbsent;
    if (inverse->op_type == "Pow") {
      if (m.scalar(inverse->inputs[1]) == -0.5 && m.graph().constant(inverse->inputs[1])->rank() <= 1) {
        under = inverse->inputs[0];
      }
    } else {
      const bool division = inverse->op_type == "Div" && m.scalar(inverse->inputs[0]) == 1.0 &&
                            m.graph().constant(inverse->inputs[0])->rank() <= 1;
      if (!division && inverse->op_type != "Reciprocal") continue;
      const IrNode* root = m.producer(inverse->inputs[division ? 1 : 0], "Sqrt");
      if (root != nullptr) under = root->inputs[0];
    }
    const std::optional<Norm> norm = under != kAbsent ? norm_under_root(m, under) : std::nullopt;
    if (norm && norm->deviation == n.inputs[1 - i]) return replace(m, &n, *norm, pool);
  }
  return false;
}

constexpr Rule kRules[] = {{"Div", divided}, {"Mul", multiplied}};

}  // namespace

Result<bool> fuse_normalizations(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
