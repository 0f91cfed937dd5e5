// Computes nodes whose inputs are all known, unless the result would make the model larger: weights that are stored
// small stay small. Other shapes of the same bytes add none. An exception are the weights of a small model that Cast or
// DequantizeLinear makes floats of, for a node that packs them at load: expanding and packing them in every run costs
// more than the model's size matters.
#include <algorithm>

#include "graph/passes.h"
#include "ops/run.h"

namespace onnxlet {
namespace {

constexpr uint64_t kSmall = 4096;  // bytes that may be added without asking: shapes, masks, scalars

template <size_t N>
bool one_of(const std::string_view (&names)[N], const IrNode& n) {
  return n.domain.empty() && std::find(names, names + N, n.op_type) != names + N;
}

// For every value whether it is made of constants, by operators that weights go through, and all that is done with it
// is to multiply with it: what an operator packs.
std::vector<bool> packed_weights(const IrGraph& graph, const std::vector<int>& uses) {
  constexpr std::string_view kProducts[] = {"Conv", "ConvTranspose", "MatMul", "Gemm"};
  constexpr std::string_view kRecurrent[] = {"LSTM", "GRU", "RNN"};
  constexpr std::string_view kOnTheWay[] = {"Cast", "Mul", "DequantizeLinear", "Identity", "Reshape", "Transpose"};
  const size_t count = graph.values.size();
  std::vector<bool> known(count), weights(count);
  for (size_t i = 0; i < count; ++i) known[i] = graph.values[i].constant.valid();
  const auto is_known = [&](ValueId id) { return id != kAbsent && known[static_cast<size_t>(id)]; };
  const auto on_the_way = [&](const IrNode& n) {
    return one_of(kOnTheWay, n) && n.outputs[0] != kAbsent && std::all_of(n.inputs.begin(), n.inputs.end(), is_known);
  };
  for (const IrNode& n : graph.nodes) {
    if (on_the_way(n)) known[static_cast<size_t>(n.outputs[0])] = true;
  }
  std::vector<int> as_weights(count, 0);
  const auto all_uses = [&](ValueId id) {
    return id != kAbsent && as_weights[static_cast<size_t>(id)] == uses[static_cast<size_t>(id)];
  };
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const IrNode& n = graph.nodes[i];
    const size_t end = one_of(kProducts, n) ? 2 : one_of(kRecurrent, n) ? 3 : 0;  // of the inputs that are weights
    for (size_t at = 1; at < std::min(end, n.inputs.size()); ++at) {
      if (is_known(n.inputs[at])) ++as_weights[static_cast<size_t>(n.inputs[at])];
    }
    if (on_the_way(n) && uses[static_cast<size_t>(n.outputs[0])] > 0 && all_uses(n.outputs[0])) {
      weights[static_cast<size_t>(n.outputs[0])] = true;
      for (ValueId id : n.inputs) ++as_weights[static_cast<size_t>(id)];
    }
  }
  return weights;
}

using Names = std::span<const std::string_view>;

// `only`: of these operators; empty: of all.
bool foldable(const IrGraph& graph, const IrNode& n, Names only) {
  if (n.row == nullptr || !n.subgraphs.empty() || (n.row->flags & (kImpure | kControl)) != 0) return false;
  if (!only.empty() && std::find(only.begin(), only.end(), n.op_type) == only.end()) return false;
  if (n.inputs.empty()) return n.op_type == "Constant";
  return std::all_of(n.inputs.begin(), n.inputs.end(),
                     [&](ValueId id) { return id == kAbsent || graph.constant(id) != nullptr; });
}

// Bytes of inputs that nothing else reads: they can go when the node does.
uint64_t freed_bytes(const IrGraph& graph, const IrNode& n, const std::vector<int>& uses) {
  uint64_t bytes = 0;
  for (ValueId id : n.inputs) {
    if (id != kAbsent && uses[static_cast<size_t>(id)] == 1) bytes += graph.value(id).constant.bytes();
  }
  return bytes;
}

// `more`: bytes that may be added beyond `budget`; what is used of them is taken off.
Result<bool> fold(IrGraph& graph, const IrNode& n, uint64_t budget, uint64_t* more, Pool& pool) {
  std::vector<Value> constants;
  for (ValueId id : n.inputs) constants.push_back(id == kAbsent ? Value() : Value(graph.value(id).constant));
  OL_ASSIGN(const std::vector<Value> outputs, evaluate(n, constants, pool));
  uint64_t bytes = 0;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] == kAbsent) continue;
    if (!outputs[i].is_tensor() || outputs[i].tensor().dtype() == DType::kString) return false;
    const Tensor& output = outputs[i].tensor();
    const bool handed_on = std::any_of(constants.begin(), constants.end(), [&](const Value& v) {
      return v.is_tensor() && v.tensor().raw() == output.raw();
    });
    if (!handed_on) bytes += output.bytes();
  }
  if (bytes > std::max(budget, kSmall) && n.op_type != "Constant") {
    if (bytes - budget > *more) return false;
    *more -= bytes - budget;
  }
  constants.clear();
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] != kAbsent) graph.value(n.outputs[i]).constant = std::move(outputs[i].tensor());
  }
  return true;
}

// What only this node read goes, and its result may lie in its place.
void release_inputs(IrGraph& graph, const IrNode& n, std::vector<int>& uses) {
  for (ValueId id : n.inputs) {
    if (id == kAbsent || --uses[static_cast<size_t>(id)] > 0) continue;
    Tensor& input = graph.value(id).constant;
    if (n.outputs.size() == 1 && n.outputs[0] != kAbsent) graph.value(n.outputs[0]).constant.move_into(input);
    input = Tensor();
  }
}

Result<bool> fold_graph(IrGraph& graph, Pool& pool, Names only) {
  std::vector<int> uses = graph.use_counts();
  const std::vector<bool> weights = packed_weights(graph, uses);
  uint64_t left_to_expand = kMostExpanded;
  bool changed = false;
  std::vector<IrNode> kept;
  kept.reserve(graph.nodes.size());
  for (IrNode& n : graph.nodes) {
    if (foldable(graph, n, only)) {
      uint64_t nothing = 0;
      const bool expand = n.outputs[0] != kAbsent && weights[static_cast<size_t>(n.outputs[0])];
      Result<bool> folded = fold(graph, n, freed_bytes(graph, n, uses), expand ? &left_to_expand : &nothing, pool);
      // A node that fails here fails again when it runs, with its place in the model named, or never runs.
      if (folded.ok() && folded.value()) {
        release_inputs(graph, n, uses);
        changed = true;
        continue;
      }
      if (!folded.ok() && folded.status().code() == Code::kOutOfMemory) pool.trim();
    }
    kept.push_back(std::move(n));
  }
  graph.nodes = std::move(kept);
  return changed;
}

}  // namespace

Result<std::vector<Value>> evaluate(const IrNode& n, std::span<const Value> inputs, Pool& pool) {
  OL_ASSIGN(const OpPtr op, make_op(n, *n.row, pool));
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(&v);
  const std::vector<Value*> last_use(inputs.size(), nullptr);
  const auto wanted = std::make_unique<bool[]>(n.outputs.size());
  std::fill_n(wanted.get(), n.outputs.size(), true);
  uint64_t random_state = 0;
  std::vector<Value> outputs;
  OL_TRY(run_op({op.get(), n.row, n.schema, pointers, last_use, {wanted.get(), n.outputs.size()}, &pool, &random_state},
                &outputs));
  return outputs;
}

Result<bool> fold_constants(IrGraph& graph, Pool& pool) { return fold_graph(graph, pool, {}); }
Result<bool> fold_only(IrGraph& graph, Pool& pool, std::span<const std::string_view> operators) {
  return fold_graph(graph, pool, operators);
}

}  // namespace onnxlet
