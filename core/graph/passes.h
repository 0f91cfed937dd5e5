// Rewrites of the graph before it is planned. Each pass says whether it changed anything and can be switched off by
// name.
#pragma once

#include <span>

#include "base/trim.h"
#include "base/value.h"
#include "graph/build.h"

namespace onnxlet {

struct Pass {
  using Run = Result<bool> (*)(IrGraph& graph, Pool& pool);  // one graph; the driver visits subgraphs
  const char* name;
  int level;   // runs when GraphOptions::level is at least this
  Run run;     // nullptr: this build is trimmed, and the pass changed nothing in its models
  bool first;  // before all others, whatever its level

  constexpr Pass(const char* pass_name, int from_level, Run function, bool before_all = false)
      : name(pass_name), level(from_level), run(trim::keeps_pass(pass_name) ? function : nullptr), first(before_all) {}
};

std::span<const Pass> passes();

struct PassReport {
  const char* name;
  bool changed;
};

Status run_passes(IrGraph& graph, const GraphOptions& options, Pool& pool, std::vector<PassReport>* report);

// Values that became constants in the enclosing graph need no capture: the subgraph shares their bytes.
void share_constants(const IrGraph& outer, IrGraph* inner);

// Bytes that small weights may grow by, altogether, when they become floats at load.
inline constexpr uint64_t kMostExpanded = 64 << 20;

// The passes, one file each.
Result<bool> fold_constants(IrGraph& graph, Pool& pool);
Result<bool> fold_only(IrGraph& graph, Pool& pool, std::span<const std::string_view> operators);  // no pass
// What the node makes of these inputs.
Result<std::vector<Value>> evaluate(const IrNode& n, std::span<const Value> inputs, Pool& pool);
Result<bool> eliminate_identity(IrGraph& graph, Pool& pool);
Result<bool> eliminate_redundant(IrGraph& graph, Pool& pool);
Result<bool> eliminate_common(IrGraph& graph, Pool& pool);
Result<bool> channels_last(IrGraph& graph, Pool& pool);
Result<bool> eliminate_dead(IrGraph& graph, Pool& pool);
Result<bool> fold_affine(IrGraph& graph, Pool& pool);
Result<bool> fuse_few_bits(IrGraph& graph, Pool& pool);
Result<bool> fuse_conv(IrGraph& graph, Pool& pool);
Result<bool> fuse_activations(IrGraph& graph, Pool& pool);
Result<bool> fuse_shuffle(IrGraph& graph, Pool& pool);
Result<bool> fuse_qdq(IrGraph& graph, Pool& pool);
Result<bool> fuse_pad(IrGraph& graph, Pool& pool);
Result<bool> fuse_attention(IrGraph& graph, Pool& pool);
Result<bool> fuse_matmul(IrGraph& graph, Pool& pool);
Result<bool> fuse_normalizations(IrGraph& graph, Pool& pool);

}  // namespace onnxlet
