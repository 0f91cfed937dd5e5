#include "kernels/int_gemm.h"

#include <vector>

#include "tests/check.h"
#include "tests/random.h"

namespace onnxlet {
namespace {

struct RandomEnds : RandomBytes {
  // The ends of both 8-bit ranges only: what saturates or wraps in 16 bits does so here.
  std::vector<uint8_t> extremes(int64_t n) {
    constexpr uint8_t kEnds[] = {0, 255, 127, 128, 128, 255};
    std::vector<uint8_t> v = bytes(n);
    const bool same = next() % 2 != 0;
    for (uint8_t& x : v) x = kEnds[(same ? v[0] : x) % 6];
    return v;
  }
};

int32_t value(const std::vector<uint8_t>& v, int64_t i, bool is_signed) {
  const uint8_t x = v[static_cast<size_t>(i)];
  return is_signed ? static_cast<int8_t>(x) : x;
}

void check_product(IntKernel kernel, int64_t m, int64_t n, int64_t k, bool a_signed, bool b_signed, bool transposed,
                   uint32_t extreme_seed = 0) {
  RandomEnds r;
  std::vector<uint8_t> a = r.bytes(m * k), b = r.bytes(k * n);
  if (extreme_seed != 0) {
    r.state = extreme_seed;
    a = r.extremes(m * k);
    b = r.extremes(k * n);
  }
  std::vector<int32_t> a_zero, b_zero;
  for (int64_t i = 0; i < m; ++i) a_zero.push_back(static_cast<int32_t>(r.next() % 256) - (a_signed ? 128 : 0));
  for (int64_t j = 0; j < n; ++j) b_zero.push_back(static_cast<int32_t>(r.next() % 256) - (b_signed ? 128 : 0));
  IntGemm g;
  g.kernel = kernel;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a = {a.data(), a_signed, k, 1};
  g.a_zero = {a_zero.data(), 1};
  g.b_signed = b_signed;
  g.b_zero = {b_zero.data(), 1};
  const IntMatrix bm{b.data(), b_signed, transposed ? 1 : n, transposed ? k : 1};
  std::vector<uint8_t> packed(static_cast<size_t>(packed_int_b_size(k, n, kernel)));
  std::vector<int32_t> sums(static_cast<size_t>(int_b_sums_size(n)));
  pack_int_b(bm, k, n, packed.data(), sums.data(), kernel);
  g.packed_b = packed.data();
  g.b_sums = sums.data();
  std::vector<int32_t> c(static_cast<size_t>(m * n) + 4, 777);
  g.out.data = c.data();
  g.out.row_stride = n;
  std::vector<char> scratch(static_cast<size_t>(int_gemm_scratch(g)));
  int_gemm(g, scratch.data());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (int64_t q = 0; q < k; ++q) {
        sum += (value(a, i * k + q, a_signed) - a_zero[static_cast<size_t>(i)]) *
               (value(b, q * bm.row_stride + j * bm.col_stride, b_signed) - b_zero[static_cast<size_t>(j)]);
      }
      CHECK_EQ(c[static_cast<size_t>(i * n + j)], sum);
    }
  }
  for (size_t i = 0; i < 4; ++i) CHECK_EQ(c[static_cast<size_t>(m * n) + i], 777);
}

template <class Body>
void each_kernel(Body&& body) {
  for (const IntKernel kernel : int_kernels()) {
    if (is_exact_here(kernel)) body(kernel);
  }
}

TEST(int_gemm_is_exact) {
  each_kernel([](IntKernel kernel) {
    for (const int64_t m : {0, 1, 3, 4, 7, 33}) {
      for (const int64_t n : {0, 1, 7, 8, 17, 41}) {
        for (const int64_t k : {0, 1, 2, 3, 9, 31, 300}) {
          for (int kind = 0; kind < 8; ++kind) check_product(kernel, m, n, k, kind & 1, kind & 2, kind & 4);
        }
      }
    }
  });
}

TEST(int_gemm_is_exact_at_the_ends_of_the_ranges) {
  each_kernel([](IntKernel kernel) {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
      for (int kind = 0; kind < 4; ++kind) check_product(kernel, 5, 9, 64, kind & 1, kind & 2, false, seed);
    }
  });
}

void check_rounding(IntKernel kernel) {
  const uint8_t a[] = {1, 2, 3, 255, 5, 7};
  const uint8_t one[] = {1};
  std::vector<uint8_t> packed(static_cast<size_t>(packed_int_b_size(1, 1, kernel)));
  int32_t sums[8];
  pack_int_b({one, false, 1, 1}, 1, 1, packed.data(), sums, kernel);
  const float scale = 0.5f;
  IntGemm g;
  g.kernel = kernel;
  g.m = 6;
  g.n = 1;
  g.k = 1;
  g.a = {a, false, 1, 1};
  g.packed_b = packed.data();
  g.b_sums = sums;
  uint8_t y[6];
  g.out.kind = IntOutput::kInt8;
  g.out.data = y;
  g.out.row_stride = 1;
  g.out.col_scale = {&scale, 0};
  g.out.zero_point = 10;
  std::vector<char> scratch(static_cast<size_t>(int_gemm_scratch(g)));
  int_gemm(g, scratch.data());
  const int expected[] = {10, 11, 12, 127, 12, 14};  // 0.5, 1, 1.5, 127.5, 2.5, 3.5
  for (int i = 0; i < 6; ++i) CHECK_EQ(static_cast<int>(static_cast<int8_t>(y[i])), expected[i]);
}

TEST(int_gemm_rounds_half_to_even_and_saturates) { each_kernel(check_rounding); }

void check_conv(IntKernel kernel, const Window& w, int64_t channels, int64_t out_channels, int64_t groups,
                bool x_signed, bool w_signed, bool channels_last) {
  RandomEnds r;
  const int64_t cg = channels / groups, mg = out_channels / groups, taps = w.taps(), k = cg * taps, in = w.in.size(),
                out = w.out.size();
  const bool depthwise = channels == groups && out_channels == groups && w_signed;
  const std::vector<uint8_t> x = r.bytes(2 * channels * in), weights = r.bytes(out_channels * k);
  const auto place = [&](int64_t image, int64_t count, int64_t channel, int64_t pixels, int64_t pixel) {
    return channels_last ? (image * pixels + pixel) * count + channel : (image * count + channel) * pixels + pixel;
  };
  std::vector<int32_t> zero;
  for (int64_t i = 0; i < out_channels; ++i) zero.push_back(depthwise ? 0 : static_cast<int32_t>(r.next() % 100));
  IntConv c;
  c.kernel = kernel;
  c.window = w;
  c.batch = 2;
  c.channels = channels;
  c.out_channels = out_channels;
  c.groups = groups;
  c.channels_last = channels_last;
  c.x = x.data();
  c.x_signed = x_signed;
  c.x_zero = 17;
  c.w_signed = w_signed;
  c.w_zero = {zero.data(), 1};
  std::vector<int32_t> y(static_cast<size_t>(2 * out_channels * out));
  c.out.data = y.data();
  const IntFilters filters{out_channels, cg, taps, groups};
  std::vector<uint8_t> packed(static_cast<size_t>(packed_int_conv_size(filters, kernel)));
  std::vector<int32_t> sums(static_cast<size_t>(int_conv_sums_size(filters)));
  pack_int_conv_weights(weights.data(), w_signed, filters, packed.data(), sums.data(), kernel);
  c.w_sums = sums.data();
  std::vector<uint8_t> by_channel(static_cast<size_t>(packed_int_depthwise_size(channels, taps, kernel)));
  if (depthwise) {
    pack_int_depthwise_weights(reinterpret_cast<const int8_t*>(weights.data()), channels, taps, by_channel.data(),
                               kernel);
  }
  for (int kind = 0; kind < (depthwise ? 2 : 1); ++kind) {
    std::vector<char> scratch(static_cast<size_t>(kind ? int_depthwise_scratch(c) : int_conv_scratch(c)));
    c.weights = kind ? by_channel.data() : packed.data();
    kind ? int_depthwise(c, scratch.data()) : int_conv(c, scratch.data());
    for (int64_t plane = 0; plane < 2 * out_channels; ++plane) {
      const int64_t image = plane / out_channels, m = plane % out_channels;
      for (int64_t p = 0; p < out; ++p) {
        int32_t sum = 0;
        for (int64_t q = 0; q < k; ++q) {
          const int64_t tap = q % taps, h = p / w.out[1] * w.stride[0] - w.pad[0] + tap / w.kernel[1] * w.dilation[0];
          const int64_t v = p % w.out[1] * w.stride[1] - w.pad[1] + tap % w.kernel[1] * w.dilation[1];
          if (h < 0 || h >= w.in[0] || v < 0 || v >= w.in[1]) continue;
          const int64_t channel = m / mg * cg + q / taps;
          sum += (value(x, place(image, channels, channel, in, h * w.in[1] + v), x_signed) - 17) *
                 (value(weights, m * k + q, w_signed) - zero[static_cast<size_t>(m)]);
        }
        CHECK_EQ(y[static_cast<size_t>(place(image, out_channels, m, out, p))], sum);
      }
    }
  }
}

TEST(int_conv_is_exact) {
  each_kernel([](IntKernel kernel) {
    for (int kind = 0; kind < 8; ++kind) {
      const bool x_signed = kind & 1, w_signed = kind & 2, last = kind & 4;
      const auto check = [&](const Window& w, int64_t channels, int64_t out_channels, int64_t groups) {
        check_conv(kernel, w, channels, out_channels, groups, x_signed, w_signed, last);
      };
      check({{7, 9}, {7, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, 5, 11, 1);
      check({{7, 9}, {4, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}}, 16, 9, 1);
      check({{8, 9}, {4, 4}, {2, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, 4, 6, 2);
      check({{9, 9}, {5, 5}, {3, 3}, {1, 1}, {2, 2}, {0, 0}, {0, 0}}, 3, 6, 3);
      check({{5, 20}, {5, 10}, {3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}}, 4, 4, 4);
      check({{6, 11}, {6, 11}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}, 12, 17, 1);
      check({{6, 11}, {6, 11}, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}}, 32, 32, 32);
      check({{9, 9}, {5, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}}, 19, 19, 19);
      check({{4, 5}, {2, 3}, {3, 3}, {1, 1}, {1, 1}, {-1, 0}, {1, 0}}, 4, 3, 1);
    }
  });
}

}  // namespace
}  // namespace onnxlet
