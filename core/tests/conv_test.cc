#include "kernels/conv.h"

#include <algorithm>
#include <vector>

#include "tests/check.h"
#include "tests/random.h"

namespace onnxlet {
namespace {

std::vector<double> doubles(const std::vector<float>& v) { return {v.begin(), v.end()}; }

Window window(Shape in, Shape kernel, Shape stride, Shape dilation, Shape pad, Shape pad_end) {
  Window w{in, in, kernel, stride, dilation, pad, pad_end};
  for (int d = 0; d < in.rank(); ++d) {
    w.out[d] = (in[d] + pad[d] + pad_end[d] - (kernel[d] - 1) * dilation[d] - 1) / stride[d] + 1;
  }
  return w;
}

// [outer, a, b] -> [outer, b, a]
std::vector<float> swapped(const std::vector<float>& v, int64_t outer, int64_t a, int64_t b) {
  std::vector<float> out(v.size());
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < a; ++i) {
      for (int64_t j = 0; j < b; ++j)
        out[static_cast<size_t>((o * b + j) * a + i)] = v[static_cast<size_t>((o * a + i) * b + j)];
    }
  }
  return out;
}

struct Epilogues {
  float lo = -Epilogue::kInfinity, hi = Epilogue::kInfinity;
  bool residual = false;
};

// Every kernel that can compute this convolution, in both layouts, against plain loops in double.
void check_conv(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups,
                const Epilogues& e = {}) {
  Random r;
  const int64_t in = w.in.size(), out = w.out.size(), group_channels = channels / groups,
                group_k = group_channels * w.taps();
  const double tolerance = 1e-5 + 2e-7 * static_cast<double>(group_k);
  const std::vector<float> x = r.fill(batch * channels * in), weights = r.fill(out_channels * group_k),
                           bias = r.fill(out_channels), before = r.fill(batch * out_channels * out);
  std::vector<double> expected(before.size());
  conv_plain(w, batch, channels, out_channels, groups, doubles(x).data(), doubles(weights).data(), doubles(bias).data(),
             expected.data());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (e.residual) expected[i] += static_cast<double>(before[i]);
    expected[i] = std::clamp(expected[i], static_cast<double>(e.lo), static_cast<double>(e.hi));
  }
  const std::vector<float> x_nhwc = swapped(x, batch, channels, in);
  Conv c;
  c.window = w;
  c.batch = batch;
  c.channels = channels;
  c.out_channels = out_channels;
  c.groups = groups;
  c.epilogue.bias = bias.data();
  c.epilogue.lo = e.lo;
  c.epilogue.hi = e.hi;
  std::vector<float> packed(static_cast<size_t>(packed_conv_size(out_channels, group_k, groups)));
  using Scratch = int64_t (*)(const Conv&);
  using Run = const char* (*)(const Conv&, float*);
  const auto check = [&](Scratch scratch_of, Run run, const float* kernel_weights, bool nhwc, double slack = 1) {
    const std::vector<float> residual = nhwc ? swapped(before, batch, out_channels, out) : before;
    std::vector<float> y(before.size());
    if (e.residual) c.epilogue.residual = residual.data();
    c.x = nhwc ? x_nhwc.data() : x.data();
    c.weights = kernel_weights;
    c.y = y.data();
    std::vector<float> scratch(static_cast<size_t>(scratch_of(c)));
    run(c, scratch.data());
    if (nhwc) y = swapped(y, batch, out, out_channels);
    for (size_t i = 0; i < y.size(); ++i) CHECK_NEAR(y[i], expected[i], slack * tolerance);
  };
  pack_conv_weights(weights.data(), out_channels, group_k, groups, packed.data());
  check(conv_scratch, conv, packed.data(), false);
  pack_conv_weights_nhwc(weights.data(), out_channels, group_channels, w.taps(), groups, packed.data());
  check(conv_nhwc_scratch, conv_nhwc, packed.data(), true);
  if (w.rank() == 2 && conv_winograd_fits(w.kernel, w.stride, w.dilation, channels, out_channels, groups)) {
    std::vector<float> transformed(static_cast<size_t>(packed_winograd_size(out_channels, channels)));
    pack_conv_winograd_weights(weights.data(), out_channels, channels, transformed.data());
    check(conv_winograd_scratch, conv_winograd, transformed.data(), true, 8);
  }
  if (c.depthwise()) check(conv_depthwise_scratch, conv_depthwise, weights.data(), false);
  if (group_channels == 1 && out_channels == channels) {
    pack_conv_depthwise_weights_nhwc(weights.data(), channels, w.taps(), packed.data());
    check(conv_depthwise_nhwc_scratch, conv_depthwise_nhwc, packed.data(), true);
  }
}

TEST(conv_agrees_with_plain_loops) {
  check_conv(window({7, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 2, 5, 11, 1);
  check_conv(window({13, 31}, {3, 5}, {2, 2}, {1, 1}, {1, 2}, {0, 2}), 1, 3, 17, 1);
  check_conv(window({9, 9}, {2, 3}, {1, 2}, {3, 2}, {2, 0}, {1, 3}), 1, 4, 8, 2);
  check_conv(window({33}, {7}, {1}, {2}, {6}, {0}), 3, 2, 9, 1);
  check_conv(window({5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {0, 1, 1}), 1, 3, 10, 1);
  check_conv(window({6, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}), 2, 6, 9, 3);
  check_conv(window({6, 7}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}), 2, 6, 9, 1);
  check_conv(window({3, 3}, {3, 3}, {1, 1}, {1, 1}, {-1, 1}, {1, 0}), 1, 2, 3, 1);
  check_conv(window({7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 300, 40, 1);
  check_conv(window({4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 16, 600, 1);
  check_conv(window({5, 33}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 2, 3, 8, 1);
  check_conv(window({5, 33}, {1, 7}, {1, 3}, {1, 1}, {0, 3}, {0, 3}), 2, 3, 8, 1, {-0.5f, 6, true});
  check_conv(window({9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 20, 24, 1, {0, 6, true});
  check_conv(window({9, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}), 3, 20, 24, 1, {0, 6, true});
}

TEST(conv_winograd_agrees_with_plain_loops) {
  CHECK(conv_winograd_fits({3, 3}, {1, 1}, {1, 1}, 16, 20, 1));
  CHECK(!conv_winograd_fits({3, 3}, {2, 2}, {1, 1}, 16, 20, 1));
  CHECK(!conv_winograd_fits({3, 3}, {1, 1}, {1, 1}, 18, 20, 1));
  for (const int64_t size : {1, 3, 4, 5, 9, 17}) {
    check_conv(window({size, size + 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 2, 16, 20, 1);
    check_conv(window({size + 2, size + 3}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}), 1, 20, 16, 1, {0, 6, true});
  }
  check_conv(window({9, 10}, {3, 3}, {1, 1}, {1, 1}, {2, 0}, {-1, 3}), 3, 24, 68, 1, {-1, 1, true});
  check_conv(window({13, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 96, 132, 1);
}

TEST(conv_depthwise_agrees_with_plain_loops) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t size : {1, 3, 7, 17, 33, 40}) {
      check_conv(window({size, size}, {3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}), 2, 5, 5, 5);
      check_conv(window({size, size + 1}, {5, 4}, {stride, stride}, {1, 1}, {4, 2}, {3, 2}), 1, 3, 6, 3);
      check_conv(window({size + 8}, {5}, {stride}, {2}, {0}, {1}), 2, 3, 3, 3);
    }
  }
  check_conv(window({5, 40}, {1, 1}, {1, 2}, {1, 1}, {0, 0}, {0, 0}), 1, 3, 3, 3);
  check_conv(window({9, 9}, {3, 3}, {1, 1}, {1, 1}, {-2, -1}, {1, 2}), 1, 3, 3, 3);
  check_conv(window({9, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 2, 8, 8, 8, {0, 6, true});
  check_conv(window({9, 14}, {5, 5}, {2, 2}, {1, 1}, {2, 2}, {2, 2}), 2, 12, 12, 12, {-1, 1, false});
  check_conv(window({4, 5, 6}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}), 1, 4, 4, 4);
  check_conv(window({9}, {3}, {1}, {1}, {1}, {1}), 2, 9, 9, 9, {0, 6, true});
}

void check_transpose(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups) {
  Random r;
  const int64_t in = w.out.size(), out = w.in.size(), group_out = out_channels / groups;
  const std::vector<float> x = r.fill(batch * channels * in), weights = r.fill(channels * group_out * w.taps()),
                           bias = r.fill(out_channels);
  std::vector<double> expected(static_cast<size_t>(batch * out_channels * out));
  conv_transpose_plain(w, batch, channels, out_channels, groups, doubles(x).data(), doubles(weights).data(),
                       doubles(bias).data(), expected.data());
  ConvTranspose c;
  c.window = w;
  c.batch = batch;
  c.channels = channels;
  c.out_channels = out_channels;
  c.groups = groups;
  c.x = x.data();
  c.bias = bias.data();
  std::vector<float> y(expected.size()),
      packed(static_cast<size_t>(packed_conv_transpose_size(channels, group_out * w.taps(), groups)));
  pack_conv_transpose_weights(weights.data(), channels, group_out * w.taps(), groups, packed.data());
  c.weights = packed.data();
  c.y = y.data();
  std::vector<float> scratch(static_cast<size_t>(conv_transpose_scratch(c)));
  conv_transpose(c, scratch.data());
  for (size_t i = 0; i < y.size(); ++i) CHECK_NEAR(y[i], expected[i], 1e-4);
}

TEST(conv_transpose_agrees_with_plain_loops) {
  check_transpose(window({8, 10}, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}), 2, 5, 7, 1);
  check_transpose(window({9, 11}, {3, 4}, {2, 3}, {1, 1}, {1, 2}, {0, 1}), 1, 4, 6, 2);
  check_transpose(window({17}, {5}, {3}, {2}, {2}, {3}), 2, 3, 9, 3);
  check_transpose(window({5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {1, 1, 2}, {1, 0, 1}, {0, 1, 1}), 1, 3, 10, 1);
}

}  // namespace
}  // namespace onnxlet
