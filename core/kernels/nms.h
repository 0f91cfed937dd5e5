#pragma once

#include <cstdint>

namespace onnxlet {

struct Box {
  float y1, x1, y2, x2;  // ordered: y1 <= y2, x1 <= x2
};

// Boxes that were kept, field by field: y1, x1, y2, x2 and the area, `stride` floats (a multiple of 4) apart. What lies
// behind the n boxes is zero.
inline constexpr int kBoxFields = 5;
struct KeptBoxes {
  float* fields;
  int64_t stride, n = 0;
  void add(const Box& box);
};

// Is the intersection over union of `box` and any of those kept above the threshold?
bool overlaps_any(const Box& box, const KeptBoxes& kept, float threshold);

}  // namespace onnxlet
