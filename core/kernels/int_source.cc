#include "kernels/int_source.h"

#include "base/parallel.h"

namespace onnxlet::int_tile {

Source::Source(const IntConv& conv, int64_t groups_of, int64_t whole, int64_t element_bytes, ARecode how)
    : c(conv), element(element_bytes), recode(how), groups(groups_of) {
  const Window& w = c.window;
  const int last = w.rank() - 1;
  given = c.channels / groups;
  channels = (given + whole - 1) / whole * whole;
  copied = element != 1 || recode.flip != 0 || !c.channels_last || channels != given;
  columns = w.in[last];
  rows = columns != 0 ? w.in.size() / columns : 0;
  if (copied && rows != 0) {
    const int64_t reach = (w.out[last] - 1) * w.stride[last] + (w.kernel[last] - 1) * w.dilation[last] + 1;
    left = std::max<int64_t>(w.pad[last], 0);
    columns = left + std::max(columns, reach - w.pad[last]);
  }
  pixel = groups * channels * element;
  image = rows * columns * pixel;
  data = c.x;
}

void Source::make(void* memory) {
  if (!copied) return;
  uint8_t* const to = static_cast<uint8_t*>(memory);
  data = to;
  parallel_for(c.batch * rows, grain_for(columns * pixel / 4), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) copy_row(r / rows, r % rows, to + r * columns * pixel);
  });
}

void Source::pad(uint8_t* to, int64_t n) const {
  std::memset(to, element == 1 ? static_cast<uint8_t>(c.x_zero) ^ recode.flip : 0, static_cast<size_t>(n));
}

const uint8_t* Source::line(int64_t of_image, int64_t row, int64_t index) const {
  const Window& w = c.window;
  int64_t at = 0, stride = 1;
  for (int d = w.rank() - 2; d >= 0; --d) {
    const int64_t i = row % w.out[d] * w.stride[d] - w.pad[d] + index % w.kernel[d] * w.dilation[d];
    row /= w.out[d];
    index /= w.kernel[d];
    if (i < 0 || i >= w.in[d]) return nullptr;
    at += i * stride;
    stride *= w.in[d];
  }
  return data + of_image * image + at * columns * pixel;
}

void Source::copy_row(int64_t of_image, int64_t row, uint8_t* to) const {
  const int64_t width = c.window.in[c.window.rank() - 1], plane = c.window.in.size();
  pad(to, left * pixel);
  pad(to + (left + width) * pixel, (columns - left - width) * pixel);
  to += left * pixel;
  if (c.channels_last) {
    const uint8_t* x = c.x + (of_image * rows + row) * width * c.channels;
    if (given == channels) return encode(x, width * c.channels, to);
    for (int64_t i = 0; i < width * groups; ++i, x += given, to += channels * element) {
      for (ptrdiff_t j = 0; j < static_cast<ptrdiff_t>(channels); ++j) put(j < given ? encoded(x[j]) : 0, j, to);
    }
    return;
  }
  if (given != channels) std::memset(to, 0, static_cast<size_t>(width * pixel));
  for (int64_t ch = 0; ch < c.channels; ++ch) {
    const uint8_t* x = c.x + (of_image * c.channels + ch) * plane + row * width;
    const auto step = static_cast<ptrdiff_t>(pixel / element);
    uint8_t* at = to + (ch / given * channels + ch % given) * element;
    for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(width); ++i) put(encoded(x[i]), i * step, at);
  }
}

void Source::encode(const uint8_t* x, int64_t count, uint8_t* to) const {
  using int_dot::U8x16;
  typedef int16_t I16x8 __attribute__((vector_size(16)));
  constexpr ptrdiff_t kStep = 16;
  const auto n = static_cast<ptrdiff_t>(count);
  const U8x16 flip = U8x16{} + sign_flip();
  const I16x8 zero = I16x8{} + shifted_zero();
  ptrdiff_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    const U8x16 v = int_dot::load_bytes(x + i) ^ flip;
    if (element == 1) {
      std::memcpy(to + i, &v, sizeof(v));
      continue;
    }
    const I16x8 wide[] = {(I16x8)int_dot::widen_low(v) - zero, (I16x8)int_dot::widen_high(v) - zero};
    std::memcpy(to + 2 * i, wide, sizeof(wide));
  }
  for (; i < n; ++i) put(encoded(x[i]), i, to);
}

}  // namespace onnxlet::int_tile
