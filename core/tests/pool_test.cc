// Pools against a plain loop over taps, planes and channels last alike, on windows of every kind.
#include "kernels/pool.h"

#include <limits>
#include <vector>

#include "tests/check.h"

namespace onnxlet {
namespace {

constexpr float kGuard = -12345.0f;

std::vector<float> numbers(int64_t n, uint32_t seed = 7) {
  std::vector<float> out(static_cast<size_t>(n));
  for (float& v : out) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / 4194304.0f - 2.0f;
  }
  return out;
}

struct Axis {
  int64_t in, kernel, stride, dilation, pad, pad_end;
};

Window window_of(std::initializer_list<Axis> axes) {
  Window w;
  for (const Axis& a : axes) {
    const int64_t reach = (a.kernel - 1) * a.dilation + 1;
    w.in.push_back(a.in);
    w.kernel.push_back(a.kernel);
    w.stride.push_back(a.stride);
    w.dilation.push_back(a.dilation);
    w.pad.push_back(a.pad);
    w.pad_end.push_back(a.pad_end);
    w.out.push_back((a.in + a.pad + a.pad_end - reach) / a.stride + 1);
  }
  return w;
}

const std::vector<Window>& windows() {
  static const std::vector<Window> all = {
      window_of({{9, 3, 2, 1, 0, 0}, {111, 3, 2, 1, 0, 0}}),
      window_of({{7, 3, 1, 1, 1, 1}, {33, 3, 1, 1, 1, 1}}),
      window_of({{6, 5, 1, 1, 2, 2}, {8, 5, 1, 1, 2, 2}}),
      window_of({{4, 2, 2, 1, 0, 0}, {17, 2, 2, 1, 0, 1}}),
      window_of({{12, 3, 3, 2, 1, 2}, {31, 4, 3, 2, 3, 0}}),
      window_of({{5, 2, 1, 1, 0, 0}, {40, 3, 7, 1, 0, 0}}),
      window_of({{3, 3, 1, 1, 0, 0}, {1, 1, 1, 1, 0, 0}}),
      window_of({{24, 20, 4, 1, 3, 3}, {23, 19, 2, 1, 4, 4}}),
      window_of({{2500, 3, 1, 1, 1, 1}}),
      window_of({{2500, 2, 3, 600, 0, 0}}),
      window_of({{4, 2, 1, 1, 1, 1}, {5, 3, 2, 1, 1, 1}, {6, 2, 1, 1, 0, 1}}),
      window_of({{1, 1, 1, 1, 3, 0}, {2, 1, 1, 1, 5, 0}}),  // whole windows in the padding
  };
  return all;
}

// The taps of one output pixel, as indices into a plane; `counted` is what an average divides by.
std::vector<int64_t> taps_of(const Window& w, const Odometer& pixel, bool include_pad, int64_t* counted) {
  std::vector<int64_t> found;
  const Shape strides = w.in.strides();
  Odometer tap(w.kernel);
  *counted = 0;
  for (int64_t t = 0; t < w.taps(); ++t, tap.next()) {
    int64_t at = 0;
    bool inside = true, in_padded = true;
    for (int d = 0; d < w.rank(); ++d) {
      const int64_t i = pixel[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
      inside = inside && i >= 0 && i < w.in[d];
      in_padded = in_padded && i < w.in[d] + w.pad_end[d];
      at += i * strides[d];
    }
    if (inside) found.push_back(at);
    *counted += include_pad ? in_padded : inside;
  }
  return found;
}

std::vector<float> to_channels_last(const std::vector<float>& x, int64_t batch, int64_t channels, int64_t n) {
  std::vector<float> out(x.size());
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t i = 0; i < n; ++i) {
        out[static_cast<size_t>((b * n + i) * channels + c)] = x[static_cast<size_t>((b * channels + c) * n + i)];
      }
    }
  }
  return out;
}

// Both layouts of `pool` and of its channels-last form against `expected`.
template <class Pool, class PoolLast>
void check_both(const Window& w, const std::vector<float>& x, const std::vector<float>& expected, int64_t batch,
                int64_t channels, Pool pool, PoolLast pool_last) {
  std::vector<float> y(expected.size() + 8, kGuard), z = y;
  pool(x.data(), y.data());
  pool_last(to_channels_last(x, batch, channels, w.in.size()).data(), z.data());
  const std::vector<float> last = to_channels_last(expected, batch, channels, w.pixels());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK_NEAR(y[i], expected[i], 1e-5);
    CHECK_NEAR(z[i], last[i], 1e-5);
  }
  for (size_t i = expected.size(); i < y.size(); ++i) {
    CHECK_EQ(y[i], kGuard);
    CHECK_EQ(z[i], kGuard);
  }
}

TEST(pool_matches_plain_loop) {
  constexpr int64_t kBatch = 2, kChannels = 5;
  for (const Window& w : windows()) {
    const int64_t in = w.in.size(), out = w.pixels();
    std::vector<float> x = numbers(kBatch * kChannels * in);
    x[static_cast<size_t>(in / 2)] = std::numeric_limits<float>::quiet_NaN();
    for (const bool include_pad : {false, true}) {
      std::vector<float> max, average;
      for (int64_t p = 0; p < kBatch * kChannels; ++p) {
        Odometer pixel(w.out);
        for (int64_t o = 0; o < out; ++o, pixel.next()) {
          float best = -std::numeric_limits<float>::infinity();
          double sum = 0;
          int64_t counted;
          for (const int64_t at : taps_of(w, pixel, include_pad, &counted)) {
            const float v = x[static_cast<size_t>(p * in + at)];
            if (!(v <= best) && best == best) best = v;
            sum += static_cast<double>(v);
          }
          max.push_back(best);
          average.push_back(static_cast<float>(counted > 0 ? sum / static_cast<double>(counted) : 0));
        }
      }
      check_both(
          w, x, max, kBatch, kChannels, [&](const float* a, float* b) { pool_max(w, kBatch * kChannels, a, b); },
          [&](const float* a, float* b) { pool_max_nhwc(w, kBatch, kChannels, a, b); });
      check_both(
          w, x, average, kBatch, kChannels,
          [&](const float* a, float* b) { pool_average(w, kBatch * kChannels, a, b, include_pad); },
          [&](const float* a, float* b) { pool_average_nhwc(w, kBatch, kChannels, a, b, include_pad); });
    }
  }
}

template <class T>
void check_integers() {
  for (const Window& w : windows()) {
    std::vector<T> x;
    for (const float v : numbers(3 * w.in.size())) x.push_back(static_cast<T>(static_cast<int>(v * 60)));
    std::vector<T> y(static_cast<size_t>(3 * w.pixels())), z = y, best = y;
    pool_max(w, 3, x.data(), y.data());
    std::vector<int64_t> indices(y.size());
    pool_max_indices(w, 3, x.data(), best.data(), indices.data(), false);
    CHECK(y == best);
    pool_max_nhwc(w, 3, 1, x.data(), z.data());
    CHECK(z == best);
  }
}
TEST(pool_of_integers) {
  check_integers<int8_t>();
  check_integers<uint8_t>();
}

TEST(global_pool_channels_last) {
  constexpr int64_t kBatch = 2;
  for (const int64_t n : {1, 2, 49, 600}) {
    for (const int64_t channels : {1, 3, 8, 130}) {
      const std::vector<float> x = numbers(kBatch * channels * n), last = to_channels_last(x, kBatch, channels, n);
      std::vector<float> y(static_cast<size_t>(kBatch * channels)), z = y;
      global_max(kBatch * channels, n, x.data(), y.data());
      global_max_nhwc(kBatch, n, channels, last.data(), z.data());
      CHECK(y == z);
      global_average(kBatch * channels, n, x.data(), y.data());
      global_average_nhwc(kBatch, n, channels, last.data(), z.data());
      for (size_t i = 0; i < y.size(); ++i) CHECK_NEAR(y[i], z[i], 1e-6);
    }
  }
}

}  // namespace
}  // namespace onnxlet
