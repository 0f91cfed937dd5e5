// The channel shuffle of ShuffleNet, Reshape [N, g, k, H, W] - Transpose - Reshape [N, k g, H, W], inside a region
// whose layout is channels-last: the transposes around it go, the shuffle moves a pixel's channels.
#include <algorithm>
#include <tuple>

#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

using Ints = std::vector<int64_t>;

// The only node that computes what `id` is, if nothing else reads it.
IrNode* sole(Matcher& m, ValueId id, std::string_view op_type) {
  IrNode* n = m.producer(id, op_type);
  return n != nullptr && m.readers(id) == 1 ? n : nullptr;
}

bool has_perm(const IrNode* n, const Ints& perm) {
  const Attribute* given = n != nullptr ? n->find("perm") : nullptr;
  return given != nullptr && given->ints == perm;
}

// The shape a Reshape asks for, if all of it but the batch is numbers.
std::optional<Ints> shape_of(Matcher& m, const IrNode* reshape, size_t rank) {
  const Tensor* t = reshape != nullptr ? m.graph().constant(Matcher::input(*reshape, 1)) : nullptr;
  if (t == nullptr || int_attribute(*reshape, "allowzero", 0) != 0) return std::nullopt;
  Result<Ints> shape = to_ints(*t, "shape");
  if (!shape.ok() || shape.value().size() != rank) return std::nullopt;
  const bool numbers = std::all_of(shape.value().begin() + 1, shape.value().end(), [](int64_t d) { return d > 0; });
  return numbers ? std::optional(shape.take()) : std::nullopt;
}

Result<bool> shuffle(Matcher& m, IrNode& n, Pool& pool) {
  if (!has_perm(&n, {0, 2, 3, 1})) return false;
  IrNode* joins = sole(m, n.inputs[0], "Reshape");
  IrNode* swaps = joins != nullptr ? sole(m, joins->inputs[0], "Transpose") : nullptr;
  IrNode* splits = swaps != nullptr ? sole(m, swaps->inputs[0], "Reshape") : nullptr;
  IrNode* first = splits != nullptr ? sole(m, splits->inputs[0], "Transpose") : nullptr;
  if (!has_perm(swaps, {0, 2, 1, 3, 4}) || !has_perm(first, {0, 3, 1, 2})) return false;
  const std::optional<Ints> five = shape_of(m, splits, 5), four = shape_of(m, joins, 4);
  if (!five || !four || (*four)[0] != (*five)[0] || (*four)[1] != (*five)[1] * (*five)[2]) return false;
  if ((*four)[2] != (*five)[3] || (*four)[3] != (*five)[4]) return false;
  const auto [batch, groups, each, height, width] =
      std::tie((*five)[0], (*five)[1], (*five)[2], (*five)[3], (*five)[4]);
  OL_ASSIGN(Tensor split, Tensor::of_ints(pool, Ints{batch, height, width, groups, each}));
  OL_ASSIGN(Tensor join, Tensor::of_ints(pool, Ints{batch, height, width, groups * each}));
  const ValueId x = first->inputs[0], swapped = swaps->outputs[0];
  const ValueId shapes[] = {m.add_constant("split", std::move(split)), m.add_constant("join", std::move(join))};
  const int opset = splits->opset;
  m.become(*splits, "Reshape", opset, {}, {x, shapes[0]});
  m.become(*swaps, "Transpose", swaps->opset, {}, {swaps->inputs[0]});
  Matcher::set(*swaps, "perm", Ints{0, 1, 2, 4, 3});
  return m.become(n, "Reshape", opset, {}, {swapped, shapes[1]});
}

constexpr Rule kRules[] = {{"Transpose", shuffle}};

}  // namespace

Result<bool> fuse_shuffle(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
