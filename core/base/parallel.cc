// A fork-join pool without a threading library. The caller opens a gate on a job, workers that are awake go in and take
// chunks by an atomic counter, and the caller joins them; it waits only for workers that are inside, so that one which
// the machine does not schedule costs nothing. Workers spin briefly, then sleep on a futex (wasm memory.atomic.wait32;
// the platform's own in the native build).
#include "base/parallel.h"

#include <atomic>

namespace onnxlet {
namespace {

constexpr int kSpins = 2000;
constexpr int kMostWorkers = 255;

struct Job {
  FunctionRef<void(int64_t, int64_t)>* body = nullptr;
  int64_t n = 0, grain = 1, chunks = 0;
  int32_t crew = 0;  // workers with a number up to this take part
};

Job job;                              // written while the gate is closed and nobody is inside
std::atomic<uint32_t> generation{0};  // counts jobs; workers wait for it to change
std::atomic<int32_t> sleepers{0};     // workers that need to be woken
std::atomic<uint32_t> gate{0};        // kOpen, and the number of workers inside
constexpr uint32_t kOpen = 0x80000000;
std::atomic<int64_t> next_chunk{0};
std::atomic<int32_t> ready{0};   // workers that have entered worker_main
std::atomic<int32_t> wanted{0};  // workers that take part
std::atomic<bool> stopping{false};
std::atomic<bool> failed{false};  // a worker died inside a job

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

void announce() {
  generation.fetch_add(1);
  if (sleepers.load() > 0) wake_all(generation);
}

bool enter() {
  uint32_t now = gate.load(std::memory_order_relaxed);
  while ((now & kOpen) != 0) {
    if (gate.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  }
  return false;
}

void leave() { gate.fetch_sub(1, std::memory_order_release); }

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
  const int64_t chunks = (n - 1) / grain + 1;
  const int32_t workers = wanted.load(std::memory_order_relaxed);
  if (workers == 0 || chunks == 1) {
    for (int64_t begin = 0; begin < n; begin += grain) body(begin, begin + grain < n ? begin + grain : n);
    return;
  }
  job = {&body, n, grain, chunks, workers};
  next_chunk.store(0, std::memory_order_relaxed);
  gate.store(kOpen, std::memory_order_release);
  announce();
  take_chunks();
  gate.fetch_and(~kOpen, std::memory_order_relaxed);
  while (gate.load(std::memory_order_acquire) != 0) {
  }
}

void worker_main(int index) {
  uint32_t seen = generation.load();
  ready.fetch_add(1, std::memory_order_release);
  while (!stopping.load(std::memory_order_relaxed)) {
    for (int spins = 0; generation.load() == seen;) {
      if (++spins < kSpins) continue;
      sleepers.fetch_add(1);
      wait_for_change(generation, seen);
      sleepers.fetch_sub(1);
    }
    seen = generation.load();
    if (!enter()) continue;
    if (index <= job.crew) take_chunks();
    leave();
  }
  ready.fetch_sub(1, std::memory_order_release);
}

void worker_failed() {
  failed.store(true, std::memory_order_relaxed);
  ready.fetch_sub(1, std::memory_order_relaxed);
  wanted.store(0, std::memory_order_relaxed);
  leave();
}

bool take_worker_failure() { return failed.exchange(false, std::memory_order_relaxed); }

void set_worker_count(int workers) {
  const int available = ready.load(std::memory_order_acquire);
  const int most = available < kMostWorkers ? available : kMostWorkers;
  wanted.store(workers < 0 ? 0 : workers > most ? most : workers, std::memory_order_relaxed);
}

int worker_count() { return wanted.load(std::memory_order_relaxed); }
int workers_ready() { return ready.load(std::memory_order_acquire); }

void stop_workers() {
  wanted.store(0, std::memory_order_relaxed);
  stopping.store(true, std::memory_order_relaxed);
  announce();
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

}  // namespace onnxlet
