// The attributes that convolutions and pools share, and the sizes that follow from them.
#pragma once

#include <vector>

#include "kernels/window.h"
#include "ops/op.h"

namespace onnxlet {

struct WindowAttrs {
  std::vector<int64_t> kernel_shape, strides, dilations, pads;
  std::string_view auto_pad;  // into the model's bytes
  bool ceil_mode = false;

  // Reads kernel_shape, strides, pads, auto_pad and, when `dilated`, dilations.
  Status read(Attrs& a, bool dilated = true);
  // Output size and pads for an input of `in` spatial dimensions.
  Result<Window> resolve(const Shape& in, const Shape& kernel) const;
  // A transposed convolution over an input of `in`: the window of the convolution it reverses (in and out swapped).
  Result<Window> resolve_transposed(const Shape& in, const Shape& kernel, std::span<const int64_t> output_padding,
                                    std::span<const int64_t> output_shape) const;

 private:
  Result<Window> base(const Shape& in, const Shape& kernel) const;
  bool same() const { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }
};

// The parts of an image's shape: [N, C, space...] or, with the channels last, [N, space..., C].
inline Shape spatial(const Shape& s, bool channels_last = false) {
  return Shape(channels_last ? s.dims().subspan(1, s.dims().size() - 2) : s.dims().subspan(2));
}
inline int64_t channels_of(const Shape& s, bool channels_last) { return channels_last ? s.back() : s[1]; }
Shape with_spatial(int64_t n, int64_t c, const Shape& spatial, bool channels_last = false);

}  // namespace onnxlet
