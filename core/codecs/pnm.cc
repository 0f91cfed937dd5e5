// PBM, PGM and PPM, as text and binary.
#include <algorithm>

#include "base/text.h"
#include "codecs/image.h"

namespace onnxlet {
namespace {

class Pnm {
 public:
  Pnm(Bytes file, Pool& pool) : file_(file), pool_(pool) {}

  Result<Tensor> decode(PixelFormat format) {
    const int kind = file_[1] - '0';
    plain_ = kind <= 3;
    bits_ = kind == 1 || kind == 4;
    samples_ = kind == 3 || kind == 6 ? 3 : 1;
    at_ = 2;
    OL_ASSIGN(const int64_t width, number());
    OL_ASSIGN(const int64_t height, number());
    if (!bits_) {
      OL_ASSIGN(most_, number());
    }
    if (width == 0 || height == 0 || static_cast<uint64_t>(width * height) > kMostPixels) {
      return run_failed("it claims to be ", width, " x ", height, " pixels; at most ", kMostPixels, " are decoded");
    }
    if (most_ < 1 || most_ > 65535) return run_failed("its largest value is ", most_);
    if (!plain_) ++at_;  // one white space
    const int64_t row_samples = width * samples_;
    const int64_t row_bytes = plain_ ? row_samples : bits_ ? (width + 7) / 8 : row_samples * (most_ > 255 ? 2 : 1);
    if (at_ > file_.size() || static_cast<uint64_t>(row_bytes * height) > file_.size() - at_) {
      return run_failed("its ", width, " x ", height, " pixels go beyond the end of the file");
    }
    OL_ASSIGN(Picture picture, Picture::allocate(pool_, format, width, height));
    for (int64_t y = 0; y < height; ++y) {
      uint8_t* to = picture.at(0, y);
      for (int64_t x = 0; x < width; ++x, to += picture.channels()) {
        uint8_t colour[3];
        for (int s = 0; s < samples_; ++s) {
          OL_ASSIGN(colour[s], sample(x));
        }
        if (samples_ == 1)
          picture.put_grey(to, colour[0]);
        else
          picture.put(to, colour[0], colour[1], colour[2]);
      }
      if (bits_ && !plain_) at_ += static_cast<size_t>(row_bytes);
    }
    return picture.take();
  }

 private:
  void skip_space() {
    for (bool comment = false; at_ < file_.size(); ++at_) {
      const uint8_t c = file_[at_];
      if (c == '#') comment = true;
      if (comment ? false : c != ' ' && (c < 9 || c > 13)) return;
      if (c == '\n') comment = false;
    }
  }

  Result<int64_t> number() {
    skip_space();
    const size_t from = at_;
    int64_t value = 0;
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9'; ++at_) {
      value = std::min<int64_t>(value * 10 + (file_[at_] - '0'), int64_t{1} << 30);
    }
    if (at_ == from) return run_failed("a number is missing at byte ", at_);
    return value;
  }

  Result<uint8_t> sample(int64_t x) {
    if (bits_ && !plain_) {  // 1 is black; the row's bytes are passed at its end
      return static_cast<uint8_t>((file_[at_ + static_cast<size_t>(x / 8)] >> (7 - x % 8) & 1) != 0 ? 0 : 255);
    }
    if (bits_) {
      skip_space();
      if (at_ >= file_.size() || (file_[at_] != '0' && file_[at_] != '1')) {
        return run_failed("a pixel is missing at byte ", at_);
      }
      return static_cast<uint8_t>(file_[at_++] == '1' ? 0 : 255);
    }
    int64_t value = 0;
    if (plain_) {
      OL_ASSIGN(value, number());
      if (value > most_) return run_failed("the value ", value, " before byte ", at_, " is above the largest, ", most_);
    } else if (most_ > 255) {
      value = big16(&file_[at_]);
      at_ += 2;
    } else {
      value = file_[at_++];
    }
    value = std::min(value, most_);
    return static_cast<uint8_t>((value * 255 + most_ / 2) / most_);
  }

  Bytes file_;
  Pool& pool_;
  size_t at_ = 0;
  bool plain_ = false, bits_ = false;
  int samples_ = 1;
  int64_t most_ = 1;
};

}  // namespace

Result<Tensor> decode_pnm(Bytes file, PixelFormat format, Pool& pool) { return Pnm(file, pool).decode(format); }

}  // namespace onnxlet
