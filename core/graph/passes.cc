#include "graph/passes.h"

#include <algorithm>

namespace onnxlet {
namespace {

constexpr Pass kPasses[] = {
    // Before quantized constants are folded into floats.
    {"fuse_qdq", 2, fuse_qdq, true},
    {"fuse_few_bits", 2, fuse_few_bits, true},
    {"eliminate_identity", 1, eliminate_identity},
    {"fold_constants", 1, fold_constants},
    {"eliminate_redundant", 1, eliminate_redundant},
    {"eliminate_common", 1, eliminate_common},
    {"fuse_pad", 2, fuse_pad},
    {"fold_affine", 2, fold_affine},
    {"fuse_activations", 2, fuse_activations},
    {"fuse_normalizations", 2, fuse_normalizations},
    {"fuse_matmul", 2, fuse_matmul},  // after those: their last factor would go into the next product
    {"fuse_attention", 2, fuse_attention},
    {"fuse_conv", 2, fuse_conv},
    {"channels_last", 2, channels_last},
    {"fuse_shuffle", 2, fuse_shuffle},
    {"eliminate_dead", 1, eliminate_dead},
};

constexpr int kMostRounds = 4;

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

void share_constants(const IrGraph& outer, IrGraph* inner) {
  std::erase_if(inner->captures, [&](const Capture& c) {
    const Tensor* constant = outer.constant(c.outer);
    if (constant == nullptr) return false;
    inner->value(c.inner).constant = *constant;
    return true;
  });
}

std::span<const Pass> passes() {
  if (!trim::kAnyPass) return {};
  return kPasses;
}

Status run_passes(IrGraph& graph, const GraphOptions& options, Pool& pool, std::vector<PassReport>* report) {
  if (!trim::kAnyPass) return {};
  const auto& off = options.disabled_passes;
  for (const Pass& p : kPasses) {
    if (p.run != nullptr && options.level >= p.level && std::find(off.begin(), off.end(), p.name) == off.end()) {
      report->push_back({p.name, false});
    }
  }
  // One after the other; those of level 1 open ways for each other.
  const auto run_level = [&](int level, bool first = false) -> Result<bool> {
    bool any = false;
    for (const Pass& pass : kPasses) {
      const auto wanted = std::find_if(report->begin(), report->end(),
                                       [&](const PassReport& r) { return r.name == std::string_view(pass.name); });
      if (pass.level != level || pass.first != first || wanted == report->end()) continue;
      OL_ASSIGN(const bool changed, run_everywhere(pass, graph, pool));
      wanted->changed = wanted->changed || changed;
      any = any || changed;
    }
    return any;
  };
  OL_TRY(run_level(2, true).status());
  bool again = true;
  for (int round = 0; again && round < kMostRounds; ++round) {
    OL_ASSIGN(again, run_level(1));
  }
  OL_ASSIGN(again, run_level(2));
  return again ? run_level(1).status() : Status();
}

}  // namespace onnxlet
