// Three workers for the tests that need threads, and for all of them with -t. They live until the process ends:
// stopping is final.
#pragma once

#include <thread>
#include <vector>

#include "base/parallel.h"

namespace onnxlet::test {

class Crew {
 public:
  static constexpr int kWorkers = 3;
  // Started by the first test that asks; no worker takes part until set_worker_count says so.
  static void start() { static Crew crew; }

 private:
  Crew() {
    for (int i = 1; i <= kWorkers; ++i) threads_.emplace_back([i] { worker_main(i); });
    while (workers_ready() < kWorkers) std::this_thread::yield();
  }
  ~Crew() {
    stop_workers();
    for (std::thread& t : threads_) t.join();
  }
  std::vector<std::thread> threads_;
};

}  // namespace onnxlet::test
