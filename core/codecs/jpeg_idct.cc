#include "codecs/jpeg_idct.h"

#include <algorithm>

namespace onnxlet {
namespace {

constexpr int kBits = 13, kFirstPassBits = 2;

constexpr uint32_t fix(double x) {
  return static_cast<uint32_t>(static_cast<int32_t>(x * (1 << kBits) + (x < 0 ? -0.5 : 0.5)));
}

// One pass over eight numbers that lie `step` apart. Unsigned: damaged files overflow, and may.
template <int kStep, class Put>
void pass(const int32_t* in, Put put) {
  const auto at = [&](int i) { return static_cast<uint32_t>(in[i * kStep]); };
  // Even part
  const uint32_t z1 = (at(2) + at(6)) * fix(0.541196100);
  const uint32_t even2 = z1 + at(6) * fix(-1.847759065), even3 = z1 + at(2) * fix(0.765366865);
  const uint32_t even0 = (at(0) + at(4)) << kBits, even1 = (at(0) - at(4)) << kBits;
  const uint32_t sums[4] = {even0 + even3, even1 + even2, even1 - even2, even0 - even3};
  // Odd part
  uint32_t t0 = at(7), t1 = at(5), t2 = at(3), t3 = at(1);
  const uint32_t z5 = (t0 + t2 + t1 + t3) * fix(1.175875602);
  const uint32_t outer = (t0 + t3) * fix(-0.899976223), inner = (t1 + t2) * fix(-2.562915447);
  const uint32_t left = (t0 + t2) * fix(-1.961570560) + z5, right = (t1 + t3) * fix(-0.390180644) + z5;
  t0 = t0 * fix(0.298631336) + outer + left;
  t1 = t1 * fix(2.053119869) + inner + right;
  t2 = t2 * fix(3.072711026) + inner + left;
  t3 = t3 * fix(1.501321110) + outer + right;
  const uint32_t odd[4] = {t3, t2, t1, t0};
  for (int i = 0; i < 4; ++i) {
    put(i, sums[i] + odd[i]);
    put(7 - i, sums[i] - odd[i]);
  }
}

int32_t rounded(uint32_t value, int bits) { return static_cast<int32_t>(value + (uint32_t{1} << (bits - 1))) >> bits; }

}  // namespace

void inverse_dct(const int16_t coefficients[64], const uint16_t quantization[64], uint8_t* out, int64_t stride) {
  int32_t values[64];
  for (int i = 0; i < 64; ++i) {
    values[i] = static_cast<int16_t>(static_cast<uint32_t>(coefficients[i]) * quantization[i]);
  }
  int32_t columns[64];
  for (int x = 0; x < 8; ++x) {
    pass<8>(values + x, [&](int i, uint32_t v) { columns[i * 8 + x] = rounded(v, kBits - kFirstPassBits); });
  }
  for (int y = 0; y < 8; ++y) {
    pass<1>(columns + y * 8, [&](int i, uint32_t v) {
      const int32_t sample = rounded(v, kBits + kFirstPassBits + 3) + 128;
      out[y * stride + i] = static_cast<uint8_t>(std::clamp(sample, 0, 255));
    });
  }
}

}  // namespace onnxlet
