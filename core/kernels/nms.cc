#include "kernels/nms.h"

#include <algorithm>

namespace onnxlet {

bool overlaps_any(const Box& box, const Box* kept, int64_t n, float threshold) {
  const float area = (box.y2 - box.y1) * (box.x2 - box.x1);
  if (!(area > 0)) return false;
  for (int64_t i = 0; i < n; ++i) {
    const Box& k = kept[i];
    const float h = std::min(box.y2, k.y2) - std::max(box.y1, k.y1);
    const float w = std::min(box.x2, k.x2) - std::max(box.x1, k.x1);
    if (!(h > 0 && w > 0)) continue;
    const float other = (k.y2 - k.y1) * (k.x2 - k.x1), common = h * w, all = area + other - common;
    if (other > 0 && all > 0 && common / all > threshold) return true;
  }
  return false;
}

}  // namespace onnxlet
