// The input of a convolution of 8-bit integers as its kernels multiply it: [image][rows][columns][groups][channels],
// the channels of a group side by side. It stays where it is if the machine's dot takes its bytes as they are; else a
// copy has them recoded, the channels of each group filled up to whole vectors, and padding beside each row.
#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/int_tile.h"

namespace onnxlet::int_tile {

template <class Format>
struct Source {
  using Element = typename Format::Element;
  static constexpr bool kBytes = sizeof(Element) == 1;

  const IntConv& c;
  ARecode recode;
  bool copied;
  int64_t groups, given, channels;  // of a group: the model's, with what fills up
  int64_t left = 0, columns, rows;  // of an image: columns with the padding of a copy, rows of all axes but the last
  Element padding;                  // what elements outside are
  const Element* data;

  // The channels of each of `groups_of` groups are filled up to a multiple of `whole`.
  Source(const IntConv& conv, int64_t groups_of, int64_t whole)
      : c(conv), recode(Format::recode(c.x_signed, c.x_zero, operand_of(c.kernel))), groups(groups_of) {
    const Window& w = c.window;
    const int last = w.rank() - 1;
    given = c.channels / groups;
    channels = (given + whole - 1) / whole * whole;
    copied = !kBytes || recode.flip != 0 || !c.channels_last || channels != given;
    columns = w.in[last];
    rows = columns != 0 ? w.in.size() / columns : 0;
    if (copied && rows != 0) {
      const int64_t reach = (w.out[last] - 1) * w.stride[last] + (w.kernel[last] - 1) * w.dilation[last] + 1;
      left = std::max<int64_t>(w.pad[last], 0);
      columns = left + std::max(columns, reach - w.pad[last]);
    }
    padding = Format::encode(recode, c.x_zero);
    data = reinterpret_cast<const Element*>(c.x);
  }

  int64_t pixel() const { return groups * channels; }
  int64_t bytes() const {
    return copied ? (c.batch * rows * columns * pixel() * static_cast<int64_t>(sizeof(Element)) + 63) / 64 * 64 : 0;
  }
  // `memory`: bytes() of it.
  void make(void* memory) {
    if (!copied) return;
    Element* const to = static_cast<Element*>(memory);
    data = to;
    parallel_for(c.batch * rows, grain_for(columns * pixel() / 4), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) copy_row(r / rows, r % rows, to + r * columns * pixel());
    });
  }

 private:
  void copy_row(int64_t image, int64_t row, Element* to) const {
    const int64_t width = c.window.in[c.window.rank() - 1], plane = c.window.in.size();
    const auto step = static_cast<ptrdiff_t>(pixel());
    std::fill(to, to + left * step, padding);
    std::fill(to + (left + width) * step, to + columns * step, padding);
    to += left * step;
    if (c.channels_last) {
      const uint8_t* x = c.x + (image * rows + row) * width * c.channels;
      if (given == channels) return encode(x, static_cast<ptrdiff_t>(width * c.channels), 1, to);
      for (int64_t i = 0; i < width * groups; ++i, x += given, to += channels) {
        encode(x, static_cast<ptrdiff_t>(given), 1, to);
        std::fill(to + given, to + channels, Element{});
      }
      return;
    }
    for (int64_t ch = 0; ch < groups * channels; ++ch) {
      const int64_t group = ch / channels, at = ch % channels;
      if (at < given) {
        const uint8_t* x = c.x + (image * c.channels + group * given + at) * plane + row * width;
        encode(x, static_cast<ptrdiff_t>(width), step, to + ch);
      } else {
        for (int64_t i = 0; i < width; ++i) to[i * step + ch] = Element{};
      }
    }
  }

  void encode(const uint8_t* x, ptrdiff_t n, ptrdiff_t step, Element* to) const {
    if constexpr (kBytes) {
      const uint8_t flip = recode.flip;
      if (step == 1) {
        for (ptrdiff_t i = 0; i < n; ++i) to[i] = x[i] ^ flip;
      } else {
        for (ptrdiff_t i = 0; i < n; ++i) to[i * step] = x[i] ^ flip;
      }
    } else {
      // Signed bytes as unsigned ones, 128 higher.
      const uint8_t flip = c.x_signed ? 0x80 : 0;
      const auto zero = static_cast<int16_t>(recode.zero + flip);
      if (step == 1) {
        for (ptrdiff_t i = 0; i < n; ++i) to[i] = static_cast<int16_t>((x[i] ^ flip) - zero);
      } else {
        for (ptrdiff_t i = 0; i < n; ++i) to[i * step] = static_cast<int16_t>((x[i] ^ flip) - zero);
      }
    }
  }
};

// The input rows that an output pixel sees, one for each index of the kernel's other axes: offset in rows, or -1.
inline int64_t kernel_row(const Window& w, const Odometer& pixel, int64_t index) {
  int64_t row = 0, stride = 1;
  for (int d = w.rank() - 2; d >= 0; --d) {
    const int64_t at = pixel[d] * w.stride[d] - w.pad[d] + index % w.kernel[d] * w.dilation[d];
    index /= w.kernel[d];
    if (at < 0 || at >= w.in[d]) return -1;
    row += at * stride;
    stride *= w.in[d];
  }
  return row;
}

}  // namespace onnxlet::int_tile
