// The entropy-coded part of a JPEG file: Huffman codes, and bits between markers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace onnxlet {

class JpegHuffman {
 public:
  // counts[i]: codes of i + 1 bits. False when they cannot be.
  bool build(const uint8_t counts[16], std::span<const uint8_t> symbols) {
    defined_ = false;
    if (symbols.size() > 256) return false;
    std::copy(symbols.begin(), symbols.end(), symbols_);
    std::fill_n(fast_, 1 << kFastBits, uint16_t{0});
    uint32_t code = 0, index = 0;
    for (int bits = 1; bits <= 16; ++bits, code <<= 1) {
      offset_[bits] = static_cast<int32_t>(index) - static_cast<int32_t>(code);
      for (int i = 0; i < counts[bits - 1]; ++i, ++code, ++index) {
        if (bits > kFastBits) continue;
        const uint32_t first = code << (kFastBits - bits);
        for (uint32_t k = 0; k < uint32_t{1} << (kFastBits - bits) && first + k < 1 << kFastBits; ++k) {
          fast_[first + k] = static_cast<uint16_t>(bits << 8 | symbols_[index]);
        }
      }
      if (code > uint32_t{1} << bits) return false;
      limit_[bits] = code << (16 - bits);  // of the codes of up to so many bits, from the left of 16
    }
    defined_ = true;
    return true;
  }
  bool defined() const { return defined_; }

  // The symbol that 16 bits begin with, and the length of its code; -1: none.
  int decode(uint32_t window, int* length) const {
    const uint16_t entry = fast_[window >> (16 - kFastBits)];
    if (entry != 0) {
      *length = entry >> 8;
      return entry & 0xff;
    }
    for (int bits = 1; bits <= 16; ++bits) {
      if (window >= limit_[bits]) continue;
      *length = bits;
      return symbols_[(static_cast<int32_t>(window >> (16 - bits)) + offset_[bits]) & 0xff];
    }
    return -1;
  }

 private:
  static constexpr int kFastBits = 9;
  uint16_t fast_[1 << kFastBits];
  uint8_t symbols_[256] = {};
  uint32_t limit_[17];
  int32_t offset_[17];
  bool defined_ = false;
};

class JpegBits {
 public:
  JpegBits(std::span<const uint8_t> file, size_t at) : file_(file), at_(at) {}

  int decode(const JpegHuffman& table) {  // -1: no code
    need(16);
    int length = 0;
    const int symbol = table.decode(static_cast<uint32_t>(bits_ >> (held_ - 16)) & 0xffff, &length);
    held_ -= length;
    return symbol;
  }
  uint32_t take(int count) {
    if (count == 0) return 0;
    need(count);
    held_ -= count;
    return static_cast<uint32_t>(bits_ >> held_) & ((uint32_t{1} << count) - 1);
  }
  // A number of `size` bits that is negative when the first of them is 0.
  int extended(int size) {
    const auto value = static_cast<int>(take(size));
    return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
  }

  // More was taken than there is before the next marker.
  bool overrun() const { return held_ < beyond_; }
  // Where the marker stands that ends this part, what is left of the last byte being dropped.
  size_t marker() {
    held_ = beyond_ = 0;
    while (at_ + 1 < file_.size() && !(file_[at_] == 0xff && file_[at_ + 1] != 0 && file_[at_ + 1] != 0xff)) ++at_;
    return at_;
  }
  void go_on(size_t at) { at_ = at; }

 private:
  void need(int count) {
    while (held_ < count) {
      uint8_t byte = 0;
      if (at_ < file_.size() && (file_[at_] != 0xff || (at_ + 1 < file_.size() && file_[at_ + 1] == 0))) {
        byte = file_[at_];
        at_ += byte == 0xff ? 2 : 1;
      } else {
        beyond_ += 8;  // zeros behind the end
      }
      bits_ = bits_ << 8 | byte;
      held_ += 8;
    }
  }

  std::span<const uint8_t> file_;
  size_t at_;
  uint64_t bits_ = 0;
  int held_ = 0, beyond_ = 0;
};

}  // namespace onnxlet
