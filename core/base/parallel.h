// The one way work is shared between threads. Bodies must not allocate, fail, or call parallel_for.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace onnxlet {

// Non-owning reference to a callable.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT: implicit by design
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Calls body(begin, end) over [0, n) in chunks of `grain` (the last may be shorter). The chunks are the same at any
// thread count, so a reduction split this way gives the same bits everywhere. Runs inline when n <= grain.
void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t begin, int64_t end)> body);

// Claims a free bit of a word that threads share: bit by bit, a number for each thread inside a body. Waits while every
// bit is taken. Only the file behind this header uses atomic instructions, which builds without shared memory do not
// have.
uint64_t claim_bit(uint64_t* word);
void release_bit(uint64_t* word, uint64_t bit);

// Chunk size so that one chunk does about 32k simple operations when one item costs `cost` of them.
inline int64_t grain_for(int64_t cost) { return cost >= 32768 ? 1 : 32768 / (cost < 1 ? 1 : cost); }

// Threads. The engine owns none: hosts start workers, and each enters worker_main until stop_workers().
void worker_main(int index);         // blocks; index counts from 1
void set_worker_count(int workers);  // how many workers the host has started; parallel_for uses these plus the caller
int worker_count();
int workers_ready();  // workers inside worker_main
void stop_workers();
// For the host of a worker that trapped inside a body: takes it out of the job, so that the caller does not wait for
// it. The caller's results are then incomplete: take_worker_failure() says so, once.
void worker_failed();
bool take_worker_failure();

}  // namespace onnxlet
