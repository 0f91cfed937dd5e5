#include "graph/passes.h"

#include <algorithm>

namespace onnxlet {
namespace {

constexpr Pass kPasses[] = {
    {"eliminate_identity", 1, eliminate_identity},
    {"fold_constants", 1, fold_constants},
    {"fold_affine", 2, fold_affine},
    {"fuse_activations", 2, fuse_activations},
    {"fuse_normalizations", 2, fuse_normalizations},
    {"eliminate_dead", 1, eliminate_dead},
};

// Values that became constants in the enclosing graph need no capture: the subgraph shares their bytes.
void share_constants(const IrGraph& outer, IrGraph* inner) {
  std::erase_if(inner->captures, [&](const Capture& c) {
    const Tensor* constant = outer.constant(c.outer);
    if (constant == nullptr) return false;
    inner->value(c.inner).constant = *constant;
    return true;
  });
}

Result<bool> run_everywhere(const Pass& pass, IrGraph& graph, Pool& pool) {
  OL_ASSIGN(bool changed, pass.run(graph, pool));
  for (IrNode& n : graph.nodes) {
    for (IrSubgraph& s : n.subgraphs) {
      share_constants(graph, s.graph.get());
      OL_ASSIGN(const bool inner, run_everywhere(pass, *s.graph, pool));
      changed = changed || inner;
    }
  }
  return changed;
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

Status run_passes(IrGraph& graph, const GraphOptions& options, Pool& pool, std::vector<PassReport>* report) {
  for (const Pass& pass : kPasses) {
    const auto& off = options.disabled_passes;
    if (options.level < pass.level || std::find(off.begin(), off.end(), pass.name) != off.end()) continue;
    OL_ASSIGN(const bool changed, run_everywhere(pass, graph, pool));
    report->push_back({pass.name, changed});
  }
  return {};
}

}  // namespace onnxlet
