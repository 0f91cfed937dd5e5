// BMP: 1, 4, 8, 16, 24 and 32 bits per pixel, rows from either end, uncompressed or with bit fields.
#include <cstdlib>

#include "base/text.h"
#include "codecs/image.h"

namespace onnxlet {
namespace {

constexpr size_t kFileHeader = 14, kCoreHeader = 12, kInfoHeader = 40;
constexpr uint32_t kUncompressed = 0, kBitFields = 3;

// A sample of some bits within a pixel, spread to 8.
struct Field {
  uint32_t mask;
  int shift = 0;
  uint32_t most = 0;

  explicit Field(uint32_t m) : mask(m) {
    if (m == 0) return;
    while ((m >> shift & 1) == 0) ++shift;
    most = m >> shift;
  }
  uint8_t of(uint32_t pixel) const {
    return most == 0 ? uint8_t{0} : static_cast<uint8_t>(uint64_t{255} * ((pixel & mask) >> shift) / most);
  }
};

class Bmp {
 public:
  Bmp(Bytes file, Pool& pool) : file_(file), pool_(pool) {}

  Result<Tensor> decode(PixelFormat format) {
    OL_TRY(read_header());
    const uint64_t stride = (static_cast<uint64_t>(width_) * static_cast<uint64_t>(bits_) + 31) / 32 * 4;
    const uint64_t needed = stride * static_cast<uint64_t>(height_);
    if (pixels_at_ > file_.size() || needed > file_.size() - pixels_at_) {
      return run_failed("its ", width_, " x ", height_, " pixels take ", needed, " bytes from byte ", pixels_at_,
                        " on, beyond the end of the file");
    }
    OL_ASSIGN(Picture picture, Picture::allocate(pool_, format, width_, height_));
    for (int64_t y = 0; y < height_; ++y) {
      const uint8_t* row = &file_[pixels_at_ + stride * static_cast<uint64_t>(y)];
      uint8_t* to = picture.at(0, bottom_up_ ? height_ - 1 - y : y);
      if (bits_ <= 8)
        write_indexed(row, to, picture);
      else
        write_coloured(row, to, picture);
    }
    return picture.take();
  }

 private:
  Status read_header() {
    if (file_.size() < kFileHeader + kCoreHeader) return run_failed("it ends in its header");
    pixels_at_ = little32(&file_[10]);
    const size_t header = little32(&file_[14]);
    const uint8_t* h = &file_[kFileHeader];
    uint32_t compression = kUncompressed, colours = 0;
    if (header == kCoreHeader) {
      width_ = little16(h + 4);
      height_ = little16(h + 6);
      bits_ = static_cast<int>(little16(h + 10));
    } else if (header >= kInfoHeader && header <= file_.size() - kFileHeader) {
      width_ = static_cast<int32_t>(little32(h + 4));
      const auto height = static_cast<int32_t>(little32(h + 8));
      bottom_up_ = height > 0;
      height_ = std::abs(static_cast<int64_t>(height));
      bits_ = static_cast<int>(little16(h + 14));
      compression = little32(h + 16);
      colours = little32(h + 32);
    } else {
      return run_failed("its header claims to be of ", header, " bytes");
    }
    if (width_ <= 0 || height_ == 0 || static_cast<uint64_t>(width_) * static_cast<uint64_t>(height_) > kMostPixels) {
      return run_failed("it claims to be ", width_, " x ", height_, " pixels; at most ", kMostPixels, " are decoded");
    }
    if (compression != kUncompressed && compression != kBitFields) {
      return run_failed("its compression ", compression, " is not decoded");
    }
    if (bits_ != 1 && bits_ != 4 && bits_ != 8 && bits_ != 16 && bits_ != 24 && bits_ != 32) {
      return run_failed("its ", bits_, " bits per pixel are not decoded");
    }
    return bits_ <= 8 ? read_palette(header, colours) : read_fields(header, compression);
  }

  Status read_palette(size_t header, uint32_t colours) {
    entry_ = header == kCoreHeader ? 3 : 4;
    if (colours == 0 || colours > uint32_t{1} << bits_) colours = uint32_t{1} << bits_;
    palette_ = file_.subspan(kFileHeader + header);
    if (palette_.size() < colours * entry_) return run_failed("it ends in its palette");
    palette_ = palette_.first(colours * entry_);
    return {};
  }

  Status read_fields(size_t header, uint32_t compression) {
    if (bits_ == 16) red_ = Field(0x7c00), green_ = Field(0x3e0), blue_ = Field(0x1f);
    if (compression != kBitFields) return {};
    constexpr size_t kMasks = 12;
    if (bits_ == 24 || file_.size() < kFileHeader + kInfoHeader + kMasks) {
      return run_failed("its bit fields are missing, or do not fit ", bits_, " bits per pixel");
    }
    (void)header;  // the masks follow the first 40 bytes, within the header or behind it
    const uint8_t* masks = &file_[kFileHeader + kInfoHeader];
    red_ = Field(little32(masks)), green_ = Field(little32(masks + 4)), blue_ = Field(little32(masks + 8));
    return {};
  }

  void write_indexed(const uint8_t* row, uint8_t* to, const Picture& picture) const {
    const int mask = (1 << bits_) - 1;
    for (int64_t x = 0; x < width_; ++x, to += picture.channels()) {
      const int64_t bit = x * bits_;
      const auto index = static_cast<size_t>(row[bit / 8] >> (8 - bits_ - bit % 8) & mask);
      if ((index + 1) * entry_ > palette_.size()) {
        picture.put_grey(to, 0);
        continue;
      }
      const uint8_t* colour = &palette_[index * entry_];
      picture.put(to, colour[2], colour[1], colour[0]);
    }
  }

  void write_coloured(const uint8_t* row, uint8_t* to, const Picture& picture) const {
    for (int64_t x = 0; x < width_; ++x, to += picture.channels(), row += bits_ / 8) {
      if (bits_ == 24) {
        picture.put(to, row[2], row[1], row[0]);
        continue;
      }
      const uint32_t pixel = bits_ == 16 ? little16(row) : little32(row);
      picture.put(to, red_.of(pixel), green_.of(pixel), blue_.of(pixel));
    }
  }

  Bytes file_;
  Pool& pool_;
  int64_t width_ = 0, height_ = 0;
  int bits_ = 0;
  bool bottom_up_ = true;
  size_t pixels_at_ = 0, entry_ = 0;
  Bytes palette_;
  Field red_{0xff0000}, green_{0xff00}, blue_{0xff};
};

}  // namespace

Result<Tensor> decode_bmp(Bytes file, PixelFormat format, Pool& pool) { return Bmp(file, pool).decode(format); }

}  // namespace onnxlet
