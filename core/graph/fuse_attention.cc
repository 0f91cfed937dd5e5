// Attention as exporters write it: softmax(alpha Q K^T + mask) V in MatMul, Add and Softmax, with Transposes that bring
// the heads in front of the tokens and back.
#include "graph/passes.h"
#include "graph/product.h"
#include "ops/float_io.h"

namespace onnxlet {
namespace {

constexpr std::string_view kName = "FusedAttention", kDomain = "onnxlet";
constexpr int kMostAxes = 4;

bool swaps_heads_and_tokens(const IrNode* n) {
  const Attribute* perm = n != nullptr ? n->find("perm") : nullptr;
  return perm != nullptr && perm->ints == std::vector<int64_t>{0, 2, 1, 3};
}

bool is_matrix(Matcher& m, ValueId id) {
  const std::optional<int> rank = id != kAbsent ? m.rank(id) : std::nullopt;
  return rank && *rank >= 2 && *rank <= kMostAxes;
}

// The softmax over the last axis of scores that nothing else reads.
ValueId scores_of(Matcher& m, ValueId weights) {
  const IrNode* softmax = m.producer(weights, "Softmax");
  if (softmax == nullptr || m.readers(weights) != 1 || m.readers(softmax->inputs[0]) != 1) return kAbsent;
  const std::optional<int> rank = m.rank(weights);
  const int64_t axis = int_attribute(*softmax, "axis", softmax->opset >= 13 ? -1 : 1);
  return rank && (axis == -1 || axis == *rank - 1) ? softmax->inputs[0] : kAbsent;
}

std::optional<Product> scores_product(Matcher& m, ValueId id) {
  if (id == kAbsent || m.readers(id) != 1) return std::nullopt;
  std::optional<Product> p = product_of(m.producer(id));
  if (!p || p->inputs.size() != 2 || p->trans_a != 0 || p->trans_b == 0) return std::nullopt;
  return p;
}

Result<bool> attention(Matcher& m, IrNode& n, Pool&) {
  ValueId scores = scores_of(m, n.inputs[0]), mask = kAbsent;
  if (scores == kAbsent || !runs_as_float(m.dtype(scores))) return false;
  std::optional<Product> p = scores_product(m, scores);
  const IrNode* add = m.producer(scores, "Add");
  for (size_t i = 0; add != nullptr && !p && i < 2; ++i) {
    p = scores_product(m, add->inputs[i]);
    mask = add->inputs[1 - i];
  }
  if (!p || (mask != kAbsent && m.rank(mask).value_or(kMostAxes + 1) > kMostAxes)) return false;
  std::vector<ValueId> inputs{p->inputs[0], p->inputs[1], n.inputs[1]};
  bool token_major[3];
  for (size_t i = 0; i < 3; ++i) {
    // Products with constants have them packed.
    if (!is_matrix(m, inputs[i]) || m.graph().constant(inputs[i]) != nullptr) return false;
    const IrNode* transpose = m.producer(inputs[i], "Transpose");
    token_major[i] = m.readers(inputs[i]) == 1 && swaps_heads_and_tokens(transpose);
    if (token_major[i]) inputs[i] = transpose->inputs[0];
  }
  if (mask != kAbsent) inputs.push_back(mask);
  if (!m.become(n, kName, 1, kDomain, std::move(inputs))) return false;
  Matcher::set(n, "scale", p->alpha);
  constexpr std::string_view kLayouts[] = {"q_token_major", "k_token_major", "v_token_major"};
  for (size_t i = 0; i < 3; ++i) Matcher::set(n, kLayouts[i], static_cast<int64_t>(token_major[i]));
  return true;
}

Result<bool> transpose_after(Matcher& m, IrNode& n, Pool&) {
  if (!swaps_heads_and_tokens(&n) || m.readers(n.inputs[0]) != 1) return false;
  const IrNode* from = m.producer(n.inputs[0], kName, kDomain);
  if (from == nullptr || int_attribute(*from, "y_token_major", 0) != 0) return false;
  if (!m.become_like(n, *from, from->inputs)) return false;
  Matcher::set(n, "y_token_major", int64_t{1});
  return true;
}

constexpr Rule kRules[] = {{"MatMul", attention}, {"Transpose", transpose_after}};

}  // namespace

Result<bool> fuse_attention(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
