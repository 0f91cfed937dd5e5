// How a reduction over any axes becomes reductions over one.
#pragma once

#include <vector>

#include "base/shape.h"

namespace onnxlet {

// The passes that reduce `reduced` axes of `shape`, innermost group of neighbours first. Each works on the result of
// the one before. None where no axis is reduced.
inline std::vector<Rows> reduction_passes(const Shape& shape, const std::vector<bool>& reduced) {
  std::vector<Rows> passes;
  int64_t inner = 1;
  for (int axis = shape.rank() - 1; axis >= 0;) {
    if (!reduced[static_cast<size_t>(axis)]) {
      inner *= shape[axis--];
      continue;
    }
    int64_t n = 1;
    while (axis >= 0 && reduced[static_cast<size_t>(axis)]) n *= shape[axis--];
    passes.push_back({shape.product(0, axis + 1), n, inner});
  }
  return passes;
}

}  // namespace onnxlet
