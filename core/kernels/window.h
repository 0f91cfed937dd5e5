// The sliding window of convolutions and pools: spatial sizes only, any rank.
#pragma once

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

}  // namespace onnxlet
