// What stands around MatMul and belongs into it: a factor, a Transpose of the matrices, a summand per column. And
// around MatMulInteger: what makes floats of its result.
#include <algorithm>

#include "graph/passes.h"
#include "graph/product.h"
#include "ops/float_io.h"
#include "ops/table.h"

namespace onnxlet {

static constexpr std::string_view kContrib = "com.microsoft";

std::optional<Product> product_of(const IrNode* n) {
  if (n == nullptr) return std::nullopt;
  if (is_op(*n, "MatMul")) return Product{n->inputs};
  if (!is_op(*n, "FusedMatMul", kContrib)) return std::nullopt;
  if (int_attribute(*n, "transBatchA", 0) != 0 || int_attribute(*n, "transBatchB", 0) != 0) return std::nullopt;
  return Product{n->inputs, float_attribute(*n, "alpha", 1), int_attribute(*n, "transA", 0),
                 int_attribute(*n, "transB", 0)};
}

namespace {

bool make(Matcher& m, IrNode& n, Product p) {
  if (!m.become(n, "FusedMatMul", 1, kContrib, std::move(p.inputs))) return false;
  if (p.alpha != 1) Matcher::set(n, "alpha", p.alpha);
  if (p.trans_a != 0) Matcher::set(n, "transA", p.trans_a);
  if (p.trans_b != 0) Matcher::set(n, "transB", p.trans_b);
  return true;
}

// The factor of a Mul or Div by a number that leaves the shape as it is.
std::optional<Matcher::WithScalar> scaling(Matcher& m, const IrNode& n) {
  if (!is_op(n, "Mul") && !is_op(n, "Div")) return std::nullopt;
  auto with = m.with_scalar(n);
  if (!with || !runs_as_float(m.dtype(with->value)) || with->rank > m.least_rank(with->value)) return std::nullopt;
  if (n.op_type == "Div") {
    if (with->first || with->scalar == 0) return std::nullopt;
    with->scalar = 1 / with->scalar;
  }
  return with;
}

// (A B) * s
Result<bool> scale_after(Matcher& m, IrNode& n, Pool&) {
  const auto with = scaling(m, n);
  if (!with || m.readers(with->value) != 1) return false;
  std::optional<Product> p = product_of(m.producer(with->value));
  if (!p || p->inputs.size() > 2) return false;
  p->alpha = static_cast<float>(static_cast<double>(p->alpha) * with->scalar);
  return make(m, n, std::move(*p));
}

// (A * s) B and A (B * s)
bool scale_before(Matcher& m, Product* p) {
  bool any = false;
  for (size_t i = 0; i < 2; ++i) {
    const IrNode* n = m.producer(p->inputs[i]);
    const auto with = n != nullptr && m.readers(p->inputs[i]) == 1 ? scaling(m, *n) : std::nullopt;
    // A scalar times a constant belongs to the constant, and a factor of one element needs two axes to stay a matrix.
    if (!with || m.graph().constant(with->value) != nullptr) continue;
    p->inputs[i] = with->value;
    p->alpha = static_cast<float>(static_cast<double>(p->alpha) * with->scalar);
    any = true;
  }
  return any;
}

// A Transpose that moves the last axis away makes way for one that moves whole rows, or for none.
bool transpose_before(Matcher& m, Product* p) {
  bool any = false;
  for (size_t i = 0; i < 2; ++i) {
    IrNode* n = m.producer(p->inputs[i], "Transpose");
    const Attribute* perm = n != nullptr ? n->find("perm") : nullptr;
    if (perm == nullptr || perm->ints.size() < 2 || m.readers(p->inputs[i]) != 1) continue;
    std::vector<int64_t> rows = perm->ints;
    const size_t last = rows.size() - 1;
    std::swap(rows[last], rows[last - 1]);
    if (rows[last] != static_cast<int64_t>(last)) continue;
    if (std::is_sorted(rows.begin(), rows.end()))
      p->inputs[i] = n->inputs[0];
    else if (m.become(*n, "Transpose", n->opset, {}, {n->inputs[0]}))
      Matcher::set(*n, "perm", std::move(rows));
    int64_t& transposed = i == 0 ? p->trans_a : p->trans_b;
    transposed = 1 - transposed;
    any = true;
  }
  return any;
}

Result<bool> before(Matcher& m, IrNode& n, Pool&) {
  Product p{n.inputs};
  if (!runs_as_float(m.dtype(n.inputs[0])) || find_op(kContrib, "FusedMatMul", 1) == nullptr) return false;
  // A factor may stand before a Transpose or after it.
  bool any = scale_before(m, &p);
  any = transpose_before(m, &p) || any;
  any = scale_before(m, &p) || any;
  return any && make(m, n, std::move(p));
}

// A B + c with one number of c per column.
Result<bool> bias(Matcher& m, IrNode& n, Pool&) {
  for (size_t i = 0; i < 2; ++i) {
    const Tensor* c = m.graph().constant(n.inputs[1 - i]);
    std::optional<Product> p = product_of(m.producer(n.inputs[i]));
    if (!p || p->inputs.size() > 2 || c == nullptr || m.readers(n.inputs[i]) != 1) continue;
    const Tensor* b = m.graph().constant(p->inputs[1]);
    if (b == nullptr || b->rank() != 2 || !runs_as_float(b->dtype())) continue;
    const int64_t columns = b->dim(p->trans_b != 0 ? 0 : 1);
    const bool per_column = c->rank() >= 1 && c->size() == columns && c->shape().back() == columns &&
                            (c->rank() == 1 || c->rank() <= m.least_rank(n.inputs[i]));
    if (!per_column || b->dim(p->trans_b != 0 ? 1 : 0) == 0) continue;
    p->inputs.push_back(n.inputs[1 - i]);
    return make(m, n, std::move(*p));
  }
  return false;
}

// Whether the constant has one number per column of B, or, where `one_does`, one for all.
bool per_column(Matcher& m, ValueId id, ValueId b, bool one_does) {
  const Tensor *c = m.graph().constant(id), *matrix = m.graph().constant(b);
  if (c == nullptr || matrix == nullptr || matrix->rank() != 2 || c->dtype() != DType::kFloat || c->rank() > 1)
    return false;
  return (one_does && c->size() == 1) || (c->rank() == 1 && c->size() == matrix->dim(1));
}

// MatMulInteger - Cast - Mul by a scale of A, which is one number, times a scale of B.
Result<bool> integer_scale(Matcher& m, IrNode& n, Pool&) {
  for (size_t i = 0; i < 2; ++i) {
    const IrNode* cast = m.producer(n.inputs[i], "Cast");
    const IrNode* product = cast != nullptr ? m.producer(cast->inputs[0], "MatMulInteger") : nullptr;
    const IrNode* scale = m.producer(n.inputs[1 - i], "Mul");
    if (product == nullptr || scale == nullptr || m.dtype(n.inputs[i]) != DType::kFloat) continue;
    if (m.readers(n.inputs[i]) != 1 || m.readers(cast->inputs[0]) != 1) continue;
    for (size_t k = 0; k < 2; ++k) {
      const ValueId of_a = scale->inputs[1 - k], of_b = scale->inputs[k];
      if (m.rank(of_a) != 0 || !per_column(m, of_b, product->inputs[1], true)) continue;
      return m.become(n, "MatMulIntegerToFloat", 1, kContrib,
                      {product->inputs[0], product->inputs[1], of_a, of_b, Matcher::input(*product, 2),
                       Matcher::input(*product, 3)});
    }
  }
  return false;
}

Result<bool> integer_bias(Matcher& m, IrNode& n, Pool&) {
  for (size_t i = 0; i < 2; ++i) {
    const IrNode* product = m.producer(n.inputs[i], "MatMulIntegerToFloat", kContrib);
    if (product == nullptr || product->inputs.size() > 6 || m.readers(n.inputs[i]) != 1) continue;
    if (!per_column(m, n.inputs[1 - i], product->inputs[1], false)) continue;
    std::vector<ValueId> inputs = product->inputs;
    inputs.push_back(n.inputs[1 - i]);
    return m.become(n, "MatMulIntegerToFloat", 1, kContrib, std::move(inputs));
  }
  return false;
}

constexpr Rule kRules[] = {{"MatMul", before},     {"Mul", scale_after}, {"Div", scale_after},
                           {"Mul", integer_scale}, {"Add", bias},        {"Add", integer_bias}};

}  // namespace

Result<bool> fuse_matmul(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
