// Reproducible numbers for kernel tests.
#pragma once

#include <cstdint>
#include <vector>

namespace onnxlet {

// Multiples of 1/500 in [-2, 2].
struct Random {
  uint32_t state = 12345;
  float next() {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int32_t>(state >> 8) % 2001 - 1000) / 500;
  }
  std::vector<float> fill(int64_t n) {
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = next();
    return v;
  }
};

struct RandomBytes {
  uint32_t state = 99;
  uint32_t next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  std::vector<uint8_t> bytes(int64_t n) {
    std::vector<uint8_t> v(static_cast<size_t>(n));
    for (uint8_t& x : v) x = static_cast<uint8_t>(next());
    return v;
  }
};

}  // namespace onnxlet
