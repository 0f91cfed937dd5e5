// Where the patches of a convolution lie: for each tap and each output pixel of a block, the input element's offset or -1.
#pragma once

#include "kernels/window.h"

namespace onnxlet {

// Of four neighbouring pixels and one tap.
enum Strip : uint8_t { kScattered, kContiguous, kPadding };

// Fills the table for output pixels [p0, p0 + n); n is rounded up to whole strips with padding.
inline void locate_patches(const Window& w, int64_t pixel_stride, int64_t p0, int64_t n, int64_t block, int32_t* offsets, uint8_t* kinds) {
  constexpr int kRows = 4;
  const int rank = w.rank();
  const Shape strides = w.in.strides();
  const int64_t taps = w.taps(), rows = (n + kRows - 1) / kRows * kRows;
  Odometer pixel(w.out, p0);
  for (int64_t i = 0; i < rows; ++i) {
    if (i >= n) {
      for (int64_t t = 0; t < taps; ++t) offsets[t * block + i] = -1;
      continue;
    }
    Odometer tap(w.kernel);
    for (int64_t t = 0; t < taps; ++t, tap.next()) {
      int64_t at = 0;
      for (int d = 0; d < rank; ++d) {
        const int64_t x = pixel[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
        if (x < 0 || x >= w.in[d]) {
          at = -1;
          break;
        }
        at += x * strides[d];
      }
      offsets[t * block + i] = static_cast<int32_t>(at < 0 ? -1 : at * pixel_stride);
    }
    pixel.next();
  }
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t s = 0; s < rows / kRows; ++s) {
      const int32_t* o = offsets + t * block + s * kRows;
      uint8_t kind = kScattered;
      if (o[0] >= 0 && o[1] == o[0] + 1 && o[2] == o[0] + 2 && o[3] == o[0] + 3) kind = kContiguous;
      if (o[0] < 0 && o[1] < 0 && o[2] < 0 && o[3] < 0) kind = kPadding;
      kinds[t * (block / kRows) + s] = kind;
    }
  }
}

}  // namespace onnxlet
