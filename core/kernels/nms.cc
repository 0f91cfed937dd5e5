#include "kernels/nms.h"

#include "simd/f32.h"

namespace onnxlet {
namespace {

float area_of(const Box& b) { return (b.y2 - b.y1) * (b.x2 - b.x1); }

}  // namespace

void KeptBoxes::add(const Box& box) {
  const float values[kBoxFields] = {box.y1, box.x1, box.y2, box.x2, area_of(box)};
  for (int f = 0; f < kBoxFields; ++f) fields[f * stride + n] = values[f];
  ++n;
}

bool overlaps_any(const Box& box, const KeptBoxes& kept, float threshold) {
  using simd::F32;
  const float area = area_of(box);
  if (!(area > 0)) return false;
  const F32 y1 = F32::splat(box.y1), x1 = F32::splat(box.x1), y2 = F32::splat(box.y2), x2 = F32::splat(box.x2);
  const F32 zero = F32::splat(0), limit = F32::splat(threshold), mine = F32::splat(area);
  for (int64_t i = 0; i < kept.n; i += F32::kLanes) {
    const auto field = [&](int f) { return F32::load(kept.fields + f * kept.stride + i); };
    const F32 h = min(y2, field(2)) - max(y1, field(0)), w = min(x2, field(3)) - max(x1, field(1));
    const auto meets = (zero < h) & (zero < w);
    if (!any(meets)) continue;
    const F32 other = field(4), common = h * w, all = mine + other - common;
    if (any(meets & (zero < other) & (zero < all) & (limit < common / all))) return true;
  }
  return false;
}

}  // namespace onnxlet
