// Bytes from the machine, with an answer when it refuses. What is large comes from one heap that joins freed blocks:
// the C library of the WebAssembly build rounds to powers of two and keeps every size apart.
#pragma once

#include <cstddef>

namespace onnxlet {

inline constexpr size_t kAlignment = 64;

// Aligned to kAlignment, contents undefined; nullptr when the machine refuses.
void* allocate_bytes(size_t bytes);
void release_bytes(void* block);  // nullptr is fine

// Best fit over whole granules. Not for several threads.
class Heap {
 public:
  static constexpr size_t kGranule = 4096;
  // At least `bytes` of fresh memory, and how many they are; nullptr when there are no more. What follows the memory of
  // the call before may be joined with it.
  using Grow = void* (*)(size_t bytes, size_t* got);

  explicit constexpr Heap(Grow grow) : grow_(grow) {}
  // Aligned to kAlignment.
  void* allocate(size_t bytes);
  void release(void* block);
  size_t free_bytes() const;

 private:
  struct Span {  // free memory describes itself
    size_t bytes;
    Span* next;  // by address
    char* end() { return reinterpret_cast<char*>(this) + bytes; }
  };
  void* take(size_t bytes);
  void insert(void* memory, size_t bytes);
  bool grow(size_t bytes);

  Grow grow_;
  Span* free_ = nullptr;
  const char* grown_end_ = nullptr;
};

}  // namespace onnxlet
