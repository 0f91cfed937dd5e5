// Numbers that are drawn, the same for the same seed: splitmix64 (Steele, Lea, Flood, 2014).
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxlet::fuzz {

class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 ... n - 1
  size_t below(size_t n) { return static_cast<size_t>(bits() % n); }
  bool one_in(size_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace onnxlet::fuzz
