// From the samples of a JPEG file's components to pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "codecs/image.h"

namespace onnxlet {

struct JpegPlane {
  int h = 1, v = 1;               // sampling factors
  int64_t width = 0, height = 0;  // of the samples that count
  int64_t stride = 0;
  uint8_t* samples = nullptr;
  const uint8_t* row(int64_t y) const { return samples + y * stride; }
};

enum class JpegColour : uint8_t { kGrey, kRgb, kYcc, kCmyk, kYcck };

// Chroma is interpolated and colours are converted as libjpeg does; CMYK becomes RGB as in Pillow, which takes the inks
// to be inverted as Adobe's programs write them.
Result<Tensor> jpeg_pixels(std::span<const JpegPlane> planes, JpegColour colour, int64_t width, int64_t height,
                           PixelFormat format, Pool& pool);

}  // namespace onnxlet
