// A fork-join pool without a threading library. The caller publishes a job, workers take chunks by an atomic counter,
// and the caller joins in. Workers spin briefly, then sleep on a futex (wasm memory.atomic.wait32; the platform's own
// in the native build).
#include "base/parallel.h"

#include <atomic>

namespace onnxlet {
namespace {

constexpr int kSpins = 2000;

struct Job {
  FunctionRef<void(int64_t, int64_t)>* body = nullptr;
  int64_t n = 0, grain = 1, chunks = 0;
};

Job job;
// Counts jobs in the upper bits and holds the number of workers that take part in the lowest: one word, so that a worker
// which wakes late can never mix one job's number with another job's crew. Workers wait for it to change.
std::atomic<uint32_t> generation{0};
constexpr uint32_t kCrewMask = 0xff, kNextJob = 0x100;
std::atomic<int64_t> next_chunk{0};
std::atomic<int32_t> active{0};        // workers inside the current job
std::atomic<int32_t> ready{0};         // workers that have entered worker_main
std::atomic<int32_t> wanted{0};        // workers that take part
std::atomic<bool> stopping{false};

#if defined(__wasm__) && !defined(__wasm_atomics__)
void wait_for_change(std::atomic<uint32_t>&, uint32_t) {}
void wake_all(std::atomic<uint32_t>&) {}
#elif defined(__wasm__)
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int32_t*>(&word), static_cast<int32_t>(seen), -1);
}
void wake_all(std::atomic<uint32_t>& word) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int32_t*>(&word), ~0u);
}
#else
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen) { word.wait(seen); }
void wake_all(std::atomic<uint32_t>& word) { word.notify_all(); }
#endif

void announce(uint32_t crew) {
  const uint32_t last = generation.load(std::memory_order_relaxed);
  generation.store(((last + kNextJob) & ~kCrewMask) | crew, std::memory_order_release);
  wake_all(generation);
}

void take_chunks() {
  for (;;) {
    const int64_t chunk = next_chunk.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= job.chunks) return;
    const int64_t begin = chunk * job.grain;
    const int64_t end = begin + job.grain;
    (*job.body)(begin, end < job.n ? end : job.n);
  }
}

}  // namespace

void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  if (grain < 1) grain = 1;
  const int64_t chunks = (n + grain - 1) / grain;
  const int32_t workers = wanted.load(std::memory_order_relaxed);
  if (workers == 0 || chunks == 1) {
    for (int64_t begin = 0; begin < n; begin += grain) body(begin, begin + grain < n ? begin + grain : n);
    return;
  }
  job = {&body, n, grain, chunks};
  next_chunk.store(0, std::memory_order_relaxed);
  active.store(workers, std::memory_order_relaxed);
  announce(static_cast<uint32_t>(workers));
  take_chunks();
  // Every worker that takes part checks in, so that none is still reading `job` when the next one is written.
  while (active.load(std::memory_order_acquire) > 0) {
  }
}

uint64_t claim_bit(uint64_t* word) {
  uint64_t used = __atomic_load_n(word, __ATOMIC_RELAXED), bit;
  do {
    bit = ~used & (used + 1);
    if (bit == 0) used = __atomic_load_n(word, __ATOMIC_RELAXED);
  } while (bit == 0 || !__atomic_compare_exchange_n(word, &used, used | bit, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
  return bit;
}

void release_bit(uint64_t* word, uint64_t bit) { __atomic_fetch_and(word, ~bit, __ATOMIC_RELEASE); }

void worker_main(int index) {
  uint32_t seen = generation.load(std::memory_order_acquire);
  ready.fetch_add(1, std::memory_order_release);
  while (!stopping.load(std::memory_order_relaxed)) {
    int spins = 0;
    uint32_t now;
    while ((now = generation.load(std::memory_order_acquire)) == seen) {
      if (++spins > kSpins) wait_for_change(generation, seen);
    }
    seen = now;
    if (stopping.load(std::memory_order_relaxed)) break;
    if (static_cast<uint32_t>(index) > (now & kCrewMask)) continue;
    take_chunks();
    active.fetch_sub(1, std::memory_order_release);
  }
  ready.fetch_sub(1, std::memory_order_release);
}

void set_worker_count(int workers) {
  const int available = ready.load(std::memory_order_acquire);
  const int most = available < static_cast<int>(kCrewMask) ? available : static_cast<int>(kCrewMask);
  wanted.store(workers < 0 ? 0 : workers > most ? most : workers, std::memory_order_relaxed);
}

int worker_count() { return wanted.load(std::memory_order_relaxed); }
int workers_ready() { return ready.load(std::memory_order_acquire); }

void stop_workers() {
  wanted.store(0, std::memory_order_relaxed);
  stopping.store(true, std::memory_order_relaxed);
  announce(0);
}

}  // namespace onnxlet
