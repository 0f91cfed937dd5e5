// Where tensor bytes come from. Everything that can be large goes through here, so that a refusal is an error value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"

namespace onnxlet {

inline constexpr size_t kAlignment = 64;

// Caching allocator of one session: freed blocks are kept by size and handed out again. Made with `new`, ended with
// retire(): values that a host still holds keep it alive until their last byte is released.
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

  void set_limit(uint64_t bytes) { limit_ = bytes; }  // 0: none
  uint64_t in_use() const { return in_use_; }
  uint64_t peak() const { return peak_; }

 private:
  struct Block;
  static constexpr int kClasses = 160;
  Block* free_[kClasses] = {};
  uint64_t limit_ = 0, in_use_ = 0, peak_ = 0, cached_ = 0;
  bool retired_ = false;
};

struct PoolRetirer {
  void operator()(Pool* pool) const { pool->retire(); }
};
using PoolPtr = std::unique_ptr<Pool, PoolRetirer>;

// Of values that belong to no session: what hosts make to feed one.
Pool& host_pool();

// Test hook: the n-th allocation from now on (1 = the next) is refused; 0 turns it off.
void fail_allocation_after(int64_t n);

}  // namespace onnxlet
