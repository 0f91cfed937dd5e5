#include "kernels/conv.h"

#include <vector>

#include "tests/check.h"

namespace onnxlet {
namespace {

struct Random {
  uint32_t state = 777;
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

std::vector<double> doubles(const std::vector<float>& v) { return {v.begin(), v.end()}; }

Window window(Shape in, Shape kernel, Shape stride, Shape dilation, Shape pad, Shape pad_end) {
  Window w{in, in, kernel, stride, dilation, pad, pad_end};
  for (int d = 0; d < in.rank(); ++d) {
    w.out[d] = (in[d] + pad[d] + pad_end[d] - (kernel[d] - 1) * dilation[d] - 1) / stride[d] + 1;
  }
  return w;
}

void check_conv(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups,
                bool nhwc = false) {
  Random r;
  const int64_t in = w.in.size(), out = w.out.size(), group_k = channels / groups * w.taps();
  const double tolerance = 1e-5 + 2e-7 * static_cast<double>(group_k);
  const std::vector<float> x = r.fill(batch * channels * in), weights = r.fill(out_channels * group_k),
                           bias = r.fill(out_channels);
  std::vector<double> expected(static_cast<size_t>(batch * out_channels * out));
  conv_plain(w, batch, channels, out_channels, groups, doubles(x).data(), doubles(weights).data(), doubles(bias).data(),
             expected.data());
  Conv c;
  c.window = w;
  c.batch = batch;
  c.channels = channels;
  c.out_channels = out_channels;
  c.groups = groups;
  std::vector<float> x_used = x;
  if (nhwc) {
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t ch = 0; ch < channels; ++ch) {
        for (int64_t p = 0; p < in; ++p)
          x_used[static_cast<size_t>((b * in + p) * channels + ch)] =
              x[static_cast<size_t>((b * channels + ch) * in + p)];
      }
    }
  }
  c.x = x_used.data();
  c.x_pixel_stride = nhwc ? channels : 1;
  c.x_channel_stride = nhwc ? 1 : in;
  c.y_pixel_stride = nhwc ? out_channels : 1;
  c.y_channel_stride = nhwc ? 1 : out;
  c.epilogue.bias = bias.data();
  std::vector<float> y(expected.size()), packed(static_cast<size_t>(packed_conv_size(out_channels, group_k, groups)));
  pack_conv_weights(weights.data(), out_channels, group_k, groups, packed.data());
  c.y = y.data();
  for (int kind = 0; kind < (c.depthwise() ? 2 : 1); ++kind) {
    std::vector<float> scratch(static_cast<size_t>(kind ? conv_depthwise_scratch(c) : conv_scratch(c)));
    c.weights = kind ? weights.data() : packed.data();
    if (kind) {
      conv_depthwise(c, scratch.data());
    } else {
      conv(c, scratch.data());
    }
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t m = 0; m < out_channels; ++m) {
        for (int64_t p = 0; p < out; ++p) {
          const size_t at =
              static_cast<size_t>(nhwc ? (b * out + p) * out_channels + m : (b * out_channels + m) * out + p);
          CHECK_NEAR(y[at], expected[static_cast<size_t>((b * out_channels + m) * out + p)], tolerance);
        }
      }
    }
  }
}

TEST(conv_agrees_with_plain_loops) {
  for (const bool nhwc : {false, true}) {
    check_conv(window({7, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 2, 5, 11, 1, nhwc);
    check_conv(window({13, 31}, {3, 5}, {2, 2}, {1, 1}, {1, 2}, {0, 2}), 1, 3, 17, 1, nhwc);
    check_conv(window({9, 9}, {2, 3}, {1, 2}, {3, 2}, {2, 0}, {1, 3}), 1, 4, 8, 2, nhwc);
    check_conv(window({33}, {7}, {1}, {2}, {6}, {0}), 3, 2, 9, 1, nhwc);
    check_conv(window({5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {0, 1, 1}), 1, 3, 10, 1, nhwc);
    check_conv(window({6, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}), 2, 6, 9, 3, nhwc);
    check_conv(window({6, 7}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}), 2, 6, 9, 1, nhwc);
    check_conv(window({3, 3}, {3, 3}, {1, 1}, {1, 1}, {-1, 1}, {1, 0}), 1, 2, 3, 1, nhwc);
  }
  check_conv(window({7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 300, 40, 1);
  check_conv(window({4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}), 1, 16, 600, 1);
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
