#include "codecs/inflate.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace onnxlet {
namespace {

constexpr int kMaxBits = 15, kFastBits = 10;
constexpr int kLiterals = 288, kDistances = 32, kLengthCodes = 19;

// A canonical Huffman code. Codes of up to kFastBits bits are looked up, longer ones counted through.
class Huffman {
 public:
  // False when the lengths are of more codes than there can be.
  bool build(const uint8_t* lengths, int count) {
    uint16_t counts[kMaxBits + 1] = {};
    for (int i = 0; i < count; ++i) ++counts[lengths[i]];
    counts[0] = 0;
    int code = 0, offset = 0;
    int next_code[kMaxBits + 1];
    for (int bits = 1; bits <= kMaxBits; ++bits) {
      first_code_[bits] = next_code[bits] = code;
      first_symbol_[bits] = offset;
      code += counts[bits];
      offset += counts[bits];
      if (code > 1 << bits) return false;
      limit_[bits] = code;
      code <<= 1;
    }
    std::fill_n(fast_, 1 << kFastBits, uint16_t{0});
    for (int symbol = 0; symbol < count; ++symbol) {
      const int bits = lengths[symbol];
      if (bits == 0) continue;
      const int value = next_code[bits]++;
      symbols_[first_symbol_[bits] + value - first_code_[bits]] = static_cast<uint16_t>(symbol);
      if (bits > kFastBits) continue;
      int reversed = 0;
      for (int b = 0; b < bits; ++b) reversed |= (value >> b & 1) << (bits - 1 - b);
      for (int at = reversed; at < 1 << kFastBits; at += 1 << bits) {
        fast_[at] = static_cast<uint16_t>(bits << 12 | symbol);
      }
    }
    return true;
  }

  // The symbol that the low bits of `window` begin with, and its length; -1 when they begin no code.
  int decode(uint64_t window, int* length) const {
    const uint16_t entry = fast_[window & ((1 << kFastBits) - 1)];
    if (entry != 0) {
      *length = entry >> 12;
      return entry & 0xfff;
    }
    int code = 0;
    for (int bits = 1; bits <= kMaxBits; ++bits, window >>= 1) {
      code = code << 1 | static_cast<int>(window & 1);
      if (code >= first_code_[bits] && code < limit_[bits]) {
        *length = bits;
        return symbols_[first_symbol_[bits] + code - first_code_[bits]];
      }
    }
    return -1;
  }

 private:
  uint16_t fast_[1 << kFastBits];  // length << 12 | symbol; 0: no short code
  uint16_t symbols_[kLiterals];
  int first_code_[kMaxBits + 1], first_symbol_[kMaxBits + 1], limit_[kMaxBits + 1];
};

constexpr uint16_t kLengthBase[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr uint8_t kLengthExtra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr uint16_t kDistanceBase[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr uint8_t kDistanceExtra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                      6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
constexpr uint8_t kLengthOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

class Inflater {
 public:
  Inflater(std::span<const uint8_t> in, std::span<uint8_t> out) : in_(in), out_(out) {}

  Status run() {
    if (in_.size() < 2 || (in_[0] & 0xf) != 8 || (in_[0] << 8 | in_[1]) % 31 != 0 || (in_[1] & 0x20) != 0) {
      return fail("it does not begin as a zlib stream");
    }
    at_ = 2;
    for (bool last = false; !last;) {
      last = take(1) != 0;
      const uint64_t kind = take(2);
      if (kind == 0)
        OL_TRY(stored());
      else if (kind == 1)
        OL_TRY(fixed());
      else if (kind == 2)
        OL_TRY(dynamic());
      else
        return fail("a block is of no known kind");
      if (filled_ == out_.size()) return ended_ && last ? check() : Status();
    }
    return fail("it holds too little");
  }

 private:
  Status fail(const char* what) const {
    return run_failed("the compressed data are damaged: ", what, ", at byte ", at_ - static_cast<size_t>(held_ / 8),
                      " of ", in_.size());
  }

  void refill() {
    while (held_ <= 56) {
      bits_ |= static_cast<uint64_t>(at_ < in_.size() ? in_[at_] : 0) << held_;
      ++at_;  // what lies behind the end reads as zeros, and is noticed by overrun()
      held_ += 8;
    }
  }
  bool overrun() const { return at_ - static_cast<size_t>(held_ / 8) > in_.size(); }
  void drop(int count) {
    bits_ >>= count;
    held_ -= count;
  }
  uint64_t take(int count) {
    refill();
    const uint64_t value = bits_ & ((uint64_t{1} << count) - 1);
    drop(count);
    return value;
  }

  Status stored() {
    drop(held_ % 8);
    const uint64_t length = take(16), complement = take(16);
    if ((length ^ complement) != 0xffff) return fail("the length of a stored block contradicts itself");
    size_t from = at_ - static_cast<size_t>(held_ / 8);
    if (from + length > in_.size()) return fail("it ends in a block");
    const size_t count = std::min<size_t>(length, out_.size() - filled_);
    std::memcpy(out_.data() + filled_, in_.data() + from, count);
    filled_ += count;
    ended_ = count == length;
    at_ = from + length;
    bits_ = 0;
    held_ = 0;
    return {};
  }

  Status fixed() {
    uint8_t lengths[kLiterals + kDistances];
    std::fill_n(lengths, 144, uint8_t{8});
    std::fill_n(lengths + 144, 112, uint8_t{9});
    std::fill_n(lengths + 256, 24, uint8_t{7});
    std::fill_n(lengths + 280, 8, uint8_t{8});
    std::fill_n(lengths + kLiterals, kDistances, uint8_t{5});
    literals_.build(lengths, kLiterals);
    distances_.build(lengths + kLiterals, kDistances);
    return block();
  }

  Status dynamic() {
    const int literals = static_cast<int>(take(5)) + 257, distances = static_cast<int>(take(5)) + 1;
    const int codes = static_cast<int>(take(4)) + 4;
    if (literals > 286) return fail("a block has too many codes");
    uint8_t lengths[kLiterals + kDistances] = {};
    for (int i = 0; i < codes; ++i) lengths[kLengthOrder[i]] = static_cast<uint8_t>(take(3));
    if (!literals_.build(lengths, kLengthCodes)) return fail("a block's code is impossible");
    std::fill_n(lengths, kLengthCodes, uint8_t{0});
    for (int i = 0; i < literals + distances;) {
      refill();
      int used = 0;
      const int symbol = literals_.decode(bits_, &used);
      if (symbol < 0) return fail("a code is unknown");
      drop(used);
      if (symbol < 16) {
        lengths[i++] = static_cast<uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) return fail("a length is repeated before the first");
      const uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
      const uint64_t times = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
      if (static_cast<uint64_t>(i) + times > static_cast<uint64_t>(literals + distances)) {
        return fail("a block has too many codes");
      }
      std::fill_n(lengths + i, times, value);
      i += static_cast<int>(times);
    }
    if (lengths[256] == 0) return fail("a block has no end");
    if (!distances_.build(lengths + literals, distances) || !literals_.build(lengths, literals)) {
      return fail("a block's code is impossible");
    }
    return block();
  }

  Status block() {
    ended_ = false;
    for (;;) {
      refill();
      int used = 0;
      const int symbol = literals_.decode(bits_, &used);
      if (symbol < 0) return fail("a code is unknown");
      drop(used);
      if (overrun()) return fail("it ends in a block");
      if (symbol == 256) {
        ended_ = true;
        return {};
      }
      if (filled_ == out_.size()) return {};
      if (symbol < 256) {
        out_[filled_++] = static_cast<uint8_t>(symbol);
        continue;
      }
      if (symbol > 285) return fail("a code is unknown");
      size_t length = kLengthBase[symbol - 257] + take_held(kLengthExtra[symbol - 257]);
      const int which = distances_.decode(bits_, &used);
      if (which < 0 || which > 29) return fail("a distance is unknown");
      drop(used);
      const size_t distance = kDistanceBase[which] + take_held(kDistanceExtra[which]);
      if (distance > filled_) return fail("a distance goes back too far");
      length = std::min(length, out_.size() - filled_);
      copy(distance, length);
    }
  }

  // Of the bits that one refill() holds: 15 + 5 + 15 + 13 at most for a length and its distance.
  size_t take_held(int count) {
    const size_t value = bits_ & ((uint64_t{1} << count) - 1);
    drop(count);
    return value;
  }

  void copy(size_t distance, size_t length) {
    uint8_t* to = out_.data() + filled_;
    const uint8_t* from = to - distance;
    filled_ += length;
    if (distance >= length) {
      std::memcpy(to, from, length);
      return;
    }
    for (size_t i = 0; i < length; ++i) to[i] = from[i];
  }

  // Adler-32 of everything.
  Status check() {
    drop(held_ % 8);
    uint32_t stated = 0;
    for (int i = 0; i < 4; ++i) stated = stated << 8 | static_cast<uint32_t>(take(8));
    if (overrun()) return fail("its checksum is missing");
    constexpr uint32_t kModulus = 65521;
    constexpr size_t kBlock = 5552;  // as many sums fit into 32 bits
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < out_.size(); i += kBlock) {
      for (const uint8_t byte : out_.subspan(i, std::min(kBlock, out_.size() - i))) {
        a += byte;
        b += a;
      }
      a %= kModulus;
      b %= kModulus;
    }
    return stated == (b << 16 | a) ? Status() : fail("its checksum is wrong");
  }

  std::span<const uint8_t> in_;
  std::span<uint8_t> out_;
  size_t at_ = 0, filled_ = 0;
  uint64_t bits_ = 0;
  int held_ = 0;
  bool ended_ = false;  // the last block was read to its end
  Huffman literals_, distances_;
};

}  // namespace

Status inflate(std::span<const uint8_t> stream, std::span<uint8_t> out) {
  if (out.empty()) return {};
  return Inflater(stream, out).run();
}

}  // namespace onnxlet
