#include "base/parallel.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/check.h"
#include "tests/crew.h"
#include "tests/random.h"

using namespace onnxlet;

TEST(parallel_for_covers_each_index_once_at_any_worker_count) {
  test::Crew::start();
  for (int workers : {0, 1, 3, 2, 0, 3}) {
    set_worker_count(workers);
    CHECK_EQ(worker_count(), workers);
    for (int64_t n : {0, 1, 31, 1000, 4099}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
      std::atomic<bool> aligned{true};
      parallel_for(n, 7, [&](int64_t begin, int64_t end) {
        if (begin % 7 != 0 || (end - begin != 7 && end != n)) aligned = false;
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      bool once = true;
      for (const auto& v : visits) once = once && v == 1;
      CHECK(once);
      CHECK(aligned);
    }
  }
  set_worker_count(0);
}

// Workers that are late, that stay in a chunk for long, that come and go; each job writes what the next one reads.
TEST(parallel_for_under_random_schedules) {
  test::Crew::start();
  RandomBytes random;
  std::vector<int64_t> values(997), doubled(values.size());
  bool right = true;
  for (int round = 0; round < 400; ++round) {
    set_worker_count(static_cast<int>(random.next() % (test::Crew::kWorkers + 1)));
    const auto n = static_cast<int64_t>(1 + random.next() % values.size());
    const auto grain = static_cast<int64_t>(1 + random.next() % 64);
    const uint64_t pauses = uint64_t{random.next()} << 40 | uint64_t{random.next()} << 16 | random.next();
    const auto pause = [&](int64_t begin) {
      if ((pauses >> (begin / grain % 64) & 1) != 0) std::this_thread::yield();
    };
    parallel_for(n, grain, [&](int64_t begin, int64_t end) {
      pause(begin);
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] = i + round;
    });
    parallel_for(n, 1 + grain / 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        doubled[static_cast<size_t>(i)] = 2 * values[static_cast<size_t>(n - 1 - i)];
      pause(begin);
    });
    for (int64_t i = 0; i < n; ++i) right = right && doubled[static_cast<size_t>(i)] == 2 * (n - 1 - i + round);
  }
  CHECK(right);
  set_worker_count(0);
}

TEST(claimed_bits_are_apart) {
  test::Crew::start();
  set_worker_count(test::Crew::kWorkers);
  uint64_t word = 0;
  std::vector<int> users(64);  // not atomic: whoever has a bit is alone with its entry
  parallel_for(4000, 1, [&](int64_t, int64_t) {
    const uint64_t bit = claim_bit(&word);
    ++users[static_cast<size_t>(__builtin_ctzll(bit))];
    release_bit(&word, bit);
  });
  int total = 0;
  for (const int n : users) total += n;
  CHECK_EQ(total, 4000);
  CHECK_EQ(word, uint64_t{0});
  set_worker_count(0);
}
