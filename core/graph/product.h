// A matrix product as the passes see it: MatMul, or what an earlier rewrite made of one.
#pragma once

#include <optional>
#include <vector>

#include "graph/match.h"

namespace onnxlet {

struct Product {
  std::vector<ValueId> inputs;  // A, B and perhaps a summand per column
  float alpha = 1;
  int64_t trans_a = 0, trans_b = 0;
};

std::optional<Product> product_of(const IrNode* n);

}  // namespace onnxlet
