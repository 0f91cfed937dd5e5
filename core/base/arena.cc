#include "base/arena.h"

#include <algorithm>
#include <numeric>

#include "base/sort.h"

namespace onnxlet {

ArenaPlan plan_arena(std::span<const Lifetime> blocks, uint64_t alignment) {
  ArenaPlan plan;
  plan.offsets.assign(blocks.size(), ArenaPlan::kUnplanned);
  std::vector<int64_t> order(blocks.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto bytes_of = [&](int64_t i) { return blocks[static_cast<size_t>(i)].bytes; };
  sort_by(order.data(), static_cast<int64_t>(order.size()),
          [&](int64_t a, int64_t b) { return bytes_of(a) != bytes_of(b) ? bytes_of(a) > bytes_of(b) : a < b; });
  std::vector<size_t> placed;  // by offset
  for (const int64_t index : order) {
    const auto i = static_cast<size_t>(index);
    const Lifetime& block = blocks[i];
    if (block.bytes == 0) continue;
    const uint64_t bytes = (block.bytes + alignment - 1) / alignment * alignment;
    uint64_t offset = 0;
    for (size_t other : placed) {
      const Lifetime& o = blocks[other];
      if (o.last < block.first || block.last < o.first) continue;
      if (plan.offsets[other] >= offset + bytes) break;  // the gap before it holds the block
      const uint64_t end = plan.offsets[other] + (o.bytes + alignment - 1) / alignment * alignment;
      offset = std::max(offset, end);
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                     [&](uint64_t o, size_t p) { return o < plan.offsets[p]; });
    placed.insert(at, i);
  }
  return plan;
}

}  // namespace onnxlet
