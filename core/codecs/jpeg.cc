// JPEG (ITU T.81): baseline, extended and progressive Huffman files of 8 bits per sample. The orientation that EXIF
// data may tell is not applied.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "codecs/image.h"
#include "codecs/jpeg_bits.h"
#include "codecs/jpeg_colour.h"
#include "codecs/jpeg_idct.h"

namespace onnxlet {
namespace {

// As many as any encoder writes and more; what a hostile file could take time with.
constexpr int kMostScans = 100;
constexpr int kMostComponents = 4;

constexpr uint8_t kZigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                                 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                                 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct Component {
  int id = 0, quantization = 0, dc_table = 0, ac_table = 0;
  int64_t blocks_across = 0, blocks_down = 0;  // of all MCUs
  JpegPlane plane;
  Tensor samples, coefficients;  // the latter of progressive files
  int predictor = 0;
  bool seen = false;
};

struct Scan {
  std::array<Component*, kMostComponents> components;
  int count = 0;
  int first = 0, last = 63, high = 0, low = 0;  // spectral selection, successive approximation
};

class Jpeg {
 public:
  Jpeg(Bytes file, Pool& pool) : file_(file), pool_(pool) {}

  Result<Tensor> decode(PixelFormat format) {
    OL_TRY(read_markers());
    std::array<JpegPlane, kMostComponents> planes;
    for (int c = 0; c < count_; ++c) {
      if (!components_[c].seen) return run_failed("it lacks the data of component ", c + 1);
      if (progressive_) OL_TRY(transform(components_[c]));
      planes[static_cast<size_t>(c)] = components_[c].plane;
    }
    return jpeg_pixels({planes.data(), static_cast<size_t>(count_)}, colour(), width_, height_, format, pool_);
  }

 private:
  Status fail(const char* what) const { return run_failed(what, ", at byte ", at_); }

  Status read_markers() {
    at_ = 2;
    for (;;) {
      while (at_ < file_.size() && file_[at_] != 0xff) ++at_;
      while (at_ + 1 < file_.size() && file_[at_ + 1] == 0xff) ++at_;
      if (at_ + 1 >= file_.size()) return fail("it ends without an end mark");
      const uint8_t marker = file_[at_ + 1];
      if (marker == 0xd9) return count_ > 0 ? Status() : fail("it ends without a picture");
      at_ += 2;
      if (marker == 0 || marker == 1 || (marker >= 0xd0 && marker <= 0xd8)) continue;  // they stand alone
      if (file_.size() - at_ < 2 || big16(&file_[at_]) < 2 || big16(&file_[at_]) > file_.size() - at_) {
        return fail("a segment goes beyond its end");
      }
      const Bytes segment = file_.subspan(at_ + 2, big16(&file_[at_]) - 2);
      const size_t behind = at_ + 2 + segment.size();
      OL_TRY(read_segment(marker, segment));
      if (marker != 0xda) at_ = behind;
    }
  }

  Status read_segment(uint8_t marker, Bytes segment) {
    switch (marker) {
      case 0xc0:
      case 0xc1:
      case 0xc2:
        progressive_ = marker == 0xc2;
        return read_frame(segment);
      case 0xc4:
        return read_huffman(segment);
      case 0xda:
        return read_scan(segment);
      case 0xdb:
        return read_quantization(segment);
      case 0xdd:
        if (segment.size() != 2) return fail("a restart interval is of a wrong size");
        restart_interval_ = big16(segment.data());
        return {};
      case 0xe0:
        jfif_ = jfif_ || (segment.size() >= 5 && std::memcmp(segment.data(), "JFIF", 5) == 0);
        return {};
      case 0xee:
        if (segment.size() >= 12 && std::memcmp(segment.data(), "Adobe", 5) == 0) adobe_transform_ = segment[11];
        return {};
      default:
        if (marker >= 0xc3 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc) {
          return run_failed("it is lossless, hierarchical or arithmetic-coded (SOF", marker - 0xc0,
                            "); baseline and progressive Huffman files are decoded");
        }
        return {};
    }
  }

  Status read_frame(Bytes s) {
    if (count_ > 0) return fail("a second picture begins");
    if (s.size() < 6 || s.size() != 6 + 3 * static_cast<size_t>(s[5])) return fail("the header is of a wrong size");
    if (s[0] != 8) return run_failed("its samples are of ", s[0], " bits; 8 are decoded");
    height_ = big16(&s[1]);
    width_ = big16(&s[3]);
    const int count = s[5];
    if (width_ == 0 || height_ == 0 || (count != 1 && count != 3 && count != 4)) {
      return run_failed("it claims to be ", width_, " x ", height_, " pixels of ", count, " components");
    }
    for (int c = 0; c < count; ++c) {
      Component& k = components_[c];
      k.id = s[6 + 3 * static_cast<size_t>(c)];
      k.plane.h = s[7 + 3 * static_cast<size_t>(c)] >> 4;
      k.plane.v = s[7 + 3 * static_cast<size_t>(c)] & 15;
      k.quantization = s[8 + 3 * static_cast<size_t>(c)];
      if (k.plane.h < 1 || k.plane.h > 4 || k.plane.v < 1 || k.plane.v > 4 || k.quantization > 3) {
        return fail("the header of a component is impossible");
      }
      if (count == 1) k.plane.h = k.plane.v = 1;  // without others there is nothing to sample against
      most_h_ = std::max(most_h_, k.plane.h);
      most_v_ = std::max(most_v_, k.plane.v);
    }
    count_ = count;
    return allocate();
  }

  Status allocate() {
    const int64_t across = (width_ + 8 * most_h_ - 1) / (8 * most_h_),
                  down = (height_ + 8 * most_v_ - 1) / (8 * most_v_);
    int64_t blocks = 0;
    for (int c = 0; c < count_; ++c) {
      Component& k = components_[c];
      k.blocks_across = across * k.plane.h;
      k.blocks_down = down * k.plane.v;
      blocks += k.blocks_across * k.blocks_down;
    }
    // Every block takes a bit at least.
    if (static_cast<uint64_t>(blocks) > 8 * static_cast<uint64_t>(file_.size()) ||
        static_cast<uint64_t>(width_ * height_) > kMostPixels) {
      return run_failed("it is too short to hold ", width_, " x ", height_, " pixels, or these are more than ",
                        kMostPixels);
    }
    for (int c = 0; c < count_; ++c) {
      Component& k = components_[c];
      k.plane.width = (width_ * k.plane.h + most_h_ - 1) / most_h_;
      k.plane.height = (height_ * k.plane.v + most_v_ - 1) / most_v_;
      k.plane.stride = 8 * k.blocks_across;
      OL_ASSIGN(k.samples, Tensor::allocate(pool_, DType::kUint8, Shape{8 * k.blocks_down, k.plane.stride}));
      k.plane.samples = k.samples.mutable_data<uint8_t>();
      if (!progressive_) continue;
      OL_ASSIGN(k.coefficients, Tensor::allocate(pool_, DType::kInt16, Shape{k.blocks_down, k.blocks_across, 64}));
      std::fill_n(k.coefficients.mutable_data<int16_t>(), k.coefficients.size(), int16_t{0});
    }
    return {};
  }

  Status read_quantization(Bytes s) {
    while (!s.empty()) {
      const bool wide = s[0] >> 4 != 0;
      const size_t table = s[0] & 15, size = wide ? 128 : 64;
      if (table > 3 || s.size() < 1 + size) return fail("a quantization table is damaged");
      for (size_t i = 0; i < 64; ++i) {
        quantization_[table][kZigzag[i]] = static_cast<uint16_t>(wide ? big16(&s[1 + 2 * i]) : s[1 + i]);
      }
      s = s.subspan(1 + size);
    }
    return {};
  }

  Status read_huffman(Bytes s) {
    while (!s.empty()) {
      const size_t which = s[0] & 15, kind = s[0] >> 4;
      size_t symbols = 0;
      if (s.size() < 17 || which > 3 || kind > 1) return fail("a Huffman table is damaged");
      for (size_t i = 1; i <= 16; ++i) symbols += s[i];
      if (symbols > 256 || s.size() < 17 + symbols) return fail("a Huffman table is damaged");
      JpegHuffman& table = kind == 0 ? dc_[which] : ac_[which];
      if (!table.build(&s[1], s.subspan(17, symbols))) return fail("a Huffman table has more codes than there are");
      s = s.subspan(17 + symbols);
    }
    return {};
  }

  Status read_scan(Bytes s) {
    if (count_ == 0) return fail("data come before the header");
    if (++scans_ > kMostScans) return run_failed("it has more than ", kMostScans, " scans");
    Scan scan;
    scan.count = s.empty() ? 0 : s[0];
    if (scan.count < 1 || scan.count > count_ || s.size() != 4 + 2 * static_cast<size_t>(scan.count)) {
      return fail("the header of a scan is of a wrong size");
    }
    for (int i = 0; i < scan.count; ++i) {
      const size_t at = 1 + 2 * static_cast<size_t>(i);
      const auto found =
          std::find_if(components_, components_ + count_, [&](const Component& c) { return c.id == s[at]; });
      if (found == components_ + count_)
        return run_failed("a scan names component ", s[at], ", which is not in the header");
      found->dc_table = s[at + 1] >> 4 & 3;
      found->ac_table = s[at + 1] & 3;
      scan.components[static_cast<size_t>(i)] = found;
    }
    const uint8_t* how = &s[1 + 2 * static_cast<size_t>(scan.count)];
    if (progressive_) {
      scan.first = how[0], scan.last = how[1], scan.high = how[2] >> 4, scan.low = how[2] & 15;
      const bool dc = scan.first == 0;
      if (scan.first > scan.last || scan.last > 63 || (dc && scan.last != 0) || (!dc && scan.count != 1) ||
          scan.low > 13) {
        return fail("a scan's selection of coefficients is impossible");
      }
    }
    OL_TRY(check_tables(scan));
    return decode_scan(scan, at_ + 2 + s.size());
  }

  Status check_tables(const Scan& scan) const {
    const bool needs_dc = scan.first == 0 && scan.high == 0, needs_ac = scan.last > 0;
    for (int i = 0; i < scan.count; ++i) {
      const Component& c = *scan.components[static_cast<size_t>(i)];
      if ((needs_dc && !dc_[c.dc_table].defined()) || (needs_ac && !ac_[c.ac_table].defined())) {
        return fail("a scan needs a Huffman table that was not given");
      }
    }
    return {};
  }

  Status decode_scan(const Scan& scan, size_t from) {
    JpegBits bits(file_, from);
    end_of_band_ = 0;
    for (int i = 0; i < scan.count; ++i) scan.components[static_cast<size_t>(i)]->predictor = 0;
    const Component& only = *scan.components[0];
    const bool interleaved = scan.count > 1;
    const int64_t across = interleaved ? only.blocks_across / only.plane.h : (only.plane.width + 7) / 8;
    const int64_t down = interleaved ? only.blocks_down / only.plane.v : (only.plane.height + 7) / 8;
    int64_t until_restart = restart_interval_;
    for (int64_t unit = 0; unit < across * down; ++unit) {
      if (restart_interval_ > 0 && until_restart-- == 0) {
        OL_TRY(restart(scan, &bits));
        until_restart = restart_interval_ - 1;
      }
      const int64_t x = unit % across, y = unit / across;
      OL_TRY(interleaved ? decode_unit(scan, x, y, &bits) : decode_block(scan, *scan.components[0], x, y, &bits));
      if (bits.overrun()) {
        at_ = bits.marker();
        return fail("its data end too early");
      }
    }
    for (int i = 0; i < scan.count; ++i) scan.components[static_cast<size_t>(i)]->seen = true;
    at_ = bits.marker();
    return {};
  }

  Status restart(const Scan& scan, JpegBits* bits) {
    at_ = bits->marker();
    if (at_ + 1 >= file_.size() || file_[at_ + 1] < 0xd0 || file_[at_ + 1] > 0xd7) {
      return fail("a restart mark is missing");
    }
    bits->go_on(at_ + 2);
    end_of_band_ = 0;
    for (int i = 0; i < scan.count; ++i) scan.components[static_cast<size_t>(i)]->predictor = 0;
    return {};
  }

  Status decode_unit(const Scan& scan, int64_t x, int64_t y, JpegBits* bits) {
    for (int i = 0; i < scan.count; ++i) {
      Component& c = *scan.components[static_cast<size_t>(i)];
      for (int v = 0; v < c.plane.v; ++v) {
        for (int h = 0; h < c.plane.h; ++h) {
          OL_TRY(decode_block(scan, c, x * c.plane.h + h, y * c.plane.v + v, bits));
        }
      }
    }
    return {};
  }

  Status decode_block(const Scan& scan, Component& c, int64_t x, int64_t y, JpegBits* bits) {
    bool good = true;
    if (!progressive_) {
      int16_t block[64] = {};
      good = sequential(c, block, bits);
      inverse_dct(block, quantization_[c.quantization], c.plane.samples + 8 * (y * c.plane.stride + x), c.plane.stride);
    } else {
      int16_t* block = c.coefficients.mutable_data<int16_t>() + 64 * (y * c.blocks_across + x);
      if (scan.first == 0)
        good = scan.high == 0 ? first_dc(scan, c, block, bits) : more_dc(scan, block, bits);
      else
        good = scan.high == 0 ? first_ac(scan, c, block, bits) : more_ac(scan, c, block, bits);
    }
    if (good) return {};
    at_ = bits->marker();
    return fail("a code is unknown, or a block overfull, before the marker");
  }

  // Below: false for what cannot be.

  bool read_dc(Component& c, JpegBits* bits) {
    const int size = bits->decode(dc_[c.dc_table]);
    if (size < 0 || size > 15) return false;
    c.predictor = static_cast<int16_t>(c.predictor + bits->extended(size));
    return true;
  }

  bool sequential(Component& c, int16_t* block, JpegBits* bits) {
    if (!read_dc(c, bits)) return false;
    block[0] = static_cast<int16_t>(c.predictor);
    for (int k = 1; k < 64; ++k) {
      const int code = bits->decode(ac_[c.ac_table]);
      if (code < 0) return false;
      const int zeros = code >> 4, size = code & 15;
      k += zeros;
      if (size == 0 && zeros == 15) continue;
      if (size == 0) break;
      if (k > 63) return false;
      block[kZigzag[k]] = static_cast<int16_t>(bits->extended(size));
    }
    return true;
  }

  bool first_dc(const Scan& scan, Component& c, int16_t* block, JpegBits* bits) {
    if (!read_dc(c, bits)) return false;
    block[0] = static_cast<int16_t>(static_cast<uint32_t>(c.predictor) << scan.low);
    return true;
  }

  bool more_dc(const Scan& scan, int16_t* block, JpegBits* bits) {
    if (bits->take(1) != 0) block[0] = static_cast<int16_t>(block[0] | 1 << scan.low);
    return true;
  }

  bool first_ac(const Scan& scan, const Component& c, int16_t* block, JpegBits* bits) {
    if (end_of_band_ > 0) {
      --end_of_band_;
      return true;
    }
    for (int k = scan.first; k <= scan.last; ++k) {
      const int code = bits->decode(ac_[c.ac_table]);
      if (code < 0) return false;
      const int zeros = code >> 4, size = code & 15;
      if (size == 0 && zeros < 15) {
        end_of_band_ = (1 << zeros) - 1 + static_cast<int>(bits->take(zeros));
        return true;
      }
      k += zeros;
      if (size == 0) continue;
      if (k > scan.last) return false;
      block[kZigzag[k]] = static_cast<int16_t>(static_cast<uint32_t>(bits->extended(size)) << scan.low);
    }
    return true;
  }

  // One more bit of a coefficient that is not zero.
  static void refine(int16_t* coefficient, int bit, JpegBits* bits) {
    if (bits->take(1) == 0 || (*coefficient & bit) != 0) return;
    *coefficient = static_cast<int16_t>(*coefficient + (*coefficient > 0 ? bit : -bit));
  }

  bool more_ac(const Scan& scan, const Component& c, int16_t* block, JpegBits* bits) {
    const int bit = 1 << scan.low;
    int k = scan.first;
    while (end_of_band_ == 0 && k <= scan.last) {
      const int code = bits->decode(ac_[c.ac_table]);
      if (code < 0) return false;
      int zeros = code >> 4, value = 0;
      if ((code & 15) == 0 && zeros < 15) {
        end_of_band_ = (1 << zeros) + static_cast<int>(bits->take(zeros));
        break;
      }
      if ((code & 15) > 1) return false;
      if ((code & 15) == 1) value = bits->take(1) != 0 ? bit : -bit;
      for (; k <= scan.last; ++k) {
        int16_t* coefficient = &block[kZigzag[k]];
        if (*coefficient != 0) {
          refine(coefficient, bit, bits);
        } else if (zeros-- == 0) {
          *coefficient = static_cast<int16_t>(value);
          ++k;
          break;
        }
      }
    }
    if (end_of_band_ > 0) {
      for (; k <= scan.last; ++k) {
        if (block[kZigzag[k]] != 0) refine(&block[kZigzag[k]], bit, bits);
      }
      --end_of_band_;
    }
    return true;
  }

  Status transform(Component& c) {
    const int16_t* block = c.coefficients.data<int16_t>();
    for (int64_t y = 0; y < c.blocks_down; ++y) {
      for (int64_t x = 0; x < c.blocks_across; ++x, block += 64) {
        inverse_dct(block, quantization_[c.quantization], c.plane.samples + 8 * (y * c.plane.stride + x),
                    c.plane.stride);
      }
    }
    c.coefficients = Tensor();
    return {};
  }

  JpegColour colour() const {
    if (count_ == 1) return JpegColour::kGrey;
    if (count_ == 4) return adobe_transform_ == 2 ? JpegColour::kYcck : JpegColour::kCmyk;
    if (jfif_) return JpegColour::kYcc;
    if (adobe_transform_ >= 0) return adobe_transform_ == 0 ? JpegColour::kRgb : JpegColour::kYcc;
    const bool named = components_[0].id == 'R' && components_[1].id == 'G' && components_[2].id == 'B';
    return named ? JpegColour::kRgb : JpegColour::kYcc;
  }

  Bytes file_;
  Pool& pool_;
  size_t at_ = 0;
  int64_t width_ = 0, height_ = 0;
  int count_ = 0, most_h_ = 1, most_v_ = 1, scans_ = 0;
  bool progressive_ = false, jfif_ = false;
  int adobe_transform_ = -1;  // none
  int64_t restart_interval_ = 0;
  int end_of_band_ = 0;  // blocks for which nothing follows
  Component components_[kMostComponents];
  uint16_t quantization_[4][64] = {};
  JpegHuffman dc_[4], ac_[4];
};

}  // namespace

Result<Tensor> decode_jpeg(Bytes file, PixelFormat format, Pool& pool) { return Jpeg(file, pool).decode(format); }

}  // namespace onnxlet
