// Copies of short runs without a call: memory.copy costs as much as moving some hundred bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace onnxlet {

namespace detail {
// One piece of a fixed size.
template <class Piece>
inline void move_piece(char* to, const char* from) {
  Piece piece;
  std::memcpy(&piece, from, sizeof(piece));
  std::memcpy(to, &piece, sizeof(piece));
}
// n from sizeof(Piece) to twice that: two pieces that may overlap.
template <class Piece>
inline void move_ends(char* to, const char* from, size_t n) {
  Piece last;
  std::memcpy(&last, from + n - sizeof(Piece), sizeof(Piece));
  move_piece<Piece>(to, from);
  std::memcpy(to + n - sizeof(Piece), &last, sizeof(Piece));
}
}  // namespace detail

// As memcpy.
inline void copy_bytes(void* dst, const void* src, size_t n) {
  typedef uint32_t Piece16 __attribute__((vector_size(16)));
  constexpr size_t kLongest = 512;
  char* to = static_cast<char*>(dst);
  const char* from = static_cast<const char*>(src);
  if (n > kLongest) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    const char* const end = from + n;
    for (; end - from >= 64; from += 64, to += 64) {
      Piece16 pieces[4];
      std::memcpy(pieces, from, 64);
      std::memcpy(to, pieces, 64);
    }
    for (; end - from >= 16; from += 16, to += 16) detail::move_piece<Piece16>(to, from);
    const auto rest = end - from;
    if (rest > 0) detail::move_piece<Piece16>(to + rest - 16, end - 16);  // ends where the run does
  } else if (n >= 8) {
    detail::move_ends<uint64_t>(to, from, n);
  } else if (n >= 4) {
    detail::move_ends<uint32_t>(to, from, n);
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

// n elements of a type that is copied as bytes, or of any other.
template <class T>
void copy_run(T* dst, const T* src, int64_t n) {
  if constexpr (__is_trivially_copyable(T)) {
    copy_bytes(dst, src, static_cast<size_t>(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i] = src[i];
  }
}

}  // namespace onnxlet
