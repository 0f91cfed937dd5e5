#pragma once

#include <cstdint>

namespace onnxlet {

struct Box {
  float y1, x1, y2, x2;  // ordered: y1 <= y2, x1 <= x2
};

// Is the intersection over union of `box` and any of `kept` above the threshold?
bool overlaps_any(const Box& box, const Box* kept, int64_t n, float threshold);

}  // namespace onnxlet
