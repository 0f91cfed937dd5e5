#include "kernels/nbits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.h"
#include "tests/random.h"

namespace onnxlet {
namespace {

void check_nbits(int bits, int64_t block, int64_t k, int64_t m, bool zeros) {
  RandomBytes r;
  const int64_t n = 11;
  NBitsMatrix b;
  b.k = k;
  b.n = n;
  b.bits = bits;
  b.block = block;
  b.zero = static_cast<float>(1 << (bits - 1));
  const int64_t blocks = b.blocks();
  const std::vector<uint8_t> data = r.bytes(n * blocks * block * bits / 8);
  std::vector<float> scales, zero, a, c(static_cast<size_t>(m * n)), bias;
  for (int64_t i = 0; i < n * blocks; ++i) {
    scales.push_back(static_cast<float>(r.next() % 100 + 1) / 1000);
    zero.push_back(static_cast<float>(r.next() % (4u << bits)) / 4);
  }
  for (int64_t i = 0; i < m * k; ++i) a.push_back(static_cast<float>(r.next() % 200) / 100 - 1);
  for (int64_t j = 0; j < n; ++j) bias.push_back(static_cast<float>(j));
  b.data = data.data();
  b.scales = scales.data();
  if (zeros) b.zeros = zero.data();
  auto weight = [&](int64_t i, int64_t j) {
    const uint8_t* column = data.data() + j * blocks * block * bits / 8;
    int q_bits = 0;  // bit by bit
    for (int64_t bit = 0; bit < bits; ++bit) {
      const int64_t at_bit = i * bits + bit;
      q_bits |= (column[at_bit / 8] >> (at_bit % 8) & 1) << bit;
    }
    const float q = static_cast<float>(q_bits);
    const size_t at = static_cast<size_t>(j * blocks + i / block);
    return (q - (zeros ? zero[at] : b.zero)) * scales[at];
  };
  nbits_rows(b, m, a.data(), bias.data(), c.data());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = static_cast<double>(j);
      for (int64_t q = 0; q < k; ++q)
        sum += static_cast<double>(a[static_cast<size_t>(i * k + q)]) * static_cast<double>(weight(q, j));
      CHECK_NEAR(c[static_cast<size_t>(i * n + j)], sum, 1e-4);
    }
  }
  std::vector<float> panels(static_cast<size_t>(k * 8));
  nbits_panels(b, 8, n, panels.data());
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < 8; ++j)
      CHECK_NEAR(panels[static_cast<size_t>(i * 8 + j)], 8 + j < n ? weight(i, 8 + j) : 0, 1e-6);
  }
}

TEST(nbits_expand_to_the_same_weights_everywhere) {
  for (const int bits : {2, 3, 4, 5, 6, 7, 8}) {
    for (const int64_t block : {16, 32, 256}) {
      for (const int64_t m : {1, 2, 3, 4, 7}) {
        for (const bool zeros : {false, true}) {
          check_nbits(bits, block, 512, m, zeros);
          check_nbits(bits, block, 72, m, zeros);
        }
      }
    }
  }
}

// What nbits_dot computes, number by number: A rounded in units, sums of integers, one float operation at a time.
struct Dots {
  NBitsMatrix b;
  std::vector<uint8_t> data;
  std::vector<float> scales, zeros, a;

  Dots(int bits, int64_t block, int64_t k, int64_t n, int64_t m, bool with_zeros, bool extreme) {
    RandomBytes r;
    b.k = k;
    b.n = n;
    b.bits = bits;
    b.block = block;
    b.zero = static_cast<float>(1 << (bits - 1));
    const int64_t blocks = b.blocks();
    data = r.bytes(n * blocks * block * bits / 8);
    if (extreme) std::fill(data.begin(), data.end(), uint8_t{255});
    for (int64_t i = 0; i < n * blocks; ++i) {
      scales.push_back(static_cast<float>(r.next() % 100 + 1) / 1000);
      zeros.push_back(static_cast<float>(r.next() % (4u << bits)) / 4);
    }
    for (int64_t i = 0; i < m * k; ++i) a.push_back(extreme ? -1 : static_cast<float>(r.next() % 2000) / 1000 - 1);
    b.data = data.data();
    b.scales = scales.data();
    if (with_zeros) b.zeros = zeros.data();
  }
  double weight(int64_t i, int64_t j) const {
    const size_t at = static_cast<size_t>(j * b.blocks() + i / b.block);
    const int q = nbits_number(data.data() + j * b.blocks() * b.block * b.bits / 8, i, b.bits);
    return (q - static_cast<double>(b.zeros ? zeros[at] : b.zero)) * static_cast<double>(scales[at]);
  }
  // Row i of A as nbits_dot rounds it.
  std::vector<double> rounded(int64_t i) const {
    const int64_t unit = NBitsPacked::kUnit;
    std::vector<double> out;
    for (int64_t first = 0; first < b.k; first += unit) {
      const int64_t end = std::min(first + unit, b.k);
      float most = 0;
      for (int64_t q = first; q < end; ++q) most = std::max(most, std::fabs(a[static_cast<size_t>(i * b.k + q)]));
      const float factor = most > 0 ? 127 / most : 1;
      for (int64_t q = first; q < end; ++q)
        out.push_back(static_cast<double>(std::nearbyint(a[static_cast<size_t>(i * b.k + q)] * factor)) /
                      static_cast<double>(factor));
    }
    return out;
  }
  std::vector<float> run(NBitsKernel kernel, int64_t m, const float* bias, bool rounds = true) const {
    NBitsPacked p = nbits_packed(b, kernel);
    p.rounds = rounds;
    std::vector<uint8_t> packed(static_cast<size_t>(p.bytes()) + 4, 123);
    std::vector<float> factors(static_cast<size_t>(p.factor_count()) + 4, 12345);
    nbits_pack(b, p, packed.data(), factors.data());
    p.data = packed.data();
    p.factors = factors.data();
    for (size_t i = 0; i < 4; ++i) {
      CHECK_EQ(packed[packed.size() - 1 - i], 123);
      CHECK_EQ(factors[factors.size() - 1 - i], 12345.0f);
    }
    std::vector<float> c(static_cast<size_t>(m * b.n) + 4, 777),
        scratch(static_cast<size_t>(nbits_dot_scratch(p, m) + 3) / 4 + 4, 12345);
    nbits_dot(p, m, a.data(), bias, c.data(), scratch.data());
    for (size_t i = 0; i < 4; ++i) {
      CHECK_EQ(c[c.size() - 1 - i], 777.0f);
      CHECK_EQ(scratch[scratch.size() - 1 - i], 12345.0f);
    }
    c.resize(static_cast<size_t>(m * b.n));
    return c;
  }
};

void check_dots(int bits, int64_t block, int64_t k, int64_t m, bool zeros, bool extreme) {
  const int64_t n = 11;
  const Dots d(bits, block, k, n, m, zeros, extreme);
  std::vector<float> bias;
  for (int64_t j = 0; j < n; ++j) bias.push_back(static_cast<float>(j));
  std::vector<float> first;
  for (const NBitsKernel kernel : nbits_kernels()) {
    if (!is_exact_here(kernel, bits)) continue;
    const std::vector<float> c = d.run(kernel, m, bias.data());
    if (first.empty()) first = c;
    CHECK(first == c || bits == 8);  // the zero point of 8 bits is another number there
    for (int64_t i = 0; i < m; ++i) {
      const std::vector<double> x = d.rounded(i);
      for (int64_t j = 0; j < n; ++j) {
        double sum = static_cast<double>(j);
        for (int64_t q = 0; q < k; ++q) sum += x[static_cast<size_t>(q)] * d.weight(q, j);
        CHECK_NEAR(c[static_cast<size_t>(i * n + j)], sum, extreme ? 1e-5 : 1e-4);
      }
    }
  }
}

TEST(nbits_dot_rounds_only_a) {
  for (int bits = 2; bits <= 8; ++bits) {
    for (const int64_t block : {32, 64, 128}) {
      for (const int64_t m : {1, 3, 5}) {
        for (const bool zeros : {false, true}) {
          check_dots(bits, block, 128, m, zeros, false);
          check_dots(bits, block, 72, m, zeros, m == 3);
        }
      }
    }
  }
}

TEST(nbits_dot_of_zeros_and_of_numbers_that_are_not_finite) {
  Dots d(4, 32, 64, 5, 4, true, false);
  std::fill(d.a.begin(), d.a.end(), 0.0f);
  d.a[64] = std::numeric_limits<float>::infinity();
  d.a[128 + 40] = std::numeric_limits<float>::quiet_NaN();
  d.a[192] = 1e-42f;
  for (const NBitsKernel kernel : nbits_kernels()) {
    const std::vector<float> c = d.run(kernel, 4, nullptr);
    for (size_t j = 0; j < 5; ++j) {
      CHECK_EQ(c[j], 0.0f);
      CHECK(std::isnan(c[5 + j]));
      CHECK(std::isnan(c[10 + j]));
      CHECK_NEAR(c[15 + j], 0, 1e-30);
    }
  }
}

// Without rounding the error is that of a float sum, whatever the number of rows chooses.
TEST(nbits_dot_keeps_what_floats_have) {
  for (int bits = 2; bits <= 8; ++bits) {
    for (const int64_t k : {128, 72, 1}) {
      for (const int64_t m : {1, 3, 4, 9}) {
        const int64_t n = 11;
        const Dots d(bits, bits == 3 ? 128 : 32, k, n, m, m % 2 == 0 || bits == 5, false);
        std::vector<float> bias(static_cast<size_t>(n), 0.5f);
        for (const NBitsKernel kernel : nbits_kernels()) {
          if (!is_exact_here(kernel, bits)) continue;
          const std::vector<float> c = d.run(kernel, m, bias.data(), false);
          for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
              double sum = 0.5, size = 0.5;
              for (int64_t q = 0; q < k; ++q) {
                const double product = static_cast<double>(d.a[static_cast<size_t>(i * k + q)]) * d.weight(q, j);
                sum += product;
                size += std::fabs(product) + std::fabs(static_cast<double>(d.b.zeros ? d.b.zeros[0] : d.b.zero)) * 0.1;
              }
              CHECK_NEAR(c[static_cast<size_t>(i * n + j)], sum, 4e-7 * size);
            }
          }
        }
      }
    }
  }
}

TEST(nbits_dot_without_rounding_follows_ieee) {
  Dots d(4, 32, 64, 5, 1, false, false);
  d.data[2 * 16] = 0x87;  // column 1: -1 and 0 times the scale
  for (const NBitsKernel kernel : nbits_kernels()) {
    const auto second = [&] { return d.run(kernel, 1, nullptr, false)[1]; };
    d.a[0] = std::numeric_limits<float>::infinity();
    CHECK_EQ(second(), -std::numeric_limits<float>::infinity());
    d.a[0] = 0;
    d.a[1] = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(second()));
    d.a[1] = 0;
    for (const float scale : {0x1p100f, 0x1p-90f, 0x1p23f, 8388607.0f}) {
      std::fill(d.a.begin(), d.a.end(), 0.0f);
      d.a[0] = scale;
      CHECK_NEAR(second(), -scale * d.scales[2], scale * 1e-8);
    }
  }
}

}  // namespace
}  // namespace onnxlet
