// Gradient (ai.onnx.preview.training) never runs: a node of it is replaced by the nodes that compute the derivatives,
// in reverse mode, through the nodes between the values it names.
#pragma once

#include "graph/check.h"
#include "ir/ir.h"

namespace onnxlet {

bool is_gradient(std::string_view domain, std::string_view op_type);

// Replaces every Gradient node, in subgraphs too. The inputs of one are what the model gives it, then the values that
// its attributes xs, zs and y name. Types must have been inferred. What cannot be differentiated is a problem.
Status expand_gradients(IrGraph& graph, Model& model, Pool& pool, Problems* problems);

}  // namespace onnxlet
