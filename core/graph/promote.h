#pragma once

#include "ir/ir.h"

namespace onnxlet {

// Attributes that a later version of the operator turned into inputs become constant inputs, so that kernels see one
// form (Clip's min and max, Squeeze's axes, Slice's starts ...).
Status promote_attributes(IrNode* node, IrGraph* graph, Pool& pool);

}  // namespace onnxlet
