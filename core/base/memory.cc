#include "base/memory.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "base/trim.h"

namespace onnxlet {

// Header in front of every block; kAlignment bytes so that the payload stays aligned.
struct Pool::Block {
  Block* next;
  Pool* pool;
  uint64_t bytes;    // payload
  int64_t sequence;  // in the recording of `epoch`
  uint32_t epoch;
  int size_class;  // or one of the following
};

namespace {

constexpr int kArenaClass = -1;  // lies in the arena
constexpr int kLargeClass = -2;  // is given back at once: the heap joins what is free

int64_t fail_countdown = 0;

bool refuse_for_test() { return fail_countdown > 0 && --fail_countdown == 0; }

// Four classes per power of two, so that at most 25 % is lost to rounding.
int class_of(uint64_t bytes, uint64_t* rounded) {
  constexpr uint64_t kSmallest = 64, kLargest = 1 << 16;
  if (bytes > kLargest) {
    *rounded = bytes;
    return kLargeClass;
  }
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

char* payload_of(void* block) { return static_cast<char*>(block) + kAlignment; }

}  // namespace

int64_t fail_allocation_after(int64_t n) { return std::exchange(fail_countdown, n); }

Pool::~Pool() {
  trim();
  release_bytes(arena_);
}

void Pool::count(uint64_t bytes) {
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
}

void* Pool::allocate(size_t bytes) {
  if (refuse_for_test() || (limit_of_one_ != 0 && bytes > limit_of_one_ + kAlignment)) return nullptr;
  const int64_t sequence = sequence_++;
  void* payload = nullptr;
  if (trim::kMemoryPlan && mode_ == Mode::kReplaying) payload = allocate_planned(bytes, static_cast<size_t>(sequence));
  if (payload == nullptr) payload = allocate_cached(bytes);
  if (payload == nullptr) return nullptr;
  ++live_;
  if (trim::kMemoryPlan && mode_ == Mode::kRecording) {
    auto* block = reinterpret_cast<Block*>(static_cast<char*>(payload) - kAlignment);
    block->sequence = sequence;
    block->epoch = epoch_;
    recorded_.blocks.resize(static_cast<size_t>(sequence) + 1);  // a refused allocation leaves a gap
    recorded_.blocks.back() = {sequence, -1, bytes + kAlignment};
  }
  return payload;
}

Status Pool::refusal(uint64_t bytes) const {
  std::string_view who = "the machine";
  uint64_t limit = 0;
  if (limit_of_one_ != 0 && bytes > limit_of_one_) {
    who = "max_tensor_bytes", limit = limit_of_one_;
  } else if (limit_ != 0 && in_use_ + bytes > limit_) {
    who = "max_memory", limit = limit_;
  }
  return out_of_memory(bytes, " bytes were refused: ", in_use_, " are in use, and ", who, " allows ",
                       limit == 0 ? std::string("no more") : text(limit));
}

void* Pool::allocate_cached(size_t bytes) {
  uint64_t rounded = 0;
  const int size_class = class_of(bytes, &rounded);
  if (limit_ != 0 && in_use_ + rounded > limit_) return nullptr;
  Block* block = size_class >= 0 ? free_[size_class] : nullptr;
  if (block != nullptr) {
    free_[size_class] = block->next;
    cached_ -= block->bytes;
  } else {
    if (limit_ != 0 && in_use_ + cached_ + rounded > limit_) trim();
    if (rounded > SIZE_MAX - kAlignment) return nullptr;
    block = make_block(static_cast<size_t>(rounded), size_class);
    if (block == nullptr) {
      trim();
      block = make_block(static_cast<size_t>(rounded), size_class);
    }
    if (block == nullptr) return nullptr;
  }
  block->epoch = 0;
  count(block->bytes);
  return payload_of(block);
}

Pool::Block* Pool::make_block(size_t bytes, int size_class) {
  static_assert(sizeof(Block) <= kAlignment);
  void* memory = allocate_bytes(bytes + kAlignment);
  if (memory == nullptr) return nullptr;
  auto* block = static_cast<Block*>(memory);
  *block = {nullptr, this, bytes, 0, 0, size_class};
  return block;
}

void* Pool::allocate_planned(size_t bytes, size_t sequence) {
  if (sequence >= plan_->blocks.size()) return nullptr;
  const uint64_t begin = plan_->arena.offsets[sequence];
  if (begin == ArenaPlan::kUnplanned || bytes + kAlignment > plan_->blocks[sequence].bytes) return nullptr;
  const uint64_t end = begin + kAlignment + bytes;
  for (const auto& [b, e] : arena_live_) {
    if (begin < e && b < end) return nullptr;
  }
  arena_live_.emplace_back(begin, end);
  auto* block = reinterpret_cast<Block*>(static_cast<char*>(arena_) + begin);
  *block = {nullptr, this, bytes, 0, 0, kArenaClass};
  return payload_of(block);
}

void Pool::release(void* payload) {
  if (payload == nullptr) return;
  auto* block = reinterpret_cast<Block*>(static_cast<char*>(payload) - kAlignment);
  Pool& pool = *block->pool;
  --pool.live_;
  if (trim::kMemoryPlan && block->size_class == kArenaClass) {
    const auto begin = static_cast<uint64_t>(reinterpret_cast<char*>(block) - static_cast<char*>(pool.arena_));
    std::erase_if(pool.arena_live_, [&](const auto& range) { return range.first == begin; });
  } else {
    if (trim::kMemoryPlan && pool.mode_ == Mode::kRecording && block->epoch == pool.epoch_) {
      pool.recorded_.blocks[static_cast<size_t>(block->sequence)].last = pool.sequence_ - 1;
    }
    pool.in_use_ -= block->bytes;
    if (block->size_class == kLargeClass) {
      release_bytes(block);
    } else {
      pool.cached_ += block->bytes;
      block->next = pool.free_[block->size_class];
      pool.free_[block->size_class] = block;
    }
  }
  if (pool.retired_) {
    pool.trim();
    if (pool.live_ == 0) delete &pool;
  }
}

void Pool::trim() {
  for (Block*& head : free_) {
    while (head != nullptr) {
      Block* block = head;
      head = block->next;
      release_bytes(block);
    }
  }
  cached_ = 0;
}

void Pool::retire() {
  trim();
  retired_ = true;
  if (live_ == 0) delete this;
}

void Pool::begin_recording() {
  mode_ = Mode::kRecording;
  ++epoch_;
  sequence_ = 0;
  recorded_ = {};
}

bool Pool::reserve_arena(uint64_t bytes) {
  if (bytes <= arena_bytes_) return true;
  if (!arena_live_.empty()) return false;  // a host still holds a value in the smaller one
  if (bytes > SIZE_MAX - kAlignment || (limit_ != 0 && in_use_ - arena_bytes_ + bytes > limit_)) return false;
  trim();
  release_bytes(arena_);
  in_use_ -= arena_bytes_;
  arena_bytes_ = 0;
  arena_ = refuse_for_test() ? nullptr : allocate_bytes(static_cast<size_t>(bytes));
  if (arena_ == nullptr) return false;
  arena_bytes_ = bytes;
  count(bytes);
  return true;
}

void Pool::begin_replay(const MemoryPlan& plan) {
  mode_ = reserve_arena(plan.arena.bytes) ? Mode::kReplaying : Mode::kPlain;
  plan_ = &plan;
  sequence_ = 0;
}

MemoryPlan Pool::end_run() {
  MemoryPlan learnt;
  if (mode_ == Mode::kRecording) {
    learnt = std::move(recorded_);
    for (Lifetime& block : learnt.blocks) {
      if (block.last < 0) block.bytes = 0;  // outlives the run: an output
    }
    learnt.arena = plan_arena(learnt.blocks, kAlignment);
  }
  mode_ = Mode::kPlain;
  plan_ = nullptr;
  return learnt;
}

Pool& host_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace onnxlet
