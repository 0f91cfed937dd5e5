// Work memory for the bodies of one parallel_for: one slot per thread that can be inside a body at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/parallel.h"

namespace onnxlet::inline ONNXLET_LEVEL {

class Slots {
 public:
  static constexpr int kMax = 64;
  static int count() {
    const int threads = worker_count() + 1;
    return threads < kMax ? threads : kMax;
  }
  // `memory` holds count() blocks of `bytes` each.
  Slots(void* memory, size_t bytes) : memory_(static_cast<char*>(memory)), bytes_(bytes) {}

  // Claims a free block while it lives. There are as many blocks as threads, so one is always free.
  class Claim {
   public:
    explicit Claim(Slots& slots) : slots_(slots), bit_(claim_bit(&slots.used_)) {}
    ~Claim() { release_bit(&slots_.used_, bit_); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    template <class T>
    T* as() const {
      return reinterpret_cast<T*>(slots_.memory_ + static_cast<size_t>(__builtin_ctzll(bit_)) * slots_.bytes_);
    }

   private:
    Slots& slots_;
    uint64_t bit_;
  };

 private:
  char* memory_;
  size_t bytes_;
  uint64_t used_ = 0;
};

}  // namespace onnxlet::inline ONNXLET_LEVEL
