// Fewer samples per second.
#pragma once

#include <cstdint>
#include <vector>

namespace onnxlet {

// A sinc in a Kaiser window (Kaiser 1974) over 50 of its zeros to either side: what lies up to 0.9 of the new Nyquist
// frequency stays within 0.01 dB, what lies above it is weaker by 80 dB.
class Downsampler {
 public:
  Downsampler(int64_t from_rate, int64_t to_rate);

  int64_t size(int64_t count) const { return (count * to_ + from_ - 1) / from_; }
  // `count` samples that lie `stride` apart; so do those written.
  void run(const float* in, int64_t count, int64_t stride, float* out) const;

 private:
  int64_t from_, to_;
  std::vector<float> filter_;  // one side of it
};

}  // namespace onnxlet
