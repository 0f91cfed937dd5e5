#include "codecs/jpeg_colour.h"

#include <algorithm>

#include "base/text.h"

namespace onnxlet {
namespace {

// ---- chroma to full size: triangle filters over pairs of samples, with libjpeg's roundings

void widen(const uint8_t* in, int64_t count, uint8_t* out) {
  out[0] = in[0];
  out[1] = static_cast<uint8_t>((in[0] * 3 + in[1] + 2) >> 2);
  for (int64_t i = 1; i + 1 < count; ++i) {
    out[2 * i] = static_cast<uint8_t>((in[i] * 3 + in[i - 1] + 1) >> 2);
    out[2 * i + 1] = static_cast<uint8_t>((in[i] * 3 + in[i + 1] + 2) >> 2);
  }
  out[2 * count - 2] = static_cast<uint8_t>((in[count - 1] * 3 + in[count - 2] + 1) >> 2);
  out[2 * count - 1] = in[count - 1];
}

void widen_both(const uint8_t* near, const uint8_t* far, int64_t count, uint8_t* out) {
  const auto sum = [&](int64_t i) { return near[i] * 3 + far[i]; };
  out[0] = static_cast<uint8_t>((sum(0) * 4 + 8) >> 4);
  out[1] = static_cast<uint8_t>((sum(0) * 3 + sum(1) + 7) >> 4);
  for (int64_t i = 1; i + 1 < count; ++i) {
    out[2 * i] = static_cast<uint8_t>((sum(i) * 3 + sum(i - 1) + 8) >> 4);
    out[2 * i + 1] = static_cast<uint8_t>((sum(i) * 3 + sum(i + 1) + 7) >> 4);
  }
  out[2 * count - 2] = static_cast<uint8_t>((sum(count - 1) * 3 + sum(count - 2) + 8) >> 4);
  out[2 * count - 1] = static_cast<uint8_t>((sum(count - 1) * 4 + 7) >> 4);
}

// The samples of row y at full size, in `out` or where they lie.
const uint8_t* full_row(const JpegPlane& p, int across, int down, int64_t y, int64_t width, uint8_t* out) {
  const int64_t own = std::min(y / down, p.height - 1);
  const uint8_t* row = p.row(own);
  if (across == 1 && down == 1) return row;
  const int64_t beside = std::clamp<int64_t>(y % down == 0 ? own - 1 : own + 1, 0, p.height - 1);
  if (across == 2 && down == 1 && p.width > 2) {
    widen(row, p.width, out);
  } else if (across == 2 && down == 2 && p.width > 2) {
    widen_both(row, p.row(beside), p.width, out);
  } else if (across == 1 && down == 2) {
    const int bias = y % 2 == 0 ? 1 : 2;
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<uint8_t>((row[i] * 3 + p.row(beside)[i] + bias) >> 2);
  } else {
    for (int64_t i = 0; i < width; ++i) out[i] = row[i / across];
  }
  return out;
}

// ---- colours

constexpr int32_t fix(double x) { return static_cast<int32_t>(x * 65536 + 0.5); }
uint8_t clamped(int32_t v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

struct Rgb {
  uint8_t r, g, b;
};

Rgb from_ycc(int32_t y, int32_t cb, int32_t cr) {
  constexpr int32_t kHalf = 1 << 15;
  cb -= 128, cr -= 128;
  return {clamped(y + ((fix(1.40200) * cr + kHalf) >> 16)),
          clamped(y + ((-fix(0.34414) * cb - fix(0.71414) * cr + kHalf) >> 16)),
          clamped(y + ((fix(1.77200) * cb + kHalf) >> 16))};
}

uint8_t under_ink(int32_t ink, int32_t white) {  // both as they are in the file: 255 is none
  const int32_t product = (255 - ink) * white + 128;
  return clamped(white - (((product >> 8) + product) >> 8));
}

}  // namespace

Result<Tensor> jpeg_pixels(std::span<const JpegPlane> planes, JpegColour colour, int64_t width, int64_t height,
                           PixelFormat format, Pool& pool) {
  int most_h = 1, most_v = 1;
  int64_t widest = width;
  for (const JpegPlane& p : planes) most_h = std::max(most_h, p.h), most_v = std::max(most_v, p.v);
  for (const JpegPlane& p : planes) {
    if (most_h % p.h != 0 || most_v % p.v != 0) {
      return not_implemented("its sampling factors ", p.h, " x ", p.v, " do not divide ", most_h, " x ", most_v);
    }
    widest = std::max(widest, p.width * (most_h / p.h));
  }
  OL_ASSIGN(Picture picture, Picture::allocate(pool, format, width, height));
  std::vector<uint8_t> buffer(static_cast<size_t>(widest) * planes.size());
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* rows[4] = {};
    for (size_t c = 0; c < planes.size(); ++c) {
      const JpegPlane& p = planes[c];
      rows[c] = full_row(p, most_h / p.h, most_v / p.v, y, width, buffer.data() + static_cast<size_t>(widest) * c);
    }
    uint8_t* to = picture.at(0, y);
    for (int64_t x = 0; x < width; ++x, to += picture.channels()) {
      if (colour == JpegColour::kGrey) {
        picture.put_grey(to, rows[0][x]);
        continue;
      }
      Rgb c{rows[0][x], rows[1][x], rows[2][x]};
      if (colour == JpegColour::kYcc || colour == JpegColour::kYcck) c = from_ycc(c.r, c.g, c.b);
      if (colour == JpegColour::kYcck) c = {uint8_t(255 - c.r), uint8_t(255 - c.g), uint8_t(255 - c.b)};
      if (planes.size() == 4) {
        const int32_t white = rows[3][x];
        c = {under_ink(c.r, white), under_ink(c.g, white), under_ink(c.b, white)};
      }
      picture.put(to, c.r, c.g, c.b);
    }
  }
  return picture.take();
}

}  // namespace onnxlet
