// Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998): the generator behind numpy.random.seed, whose draws the
// ONNX tests of seeded operators expect.
#pragma once

#include <cstdint>

namespace onnxlet {

class Mt19937 {
 public:
  explicit Mt19937(uint32_t seed) {
    state_[0] = seed;
    for (uint32_t i = 1; i < kN; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }

  uint32_t next() {
    if (at_ == kN) refill();
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  // 53 bits in [0, 1), as numpy draws them.
  double uniform() {
    const uint32_t high = next() >> 5, low = next() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

 private:
  static constexpr uint32_t kN = 624, kM = 397;

  void refill() {
    for (uint32_t i = 0; i < kN; ++i) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kN] & 0x7fffffffu);
      state_[i] = state_[(i + kM) % kN] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0u);
    }
    at_ = 0;
  }

  uint32_t state_[kN];
  uint32_t at_ = kN;
};

}  // namespace onnxlet
