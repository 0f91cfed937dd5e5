#include "base/heap.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/check.h"

namespace onnxlet {
namespace {

constexpr size_t kPage = 1 << 16;

// Stands for the machine: grows within one buffer, from `begin` on, up to `limit` bytes.
struct Machine {
  char* begin = nullptr;
  size_t used = 0, limit = 0;
  int calls = 0;
  bool gap = false;  // the next piece does not follow the last one

  explicit Machine(size_t bytes) : begin(static_cast<char*>(std::aligned_alloc(kPage, bytes))), limit(bytes) {}
  ~Machine() { std::free(begin); }
};
Machine* machine = nullptr;

void* grow(size_t bytes, size_t* got) {
  const size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  if (machine->gap) machine->used += kPage;
  machine->gap = false;
  if (machine->used + rounded > machine->limit) return nullptr;
  ++machine->calls;
  *got = rounded;
  machine->used += rounded;
  return machine->begin + machine->used - rounded;
}

}  // namespace

TEST(heap_blocks_never_overlap_and_join_when_freed) {
  Machine m(64 << 20);
  machine = &m;
  Heap heap(grow);
  struct Block {
    uint8_t* data;
    size_t bytes;
    uint8_t mark;
  };
  std::vector<Block> blocks;
  uint32_t seed = 5;
  const auto next = [&](uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
  };
  for (int i = 0; i < 2000; ++i) {
    if (blocks.size() < 40 && next(3) != 0) {
      const size_t bytes = kPage + next(600000);
      auto* data = static_cast<uint8_t*>(heap.allocate(bytes));
      CHECK(data != nullptr);
      CHECK_EQ(reinterpret_cast<uintptr_t>(data) % kAlignment, uintptr_t{0});
      const auto mark = static_cast<uint8_t>(i);
      std::fill_n(data, bytes, mark);
      blocks.push_back({data, bytes, mark});
    } else if (!blocks.empty()) {
      const size_t at = next(static_cast<uint32_t>(blocks.size()));
      const Block b = blocks[at];
      bool whole = true;
      for (size_t k = 0; k < b.bytes; ++k) whole = whole && b.data[k] == b.mark;
      CHECK(whole);
      heap.release(b.data);
      blocks[at] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block& b : blocks) heap.release(b.data);
  CHECK_EQ(heap.free_bytes(), m.used);
  const int calls = m.calls;
  void* all = heap.allocate(m.used - kAlignment);
  CHECK(all != nullptr);
  CHECK_EQ(m.calls, calls);
}

TEST(heap_asks_the_machine_for_what_is_lacking) {
  Machine m(16 << 20);
  machine = &m;
  Heap heap(grow);
  heap.release(heap.allocate(10 * kPage));
  CHECK(heap.allocate(20 * kPage) != nullptr);
  CHECK_EQ(m.used, 21 * kPage);  // its header takes a granule of one page more
}

TEST(heap_lives_with_others_that_grow_the_memory) {
  Machine m(16 << 20);
  machine = &m;
  Heap heap(grow);
  heap.release(heap.allocate(10 * kPage));
  m.gap = true;
  CHECK(heap.allocate(20 * kPage) != nullptr);
  CHECK(heap.allocate(9 * kPage) != nullptr);  // the first piece is still of use
  CHECK_EQ(m.calls, 3);
}

TEST(heap_refuses_what_the_machine_refuses) {
  Machine m(1 << 20);
  machine = &m;
  Heap heap(grow);
  CHECK(heap.allocate(2 << 20) == nullptr);
  void* block = heap.allocate(1 << 19);
  CHECK(block != nullptr);
  CHECK(heap.allocate(1 << 19) == nullptr);  // no room for its header
  heap.release(block);
  CHECK(heap.allocate(1 << 19) != nullptr);
}

}  // namespace onnxlet
