// What is known of every value before the model runs: kind and element type.
#pragma once

#include "graph/check.h"
#include "ir/ir.h"

namespace onnxlet {

// Sets IrValue::type throughout, from the inputs' and constants' types on, and reports every node whose arguments have
// types that its schema does not allow or that this build has no kernel for. What cannot be known stays unknown and is
// no problem: running checks it.
void infer_types(IrGraph& graph, Problems* problems);

// The same for one node of the graph whose inputs have their types.
void infer_node(IrGraph& graph, IrNode& node, Problems* problems);

// The type of output i whose schema leaves it open: by attributes, by the element of an input ...
// Operators with subgraphs are not among these.
ValueType ruled_output_type(const IrGraph& graph, const IrNode& node, size_t i);

}  // namespace onnxlet
