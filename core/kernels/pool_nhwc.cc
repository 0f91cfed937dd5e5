// Pools of tensors whose channels lie side by side: each output pixel combines whole input pixels.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/pool.h"
#include "kernels/pool_rows.h"
#include "kernels/reduce.h"

namespace onnxlet {
namespace {

// Calls finish(y, pixel) for each output pixel once its window is combined into y, its `channels` values.
template <class T, class Combine, class Finish>
void pool_pixels(const Window& w, int64_t batch, int64_t channels, const T* x, T* y, Combine combine, Finish finish) {
  const int last = w.rank() - 1;
  const int64_t inner = w.out[last], rows = inner != 0 ? w.pixels() / inner : 0;
  const int64_t in = w.in.size() * channels;
  const Shape strides = w.in.strides();
  const auto n = static_cast<ptrdiff_t>(channels);
  parallel_for(batch * rows, grain_for(inner * w.taps() * (channels / 4 + 4)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = r % rows;
      const T* image = x + r / rows * in;
      T* to = y + r * inner * channels;
      for (int64_t o = 0; o < inner; ++o, to += channels) {
        const TapRange range = taps_inside(w, last, o);
        const int64_t first = o * w.stride[last] - w.pad[last];
        RowCollector<T, Combine> collector(to, n, combine);
        each_leading_tap(w, strides, row, [&](int64_t at) {
          for (int64_t k = range.begin; k < range.end; ++k) {
            collector.add(image + (at + first + k * w.dilation[last]) * channels);
          }
        });
        collector.finish();
        finish(to, row, o);
      }
    }
  });
}

}  // namespace

template <class T>
void pool_max_nhwc(const Window& w, int64_t batch, int64_t channels, const T* x, T* y) {
  pool_pixels(w, batch, channels, x, y, PoolMax(), [](T*, int64_t, int64_t) {});
}
template void pool_max_nhwc(const Window&, int64_t, int64_t, const float*, float*);
template void pool_max_nhwc(const Window&, int64_t, int64_t, const int8_t*, int8_t*);
template void pool_max_nhwc(const Window&, int64_t, int64_t, const uint8_t*, uint8_t*);

void pool_average_nhwc(const Window& w, int64_t batch, int64_t channels, const float* x, float* y, bool include_pad) {
  const int last = w.rank() - 1;
  pool_pixels(w, batch, channels, x, y, PoolSum(), [&](float* to, int64_t row, int64_t o) {
    int64_t count = taps_counted(w, last, o, include_pad);
    for (int d = last - 1; d >= 0; --d) {
      count *= taps_counted(w, d, row % w.out[d], include_pad);
      row /= w.out[d];
    }
    const float divisor = static_cast<float>(count);
    for (ptrdiff_t c = 0; count > 0 && c < static_cast<ptrdiff_t>(channels); ++c) to[c] /= divisor;
  });
}

void global_max_nhwc(int64_t batch, int64_t n, int64_t channels, const float* x, float* y) {
  std::fill_n(y, n == 0 ? batch * channels : 0, PoolMax::identity<float>());
  if (n > 0) reduce_axis(Reduction::kMax, x, batch, n, channels, n, y);
}

void global_average_nhwc(int64_t batch, int64_t n, int64_t channels, const float* x, float* y) {
  if (n > 0) {
    reduce_axis(Reduction::kSum, x, batch, n, channels, n, y);
  } else {
    std::fill_n(y, batch * channels, 0.0f);
  }
  const float count = static_cast<float>(n);
  for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(batch * channels); ++i) y[i] /= count;
}

}  // namespace onnxlet
