// Where tensor bytes come from. Everything that can be large goes through here, so that a refusal is an error value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/heap.h"
#include "base/status.h"

namespace onnxlet {

// Where each allocation of a run goes, learnt from an earlier run with the same input shapes: the n-th allocation is
// plan.offsets[n] in the arena.
struct MemoryPlan {
  std::vector<Lifetime> blocks;
  ArenaPlan arena;
};

// Caching allocator of one session: freed small blocks are kept by size and handed out again. Made with `new`, ended
// with retire(): values that a host still holds keep it alive until their last byte is released.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // nullptr when the limit or the machine refuses. Aligned to kAlignment; contents undefined.
  void* allocate(size_t bytes);
  static void release(void* block);
  void trim();  // gives cached blocks back
  void retire();

  // Between begin_* and end_run every allocation counts. Recording notes its size and lifetime; replaying takes it from
  // one arena. An allocation that does not fit the plan (another branch was taken, a value lives longer) comes from the
  // cache as usual: the arena never hands out bytes that are in use.
  void begin_recording();
  void begin_replay(const MemoryPlan& plan);
  // The plan learnt by a recorded run; empty after a replayed one.
  MemoryPlan end_run();

  void set_limit(uint64_t bytes) { limit_ = bytes; }                // 0: none
  void set_limit_of_one(uint64_t bytes) { limit_of_one_ = bytes; }  // for a single tensor
  // Why allocate() has refused so many bytes.
  Status refusal(uint64_t bytes) const;
  uint64_t in_use() const { return in_use_; }
  uint64_t peak() const { return peak_; }
  uint64_t arena_bytes() const { return arena_bytes_; }

 private:
  struct Block;
  ~Pool();
  void* allocate_cached(size_t bytes);
  void* allocate_planned(size_t bytes, size_t sequence);
  Block* make_block(size_t bytes, int size_class);
  bool reserve_arena(uint64_t bytes);
  void count(uint64_t bytes);

  static constexpr int kClasses = 41;  // up to 64 kB
  Block* free_[kClasses] = {};
  uint64_t limit_ = 0, limit_of_one_ = 0, in_use_ = 0, peak_ = 0, cached_ = 0;
  int64_t live_ = 0;  // blocks handed out
  bool retired_ = false;

  enum class Mode : uint8_t { kPlain, kRecording, kReplaying } mode_ = Mode::kPlain;
  uint32_t epoch_ = 0;    // of the recording, so that blocks of an earlier one are not mistaken for its own
  int64_t sequence_ = 0;  // allocations since begin_*
  MemoryPlan recorded_;
  const MemoryPlan* plan_ = nullptr;
  void* arena_ = nullptr;
  uint64_t arena_bytes_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> arena_live_;  // [begin, end) offsets in use
};

struct PoolRetirer {
  void operator()(Pool* pool) const { pool->retire(); }
};
using PoolPtr = std::unique_ptr<Pool, PoolRetirer>;

// Of values that belong to no session: what hosts make to feed one.
Pool& host_pool();

// Test hook: the n-th allocation from now on (1 = the next) is refused; 0 turns it off. Answers how many were left to
// go of the count before.
int64_t fail_allocation_after(int64_t n);

}  // namespace onnxlet
