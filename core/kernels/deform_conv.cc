#include "kernels/deform_conv.h"

#include <cmath>

#include "base/parallel.h"

namespace onnxlet {
namespace {

template <class T>
T sample(const T* plane, int64_t height, int64_t width, T y, T x) {
  if (!(y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width))) return 0;
  const T y_floor = std::floor(y), x_floor = std::floor(x);
  const int64_t y0 = static_cast<int64_t>(y_floor), x0 = static_cast<int64_t>(x_floor);
  const T fy = y - y_floor, fx = x - x_floor;
  auto at = [&](int64_t r, int64_t c) {
    return r >= 0 && r < height && c >= 0 && c < width ? plane[r * width + c] : T{0};
  };
  return (1 - fy) * ((1 - fx) * at(y0, x0) + fx * at(y0, x0 + 1)) +
         fy * ((1 - fx) * at(y0 + 1, x0) + fx * at(y0 + 1, x0 + 1));
}

}  // namespace

template <class T>
void deform_patches(const DeformPatches& d, const T* x, const T* offset, const T* mask, int64_t first_channel,
                    int64_t channels, int64_t p0, int64_t p1, T* out) {
  const Window& w = d.window;
  const int64_t taps = w.taps(), pixels = w.pixels(), height = w.in[0], width = w.in[1], count = p1 - p0;
  parallel_for(channels * taps, grain_for(count * 16), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t channel = first_channel + row / taps, tap = row % taps;
      const int64_t group = channel / (d.channels / d.offset_groups);
      const T* plane = x + channel * height * width;
      const T* dy = offset + (group * taps + tap) * 2 * pixels;
      const T* dx = dy + pixels;
      const T* m = mask ? mask + (group * taps + tap) * pixels : nullptr;
      const int64_t tap_y = tap / w.kernel[1] * w.dilation[0] - w.pad[0],
                    tap_x = tap % w.kernel[1] * w.dilation[1] - w.pad[1];
      for (int64_t p = p0; p < p1; ++p) {
        const T at_y = static_cast<T>(p / w.out[1] * w.stride[0] + tap_y) + dy[p];
        const T at_x = static_cast<T>(p % w.out[1] * w.stride[1] + tap_x) + dx[p];
        const T v = sample(plane, height, width, at_y, at_x);
        out[row * count + p - p0] = m ? v * m[p] : v;
      }
    }
  });
}
template void deform_patches(const DeformPatches&, const float*, const float*, const float*, int64_t, int64_t, int64_t,
                             int64_t, float*);
template void deform_patches(const DeformPatches&, const double*, const double*, const double*, int64_t, int64_t,
                             int64_t, int64_t, double*);

}  // namespace onnxlet
