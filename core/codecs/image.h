// Pictures from the bytes of a file. Nothing is allocated by a size that the file only claims: each decoder first
// checks that the file is long enough to hold such a picture.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "base/tensor.h"

namespace onnxlet {

enum class PixelFormat : uint8_t { kRgb, kBgr, kGrayscale };

// uint8 [height, width, channels] of a PNG, JPEG, BMP or PNM file, told by its first bytes. Alpha is dropped, and
// colours become grey as ITU-R 601 weighs them. Errors say what the file is and where it is damaged.
Result<Tensor> decode_image(std::span<const uint8_t> file, PixelFormat format, Pool& pool);

// ---- for decoders

using Bytes = std::span<const uint8_t>;

Result<Tensor> decode_png(Bytes file, PixelFormat format, Pool& pool);
Result<Tensor> decode_jpeg(Bytes file, PixelFormat format, Pool& pool);
Result<Tensor> decode_bmp(Bytes file, PixelFormat format, Pool& pool);
Result<Tensor> decode_pnm(Bytes file, PixelFormat format, Pool& pool);

constexpr uint64_t kMostPixels = uint64_t{1} << 28;

inline uint32_t big16(const uint8_t* p) { return static_cast<uint32_t>(p[0] << 8 | p[1]); }
inline uint32_t big32(const uint8_t* p) { return big16(p) << 16 | big16(p + 2); }
inline uint32_t little16(const uint8_t* p) { return static_cast<uint32_t>(p[1] << 8 | p[0]); }
inline uint32_t little32(const uint8_t* p) { return little16(p + 2) << 16 | little16(p); }

// The tensor being filled.
class Picture {
 public:
  static Result<Picture> allocate(Pool& pool, PixelFormat format, int64_t width, int64_t height);

  uint8_t* at(int64_t x, int64_t y) { return data_ + (y * width_ + x) * channels_; }
  int channels() const { return channels_; }
  void put(uint8_t* pixel, uint8_t r, uint8_t g, uint8_t b) const {
    if (format_ == PixelFormat::kGrayscale) {
      *pixel = static_cast<uint8_t>((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
      return;
    }
    pixel[format_ == PixelFormat::kRgb ? 0 : 2] = r;
    pixel[1] = g;
    pixel[format_ == PixelFormat::kRgb ? 2 : 0] = b;
  }
  void put_grey(uint8_t* pixel, uint8_t v) const {
    for (int c = 0; c < channels_; ++c) pixel[c] = v;
  }
  Tensor take() { return std::move(tensor_); }

 private:
  Tensor tensor_;
  uint8_t* data_ = nullptr;
  int64_t width_ = 0;
  int channels_ = 0;
  PixelFormat format_ = PixelFormat::kRgb;
};

}  // namespace onnxlet
