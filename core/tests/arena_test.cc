#include "base/arena.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/memory.h"
#include "tests/check.h"

using namespace onnxlet;

namespace {

uint64_t random_state = 7;
uint64_t draw(uint64_t below) {  // a small xorshift: the same blocks on every machine
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % below;
}

}  // namespace

TEST(arena_blocks_that_live_together_never_overlap) {
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> blocks(draw(40));
    for (Lifetime& b : blocks) {
      b.first = static_cast<int64_t>(draw(50));
      b.last = b.first + static_cast<int64_t>(draw(10));
      b.bytes = draw(5) == 0 ? 0 : draw(1000);
    }
    const ArenaPlan plan = plan_arena(blocks, 64);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].bytes == 0) {
        CHECK_EQ(plan.offsets[i], ArenaPlan::kUnplanned);
        continue;
      }
      CHECK_EQ(plan.offsets[i] % 64, uint64_t{0});
      CHECK(plan.offsets[i] + blocks[i].bytes <= plan.bytes);
      for (size_t k = 0; k < i; ++k) {
        const bool together =
            blocks[k].bytes != 0 && blocks[k].first <= blocks[i].last && blocks[i].first <= blocks[k].last;
        const bool apart = plan.offsets[k] >= plan.offsets[i] + blocks[i].bytes ||
                           plan.offsets[i] >= plan.offsets[k] + blocks[k].bytes;
        CHECK(!together || apart);
      }
    }
  }
}

TEST(arena_reuses_bytes_of_the_dead) {
  const Lifetime blocks[] = {{0, 1, 640}, {2, 3, 640}, {1, 2, 64}};
  const ArenaPlan plan = plan_arena(blocks, 64);
  CHECK_EQ(plan.bytes, uint64_t{704});
  CHECK_EQ(plan.offsets[0], plan.offsets[1]);
}

TEST(pool_replays_a_recorded_run_in_one_arena) {
  PoolPtr pool(new Pool);
  const auto run = [&] {  // three buffers, at most two at once; the last one outlives the run
    void* a = pool->allocate(1000);
    void* b = pool->allocate(2000);
    Pool::release(a);
    void* c = pool->allocate(900);
    Pool::release(b);
    Pool::release(c);
    return pool->allocate(100);
  };
  pool->begin_recording();
  void* kept = run();
  const MemoryPlan plan = pool->end_run();
  Pool::release(kept);
  CHECK_EQ(plan.blocks.size(), size_t{4});
  CHECK_EQ(plan.blocks[3].bytes, uint64_t{0});
  pool->begin_replay(plan);
  void* again = run();
  pool->end_run();
  CHECK_EQ(pool->arena_bytes(), plan.arena.bytes);
  Pool::release(again);
}

TEST(pool_replay_keeps_bytes_that_live_longer_than_before) {
  PoolPtr pool(new Pool);
  pool->begin_recording();
  Pool::release(pool->allocate(256));
  Pool::release(pool->allocate(256));
  const MemoryPlan plan = pool->end_run();
  pool->begin_replay(plan);
  void* first = pool->allocate(256);
  std::memset(first, 1, 256);
  void* second = pool->allocate(256);  // planned at the same offset, but the first is still in use
  std::memset(second, 2, 256);
  CHECK_EQ(static_cast<int>(static_cast<char*>(first)[255]), 1);
  Pool::release(first);
  Pool::release(second);
  pool->end_run();
}

TEST(pool_refuses_beyond_its_limit_and_recovers) {
  PoolPtr pool(new Pool);
  pool->set_limit(4096);
  void* a = pool->allocate(3000);
  CHECK(a != nullptr);
  CHECK(pool->allocate(3000) == nullptr);
  Pool::release(a);
  void* b = pool->allocate(2500);
  CHECK(b != nullptr);
  Pool::release(b);
}

TEST(pool_outlives_its_session_while_a_value_is_held) {
  PoolPtr pool(new Pool);
  void* held = pool->allocate(128);
  pool.reset();
  std::memset(held, 3, 128);
  Pool::release(held);  // the sanitizers see a leak or a double free here if the hand-over is wrong
  CHECK(true);
}
