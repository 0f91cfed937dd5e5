#include "base/parallel.h"

#include <atomic>
#include <vector>

#include "tests/check.h"
#include "tests/crew.h"

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
