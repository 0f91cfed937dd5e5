// The sliding window of convolutions and pools: spatial sizes only, any rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/shape.h"

namespace onnxlet {

struct Window {
  Shape in, out, kernel, stride, dilation;
  Shape pad, pad_end;  // elements before and behind each axis; with ceil_mode a window may reach beyond pad_end

  int rank() const { return in.rank(); }
  int64_t taps() const { return kernel.size(); }
  int64_t pixels() const { return out.size(); }
};

// Counts through an index space, last axis fastest.
class Odometer {
 public:
  explicit Odometer(const Shape& dims, int64_t start = 0) : dims_(dims), at_(Shape::filled(dims.rank(), 0)) {
    for (int i = dims.rank() - 1; i >= 0 && start > 0; --i) {
      at_[i] = start % dims[i];
      start /= dims[i];
    }
  }
  int64_t operator[](int i) const { return at_[i]; }
  void next() {
    for (int i = dims_.rank() - 1; i >= 0; --i) {
      if (++at_[i] < dims_[i]) return;
      at_[i] = 0;
    }
  }

 private:
  Shape dims_, at_;
};

// Calls f(tap, y_row, x, x_step, n) for every tap and output row: output elements y_row ... y_row + n - 1 of a plane
// see the plane's elements x, x + x_step, ... Everything outside the input is left out. Inner loops run along memory.
template <class F>
void each_tap_row(const Window& w, F f) {
  const int last = w.rank() - 1;
  const Shape strides = w.in.strides();
  const int64_t inner = w.out[last], rows = inner ? w.pixels() / inner : 0, stride = w.stride[last];
  Odometer tap(w.kernel);
  for (int64_t t = 0; t < w.taps(); ++t, tap.next()) {
    const int64_t shift = tap[last] * w.dilation[last] - w.pad[last];
    const int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    const int64_t end = std::min(inner, w.in[last] > shift ? (w.in[last] - shift + stride - 1) / stride : 0);
    if (end <= first) continue;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t at = 0, rest = row;
      bool inside = true;
      for (int d = last - 1; d >= 0 && inside; --d) {
        const int64_t i = rest % w.out[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
        rest /= w.out[d];
        inside = i >= 0 && i < w.in[d];
        at += i * strides[d];
      }
      if (!inside) continue;
      f(t, static_cast<ptrdiff_t>(row * inner + first), static_cast<ptrdiff_t>(at + shift + first * stride),
        static_cast<ptrdiff_t>(stride), static_cast<ptrdiff_t>(end - first));
    }
  }
}

}  // namespace onnxlet
