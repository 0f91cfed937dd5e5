// Running sums and products along the middle axis of [outer, n, inner].
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace onnxlet {

struct CumulativeSpec {
  bool product, exclusive, reverse;
};
// float, double and the 32 and 64 bit integers, which wrap. Floats are carried in double.
void cumulative(const CumulativeSpec& spec, DType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* y);

}  // namespace onnxlet
