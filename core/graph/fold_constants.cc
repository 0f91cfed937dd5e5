// Computes nodes whose inputs are all known, unless the result would make the model larger: weights that are stored
// small (int8 behind Cast and Mul) stay small.
#include <algorithm>

#include "graph/passes.h"
#include "ops/run.h"

namespace onnxlet {
namespace {

constexpr uint64_t kSmall = 4096;  // bytes that may be added without asking: shapes, masks, scalars

bool foldable(const IrGraph& graph, const IrNode& n) {
  if (n.row == nullptr || !n.subgraphs.empty() || (n.row->flags & (kImpure | kControl)) != 0) return false;
  if (n.inputs.empty() && n.op_type != "Constant") return false;
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

Result<bool> fold(IrGraph& graph, const IrNode& n, uint64_t budget, Pool& pool) {
  OL_ASSIGN(const OpPtr op, make_op(n, *n.row, pool));
  std::vector<Value> constants;
  for (ValueId id : n.inputs) constants.push_back(id == kAbsent ? Value() : Value(graph.value(id).constant));
  std::vector<const Value*> inputs;
  for (const Value& v : constants) inputs.push_back(&v);
  const std::vector<Value*> last_use(inputs.size(), nullptr);
  const auto wanted = std::make_unique<bool[]>(n.outputs.size());
  std::fill_n(wanted.get(), n.outputs.size(), true);
  uint64_t random_state = 0;
  std::vector<Value> outputs;
  OL_TRY(run_op({op.get(), n.row, n.schema, inputs, last_use, {wanted.get(), n.outputs.size()}, &pool, &random_state},
                &outputs));
  uint64_t bytes = 0;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] == kAbsent) continue;
    if (!outputs[i].is_tensor() || outputs[i].tensor().dtype() == DType::kString) return false;
    bytes += outputs[i].tensor().bytes();
  }
  if (bytes > std::max(budget, kSmall) && n.op_type != "Constant") return false;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i] != kAbsent) graph.value(n.outputs[i]).constant = outputs[i].tensor();
  }
  return true;
}

}  // namespace

Result<bool> fold_constants(IrGraph& graph, Pool& pool) {
  const std::vector<int> uses = graph.use_counts();
  bool changed = false;
  std::vector<IrNode> kept;
  kept.reserve(graph.nodes.size());
  for (IrNode& n : graph.nodes) {
    if (foldable(graph, n)) {
      Result<bool> folded = fold(graph, n, freed_bytes(graph, n, uses), pool);
      // A node that fails here fails again when it runs, with its place in the model named, or never runs.
      if (folded.ok() && folded.value()) {
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

}  // namespace onnxlet
