#include "threads.h"

#if defined(__wasm__)

namespace runner {
int start_threads(int) { return 1; }
}  // namespace runner

#else

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "abi/onnxlet.h"

namespace runner {
namespace {

constexpr int kMostByDefault = 8, kMost = 256;
constexpr size_t kStack = 1 << 20;  // the C library's own choice may be far less

// The cores that this process may use.
int cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::clamp(CPU_COUNT(&set), 1, kMostByDefault);
}

void* work(void* index) {
  ol_worker_main(static_cast<int32_t>(reinterpret_cast<intptr_t>(index)));
  return nullptr;
}

}  // namespace

int start_threads(int wanted) {
  const int workers = (wanted == 0 ? cores() : std::min(wanted, kMost)) - 1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  int started = 0;
  for (pthread_t thread; started < workers; ++started) {
    if (pthread_create(&thread, &attributes, work, reinterpret_cast<void*>(static_cast<intptr_t>(started + 1))) != 0)
      break;  // fewer threads give the same answer
    pthread_detach(thread);
  }
  pthread_attr_destroy(&attributes);
  while (ol_workers_ready() < started) sched_yield();
  ol_set_workers(started);
  return started + 1;
}

}  // namespace runner

#endif
