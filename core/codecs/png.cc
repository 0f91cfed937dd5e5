// PNG (ISO/IEC 15948): every colour type and bit depth, interlaced or not. Gamma, transparency and text are ignored.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "codecs/image.h"
#include "codecs/inflate.h"

namespace onnxlet {
namespace {

constexpr size_t kSignature = 8, kChunkHead = 8, kChecksum = 4;
constexpr uint64_t kMostExpansion = 1032;  // bytes that one byte of deflate can stand for

struct Pass {
  int x, y, dx, dy;
};
constexpr Pass kWhole[] = {{0, 0, 1, 1}};
constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

enum ColourType { kGrey = 0, kColour = 2, kPalette = 3, kGreyAlpha = 4, kColourAlpha = 6 };

uint32_t crc32(Bytes data) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320 ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  uint32_t crc = 0xffffffff;
  for (const uint8_t byte : data) crc = table[(crc ^ byte) & 0xff] ^ crc >> 8;
  return ~crc;
}

class Png {
 public:
  Png(Bytes file, Pool& pool) : file_(file), pool_(pool) {}

  Result<Tensor> decode(PixelFormat format) {
    OL_TRY(read_chunks());
    OL_TRY(unpack());
    OL_ASSIGN(Picture picture, Picture::allocate(pool_, format, width_, height_));
    uint8_t* row = raw_.mutable_data<uint8_t>();
    for (const Pass& pass : passes()) {
      const int64_t columns = columns_of(pass), rows = rows_of(pass);
      const size_t bytes = row_bytes(columns);
      const uint8_t* above = nullptr;
      for (int64_t r = 0; r < rows && columns > 0; ++r, row += bytes + 1) {
        OL_TRY(unfilter(row[0], row + 1, above, bytes, pass.y + r * pass.dy));
        above = row + 1;
        write_row(above, columns, pass, pass.y + r * pass.dy, &picture);
      }
    }
    return picture.take();
  }

 private:
  Status read_chunks() {
    size_t at = kSignature;
    bool ended = false;
    while (!ended) {
      if (file_.size() - at < kChunkHead + kChecksum) {
        if (data_bytes_ > 0) break;  // nothing is missing but the end mark
        return run_failed("it ends at byte ", file_.size(), ", before its picture data");
      }
      const uint64_t length = big32(&file_[at]);
      const std::string_view name(reinterpret_cast<const char*>(&file_[at + 4]), 4);
      if (length > file_.size() - at - kChunkHead - kChecksum) {
        return run_failed("the chunk at byte ", at, " is of ", length, " bytes, beyond the end of the file");
      }
      const Bytes data = file_.subspan(at + kChunkHead, length);
      const bool needed = (name[0] & 0x20) == 0;
      if (needed && big32(data.data() + length) != crc32(file_.subspan(at + 4, length + 4))) {
        return run_failed("the checksum of the chunk at byte ", at, " is wrong");
      }
      if (at == kSignature && name != "IHDR") return run_failed("it does not begin with the chunk IHDR");
      if (name == "IHDR") {
        OL_TRY(read_header(data));
      } else if (name == "PLTE") {
        if (length % 3 != 0 || length > sizeof palette_) return run_failed("its palette is of ", length, " bytes");
        std::copy(data.begin(), data.end(), palette_);
      } else if (name == "IDAT") {
        if (data_bytes_ == 0) first_data_ = at;
        data_bytes_ += length;
      } else if (name == "IEND") {
        ended = true;
      } else if (needed) {
        return run_failed("the chunk at byte ", at, " is unknown, and needed");
      }
      at += kChunkHead + length + kChecksum;
    }
    return data_bytes_ > 0 ? Status() : run_failed("it has no picture data");
  }

  Status read_header(Bytes data) {
    if (data.size() != 13) return run_failed("its header is of ", data.size(), " bytes");
    width_ = big32(&data[0]);
    height_ = big32(&data[4]);
    depth_ = data[8];
    colour_ = data[9];
    interlaced_ = data[12] == 1;
    if (width_ == 0 || height_ == 0 || static_cast<uint64_t>(width_) * static_cast<uint64_t>(height_) > kMostPixels) {
      return run_failed("it claims to be ", width_, " x ", height_, " pixels; at most ", kMostPixels, " are decoded");
    }
    const int allowed = colour_ == kGrey                                                         ? 1 | 2 | 4 | 8 | 16
                        : colour_ == kPalette                                                    ? 1 | 2 | 4 | 8
                        : colour_ == kColour || colour_ == kGreyAlpha || colour_ == kColourAlpha ? 8 | 16
                                                                                                 : 0;
    const bool one_bit = depth_ != 0 && (depth_ & (depth_ - 1)) == 0;
    if (!one_bit || (allowed & depth_) == 0 || data[10] != 0 || data[11] != 0 || data[12] > 1) {
      return run_failed("its header is impossible: depth ", depth_, ", colour type ", colour_, ", compression ",
                        data[10], ", filter ", data[11], ", interlace ", data[12]);
    }
    samples_ = colour_ == kColour ? 3 : colour_ == kGreyAlpha ? 2 : colour_ == kColourAlpha ? 4 : 1;
    return {};
  }

  std::span<const Pass> passes() const { return interlaced_ ? std::span<const Pass>(kAdam7) : kWhole; }
  int64_t columns_of(const Pass& p) const { return (width_ - p.x + p.dx - 1) / p.dx; }
  int64_t rows_of(const Pass& p) const { return (height_ - p.y + p.dy - 1) / p.dy; }
  size_t row_bytes(int64_t columns) const { return static_cast<size_t>((columns * samples_ * depth_ + 7) / 8); }

  // The filtered rows of all passes, in raw_.
  Status unpack() {
    uint64_t size = 0;
    for (const Pass& p : passes()) {
      const int64_t columns = columns_of(p), rows = rows_of(p);
      if (columns > 0 && rows > 0) size += static_cast<uint64_t>(rows) * (row_bytes(columns) + 1);
    }
    if (size > data_bytes_ * kMostExpansion) {
      return run_failed("its ", data_bytes_, " bytes of data cannot hold ", width_, " x ", height_, " pixels");
    }
    OL_ASSIGN(raw_, Tensor::allocate(pool_, DType::kUint8, Shape{static_cast<int64_t>(size)}));
    OL_ASSIGN(Tensor packed, Tensor::allocate(pool_, DType::kUint8, Shape{static_cast<int64_t>(data_bytes_)}));
    uint8_t* to = packed.mutable_data<uint8_t>();
    for (size_t at = first_data_; to < packed.data<uint8_t>() + data_bytes_;) {
      const size_t length = big32(&file_[at]);
      if (std::memcmp(&file_[at + 4], "IDAT", 4) == 0) to = std::copy_n(&file_[at + kChunkHead], length, to);
      at += kChunkHead + length + kChecksum;
    }
    return inflate(packed.values<uint8_t>(), {raw_.mutable_data<uint8_t>(), static_cast<size_t>(size)});
  }

  Status unfilter(int filter, uint8_t* row, const uint8_t* above, size_t bytes, int64_t y) const {
    const size_t step = std::max<size_t>(1, static_cast<size_t>(samples_ * depth_ / 8));
    const auto left = [&](size_t i) { return i < step ? 0 : row[i - step]; };
    const auto up = [&](size_t i) { return above == nullptr ? 0 : above[i]; };
    switch (filter) {
      case 0:
        return {};
      case 1:
        for (size_t i = step; i < bytes; ++i) row[i] = static_cast<uint8_t>(row[i] + row[i - step]);
        return {};
      case 2:
        for (size_t i = 0; above != nullptr && i < bytes; ++i) row[i] = static_cast<uint8_t>(row[i] + above[i]);
        return {};
      case 3:
        for (size_t i = 0; i < bytes; ++i) row[i] = static_cast<uint8_t>(row[i] + (left(i) + up(i)) / 2);
        return {};
      case 4:
        for (size_t i = 0; i < bytes; ++i) {
          const int corner = i < step || above == nullptr ? 0 : above[i - step];
          row[i] = static_cast<uint8_t>(row[i] + paeth(left(i), up(i), corner));
        }
        return {};
      default:
        return run_failed("the filter of row ", y, " is ", filter, ", which does not exist");
    }
  }

  static int paeth(int a, int b, int c) {
    const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
  }

  void write_row(const uint8_t* row, int64_t columns, const Pass& pass, int64_t y, Picture* picture) const {
    uint8_t* to = picture->at(pass.x, y);
    const int64_t stride = static_cast<int64_t>(pass.dx) * picture->channels();
    if (depth_ < 8) {
      const int mask = (1 << depth_) - 1, scale = 255 / mask;
      for (int64_t i = 0; i < columns; ++i, to += stride) {
        const int64_t bit = i * depth_;
        const int value = row[bit / 8] >> (8 - depth_ - bit % 8) & mask;
        if (colour_ == kPalette)
          put_index(value, to, picture);
        else
          picture->put_grey(to, static_cast<uint8_t>(value * scale));
      }
      return;
    }
    const int bytes = depth_ / 8, step = samples_ * bytes;  // of 16 bits the upper 8 count
    for (int64_t i = 0; i < columns; ++i, to += stride, row += step) {
      if (colour_ == kPalette)
        put_index(*row, to, picture);
      else if (colour_ == kGrey || colour_ == kGreyAlpha)
        picture->put_grey(to, *row);
      else
        picture->put(to, row[0], row[bytes], row[2 * bytes]);
    }
  }

  void put_index(int index, uint8_t* to, const Picture* picture) const {
    const uint8_t* colour = palette_ + 3 * index;
    picture->put(to, colour[0], colour[1], colour[2]);
  }

  Bytes file_;
  Pool& pool_;
  int64_t width_ = 0, height_ = 0;
  int depth_ = 0, colour_ = 0, samples_ = 0;
  bool interlaced_ = false;
  uint8_t palette_[3 * 256] = {};
  size_t first_data_ = 0;    // where the first chunk of picture data begins,
  uint64_t data_bytes_ = 0;  // and how many bytes all of them hold
  Tensor raw_;
};

}  // namespace

Result<Tensor> decode_png(Bytes file, PixelFormat format, Pool& pool) { return Png(file, pool).decode(format); }

}  // namespace onnxlet
