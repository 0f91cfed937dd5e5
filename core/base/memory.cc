#include "base/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace onnxlet {

// Header in front of every block; kAlignment bytes so that the payload stays aligned.
struct Pool::Block {
  Block* next;
  Pool* pool;
  uint64_t bytes;  // payload
  void* base;      // what malloc gave
  int size_class;
};

namespace {

int64_t fail_countdown = 0;

bool refuse_for_test() { return fail_countdown > 0 && --fail_countdown == 0; }

// Four classes per power of two: at most 25 % is lost to rounding.
int class_of(uint64_t bytes, uint64_t* rounded) {
  constexpr uint64_t kSmallest = 64;
  if (bytes <= kSmallest) {
    *rounded = kSmallest;
    return 0;
  }
  const int power = 63 - std::countl_zero(bytes - 1);  // 2^power < bytes <= 2^(power+1)
  const uint64_t quarter = (uint64_t{1} << power) / 4;
  const uint64_t steps = (bytes - (uint64_t{1} << power) + quarter - 1) / quarter;  // 1..4
  *rounded = (uint64_t{1} << power) + steps * quarter;
  return (power - 6) * 4 + static_cast<int>(steps);
}

}  // namespace

void fail_allocation_after(int64_t n) { fail_countdown = n; }

void* Pool::allocate(size_t bytes) {
  uint64_t rounded = 0;
  const int size_class = class_of(bytes, &rounded);
  if (refuse_for_test() || size_class >= kClasses) return nullptr;
  if (limit_ != 0 && in_use_ + rounded > limit_) return nullptr;
  Block* block = free_[size_class];
  if (block != nullptr) {
    free_[size_class] = block->next;
    cached_ -= block->bytes;
  } else {
    static_assert(sizeof(Block) <= kAlignment);
    if (rounded > SIZE_MAX - 2 * kAlignment) return nullptr;
    if (limit_ != 0 && in_use_ + cached_ + rounded > limit_) trim();
    const size_t total = static_cast<size_t>(rounded) + 2 * kAlignment;
    void* base = std::malloc(total);
    if (base == nullptr) {
      trim();
      base = std::malloc(total);
      if (base == nullptr) return nullptr;
    }
    const uintptr_t payload = (reinterpret_cast<uintptr_t>(base) + 2 * kAlignment - 1) / kAlignment * kAlignment;
    block = reinterpret_cast<Block*>(payload - kAlignment);
    *block = {nullptr, this, rounded, base, size_class};
  }
  in_use_ += block->bytes;
  peak_ = std::max(peak_, in_use_);
  return reinterpret_cast<char*>(block) + kAlignment;
}

void Pool::release(void* payload) {
  if (payload == nullptr) return;
  auto* block = reinterpret_cast<Block*>(static_cast<char*>(payload) - kAlignment);
  Pool& pool = *block->pool;
  pool.in_use_ -= block->bytes;
  pool.cached_ += block->bytes;
  block->next = pool.free_[block->size_class];
  pool.free_[block->size_class] = block;
  if (pool.retired_) {
    pool.trim();
    if (pool.in_use_ == 0) delete &pool;
  }
}

void Pool::trim() {
  for (Block*& head : free_) {
    while (head != nullptr) {
      Block* block = head;
      head = block->next;
      std::free(block->base);
    }
  }
  cached_ = 0;
}

void Pool::retire() {
  trim();
  retired_ = true;
  if (in_use_ == 0) delete this;
}

Pool& host_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace onnxlet
