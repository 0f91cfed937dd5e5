// Where the patches of a convolution lie: for each tap and each output pixel of a block, the input element's offset or
// -1.
#pragma once

#include "kernels/window.h"

namespace onnxlet::inline ONNXLET_LEVEL {

// Of four neighbouring pixels and one tap. kContiguous and above: this many such strips follow each other without a
// gap.
enum Strip : uint8_t { kScattered = 0, kPadding = 1, kEverySecond = 2, kContiguous = 3 };
inline constexpr int kLongestRun = 255 - kContiguous + 1;

// Offsets of all taps for one output pixel, `step` apart in `out`.
inline void locate_pixel(const Window& w, const Shape& strides, int64_t pixel_stride, const Odometer& pixel,
                         int64_t step, int32_t* out) {
  const int last = w.rank() - 1;
  const int64_t inner = w.kernel[last], outer = w.taps() / inner, width = w.in[last], dilation = w.dilation[last];
  const int64_t begin = pixel[last] * w.stride[last] - w.pad[last];
  for (int64_t o = 0; o < outer; ++o) {
    int64_t row = 0, rest = o;
    for (int d = last - 1; d >= 0; --d) {
      const int64_t at = pixel[d] * w.stride[d] - w.pad[d] + rest % w.kernel[d] * w.dilation[d];
      rest /= w.kernel[d];
      if (at < 0 || at >= w.in[d]) {
        row = -1;
        break;
      }
      row += at * strides[d];
    }
    int32_t x = static_cast<int32_t>(begin);
    for (int64_t i = 0; i < inner; ++i, x += static_cast<int32_t>(dilation), out += step) {
      const bool inside = row >= 0 && x >= 0 && x < width;
      *out = inside ? static_cast<int32_t>((row + x) * pixel_stride) : -1;
    }
  }
}

// Fills the table for output pixels [p0, p0 + n); n is rounded up to whole strips with padding.
inline void locate_patches(const Window& w, int64_t pixel_stride, int64_t p0, int64_t n, int64_t block,
                           int32_t* offsets, uint8_t* kinds) {
  constexpr int kRows = 4;
  const Shape strides = w.in.strides();
  const int64_t taps = w.taps(), rows = (n + kRows - 1) / kRows * kRows;
  Odometer pixel(w.out, p0);
  for (int64_t i = 0; i < n; ++i, pixel.next()) locate_pixel(w, strides, pixel_stride, pixel, block, offsets + i);
  for (int64_t t = 0; t < taps; ++t) {
    int32_t* o = offsets + t * block;
    uint8_t* kind = kinds + t * (block / kRows);
    for (int64_t i = n; i < rows; ++i) o[i] = -1;
    for (int64_t s = rows / kRows - 1; s >= 0; --s) {
      const int32_t* q = o + s * kRows;
      const int32_t step = q[1] - q[0];
      kind[s] = kScattered;
      if (q[0] < 0 && q[1] < 0 && q[2] < 0 && q[3] < 0) {
        kind[s] = kPadding;
      } else if (q[0] >= 0 && q[1] >= 0 && q[2] - q[1] == step && q[3] - q[2] == step) {
        if (step == 2) kind[s] = kEverySecond;
        if (step == 1) {
          const bool joins = s + 1 < rows / kRows && kind[s + 1] >= kContiguous && q[4] == q[3] + 1 &&
                             kind[s + 1] - kContiguous + 1 < kLongestRun;
          kind[s] = joins ? static_cast<uint8_t>(kind[s + 1] + 1) : uint8_t{kContiguous};
        }
      }
    }
  }
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
