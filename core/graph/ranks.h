// How many axes values have, as far as the nodes tell without running.
#pragma once

#include <optional>
#include <vector>

#include "ir/ir.h"

namespace onnxlet {

struct Ranks {
  static constexpr int kUnknown = -1;
  std::vector<int> exact;  // per value; kUnknown where it depends on what is not known
  std::vector<int> least;  // per value; 0 when nothing is known
};
Ranks infer_ranks(const IrGraph& graph);

// The type of an input of the model that declares a shape; else nullptr.
const TypeSpec* declared_shape(const IrGraph& graph, ValueId id);

}  // namespace onnxlet
