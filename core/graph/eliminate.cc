// Nodes that do nothing, and nodes whose results nobody reads.
#include <algorithm>

#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {

Result<bool> eliminate_identity(IrGraph& graph, Pool&) {
  std::vector<ValueId> same(graph.values.size());  // what each value is replaced by
  for (size_t i = 0; i < same.size(); ++i) same[i] = static_cast<ValueId>(i);
  const auto replace = [&](ValueId& id) {
    if (id != kAbsent) id = same[static_cast<size_t>(id)];
  };
  std::vector<IrNode> kept;
  kept.reserve(graph.nodes.size());
  for (IrNode& n : graph.nodes) {
    for (ValueId& id : n.inputs) replace(id);
    for (IrSubgraph& s : n.subgraphs) {
      for (Capture& c : s.graph->captures) replace(c.outer);
    }
    const bool identity = !n.custom && n.domain.empty() && n.op_type == "Identity" && n.inputs.size() == 1 &&
                          n.outputs.size() == 1 && n.inputs[0] != kAbsent && n.outputs[0] != kAbsent;
    if (identity) {
      same[static_cast<size_t>(n.outputs[0])] = n.inputs[0];
    } else {
      kept.push_back(std::move(n));
    }
  }
  const bool changed = kept.size() != graph.nodes.size();
  graph.nodes = std::move(kept);
  for (ValueId& id : graph.outputs) replace(id);
  return changed;
}

Result<bool> eliminate_dead(IrGraph& graph, Pool&) {
  std::vector<int> uses = graph.use_counts();
  std::vector<bool> dead(graph.nodes.size(), false);
  const auto release = [&](ValueId id) {
    if (id != kAbsent) --uses[static_cast<size_t>(id)];
  };
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const IrNode& n = graph.nodes[i];
    if (n.custom || (n.row->flags & kImpure) != 0) continue;
    dead[i] = std::all_of(n.outputs.begin(), n.outputs.end(),
                          [&](ValueId id) { return id == kAbsent || uses[static_cast<size_t>(id)] == 0; });
    if (!dead[i]) continue;
    for (ValueId id : n.inputs) release(id);
    for (const IrSubgraph& s : n.subgraphs) {
      for (const Capture& c : s.graph->captures) release(c.outer);
    }
  }
  size_t at = 0;
  const size_t before = graph.nodes.size();
  std::erase_if(graph.nodes, [&](const IrNode&) { return dead[at++]; });
  // Constants nobody reads give their bytes back.
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (uses[i] == 0 && graph.values[i].constant.valid()) graph.values[i].constant = Tensor();
  }
  return graph.nodes.size() != before;
}

}  // namespace onnxlet
