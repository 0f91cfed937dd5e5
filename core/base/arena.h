// The memory planner: a pure function from lifetimes to offsets, for engine memory and GPU buffers alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace onnxlet {

// A block that is in use during the steps [first, last].
struct Lifetime {
  int64_t first = 0, last = 0;
  uint64_t bytes = 0;  // 0: not planned
};

struct ArenaPlan {
  std::vector<uint64_t> offsets;  // beside the lifetimes; kUnplanned where bytes is 0
  uint64_t bytes = 0;             // of the whole arena
  static constexpr uint64_t kUnplanned = UINT64_MAX;
};

// Blocks whose lifetimes overlap get ranges that do not. Largest first, each into the lowest gap that holds it
// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020: greedy by size).
ArenaPlan plan_arena(std::span<const Lifetime> blocks, uint64_t alignment);

}  // namespace onnxlet
