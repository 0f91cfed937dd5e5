// A parsed model becomes the graph that passes and plan work on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace onnxlet {

// What the host asked for when it made the session.
struct GraphOptions {
  int level = 2;  // 0 none, 1 basic, 2 all
  std::vector<std::string> disabled_passes;
  bool function_bodies = false;  // the bodies of the specification also where there is a kernel
  std::vector<std::pair<std::string, int64_t>> free_dimensions;
  std::vector<std::pair<std::string, std::string>> custom_ops;  // domain, op_type
};

// Whether every host is asked for this operator, as if it were a custom one: it needs what this build has not (codecs).
bool runs_on_host(std::string_view domain, std::string_view op_type);

// Builds the graph of `model`: inlines model-local functions and, for operators without a kernel, the function bodies
// of the specification; checks every node against its schema; promotes attributes that later became inputs. All
// problems are reported at once. The result points into `model` and its bytes.
Result<std::unique_ptr<IrGraph>> build_graph(Model& model, const GraphOptions& options, Pool& pool);

// Graph inputs that the caller must feed, and those with a default (an initializer of the same name).
struct GraphInterface {
  std::vector<const ValueInfo*> inputs, outputs, overridable;
};
GraphInterface graph_interface(const Model& model);

// Reorders nodes so that each comes after those it reads from. The error names a node of a cycle.
Status sort_nodes(Graph& graph);

}  // namespace onnxlet
