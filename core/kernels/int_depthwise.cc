// Depthwise convolution of 8-bit integers, one output per channel, channels innermost: the taps of a vector of channels
// are interleaved, so that the dot adds some of them at once.
#include "base/parallel.h"
#include "kernels/int_source.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_dot::U8x16;
using int_tile::I32x4;
using simd::F32x4;

constexpr int kLanes = 16, kVectors = 4;  // channels that are worked on together, four to a vector of sums

// One block of channels: [taps / kGroup][16 channels][kGroup taps], then the sums of its channels as int32.
int64_t group_of(IntKernel kernel) {
  return int_tile::with_format(kernel, []<class Format>() { return int64_t{Format::kGroup}; });
}
int64_t padded_taps(int64_t taps, int64_t group) { return (taps + group - 1) / group * group; }
int64_t block_bytes(int64_t padded) { return (padded + 4) * kLanes; }

// kGroup taps of 16 channels: v[i] gets those of channels 4 i to 4 i + 3, the taps of a channel side by side, as the
// machine's dot takes them.
template <class Format>
inline void load_taps(const uint8_t* const* taps, ptrdiff_t at, U8x16 (&v)[kVectors]) {
  const U8x16 a = int_dot::load_bytes(taps[0] + at), b = int_dot::load_bytes(taps[1] + at);
  const U8x16 ab[] = {int_dot::interleave_low(a, b), int_dot::interleave_high(a, b)};
  if constexpr (Format::kGroup == 2) {
    for (int i = 0; i < 2; ++i) {
      v[2 * i] = int_dot::widen_low(ab[i]);
      v[2 * i + 1] = int_dot::widen_high(ab[i]);
    }
  } else {
    const U8x16 c = int_dot::load_bytes(taps[2] + at), d = int_dot::load_bytes(taps[3] + at);
    const U8x16 cd[] = {int_dot::interleave_low(c, d), int_dot::interleave_high(c, d)};
    for (int i = 0; i < 2; ++i) {
      v[2 * i] = int_dot::interleave_low16(ab[i], cd[i]);
      v[2 * i + 1] = int_dot::interleave_high16(ab[i], cd[i]);
    }
  }
}

class Depthwise {
  // In front of what names it: clang 14 would not instantiate it otherwise.
  template <class Format>
  static void one_pixel(const Depthwise& d, const uint8_t* const* taps, int64_t image, int64_t pixel) {
    constexpr int kGroup = Format::kGroup;
    const IntConv& c = d.c_;
    const IntOutput& out = c.out;
    const bool whole = c.channels_last && (out.kind == IntOutput::kInt8 || out.kind == IntOutput::kUint8);
    const bool clamps = d.clamps_;
    const auto channels = static_cast<ptrdiff_t>(c.channels), padded = static_cast<ptrdiff_t>(d.padded_);
    char* const to = static_cast<char*>(out.data) + (image * c.window.pixels() + pixel) * channels;
    const uint8_t* weights = c.weights;
    const int32_t* start = d.start_;
    const float* scale = d.scale_;
    const int_tile::ToBytes to_bytes = d.to_bytes_;
    for (ptrdiff_t ch = 0; ch < channels; ch += kLanes, weights += kLanes * 4) {
      I32x4 acc[kVectors];
      for (int i = 0; i < kVectors; ++i) acc[i] = int_dot::load_ints(start + ch + 4 * i);
#pragma GCC unroll 1
      for (ptrdiff_t t = 0; t < padded; t += kGroup, weights += kGroup * kLanes) {
        U8x16 v[kVectors];
        load_taps<Format>(taps + t, ch, v);
        for (int i = 0; i < kVectors; ++i) acc[i] = Format::add(v[i], Format::load_b(weights + i * 4 * kGroup), acc[i]);
      }
      if (!whole) {
        I32x4 sums[kVectors];
        std::copy_n(acc, kVectors, sums);
        d.scatter(sums, image, pixel, ch);
        continue;
      }
      for (int i = 0; i < kVectors; ++i) acc[i] = to_bytes.round(acc[i], F32x4::load(scale + ch + 4 * i), clamps);
      const U8x16 bytes = to_bytes.narrow(acc[0], acc[1], acc[2], acc[3]);
      if (ch + kLanes <= channels) {
        std::memcpy(to + ch, &bytes, kLanes);
      } else {
        std::memcpy(to + ch, &bytes, static_cast<size_t>(channels - ch));
      }
    }
  }

 public:
  explicit Depthwise(const IntConv& c)
      : c_(c),
        source_(c, 1, kLanes, 1, recode_of(c)),
        to_bytes_(c.out),
        columns_(c.window.kernel[c.window.rank() - 1]),
        taps_(c.window.taps()) {
    padded_ = padded_taps(taps_, group_of(c.kernel));
    slot_bytes_ = ((padded_ + taps_ / columns_) * static_cast<int64_t>(sizeof(void*)) + 63) / 64 * 64;
  }
  int64_t scratch() const { return source_.bytes() + zeros_bytes() + terms_bytes() + slot_bytes_ * Slots::count(); }

  void run(void* scratch) {
    uint8_t* at = static_cast<uint8_t*>(scratch);
    source_.make(at);
    zeros_ = at += source_.bytes();
    source_.pad(at, source_.pixel);
    at += zeros_bytes();
    start_ = reinterpret_cast<int32_t*>(at);
    scale_ = reinterpret_cast<float*>(start_ + source_.channels);
    fill_terms();
    Slots slots(at + terms_bytes(), static_cast<size_t>(slot_bytes_));
    const int64_t width = c_.window.out[c_.window.rank() - 1], rows = c_.window.pixels() / width;
    parallel_for(c_.batch * rows, grain_for(width * c_.channels * taps_ / 16), [&](int64_t begin, int64_t end) {
      Slots::Claim claim(slots);
      for (int64_t i = begin; i < end; ++i) one_row(i / rows, i % rows, claim.as<const uint8_t*>());
    });
  }

 private:
  // Bytes as the dot takes them; 16-bit numbers are made of unsigned ones.
  static int_tile::ARecode recode_of(const IntConv& c) {
    const bool as_signed = int_tile::operand_of(c.kernel) == DotOperand::kSigned;
    if (c.x_signed == as_signed) return {0, c.x_zero, 0};
    return {0, c.x_signed ? c.x_zero + 128 : c.x_zero - 128, 0x80};
  }
  int64_t zeros_bytes() const { return (source_.pixel + 63) / 64 * 64; }
  int64_t terms_bytes() const { return source_.channels * 8; }

  // Of each channel: where its sum starts, and its scale.
  void fill_terms() {
    for (int64_t ch = 0; ch < source_.channels; ++ch) {
      int32_t sum;
      std::memcpy(&sum, c_.weights + ch / kLanes * block_bytes(padded_) + padded_ * kLanes + ch % kLanes * 4,
                  sizeof(sum));
      const bool in = ch < c_.channels;
      start_[ch] = int_tile::minus_product(in && c_.out.bias ? c_.out.bias[ch] : 0, source_.recode.left, sum);
      scale_[ch] = in ? c_.out.col_scale.at(ch, 1) : 0;
      clamps_ = clamps_ || !int_tile::Columns::is_bounded(taps_, start_[ch], scale_[ch]);
    }
  }

  void one_row(int64_t image, int64_t row, const uint8_t** taps) const {
    const Window& w = c_.window;
    const int last = w.rank() - 1;
    const auto step = static_cast<ptrdiff_t>(source_.pixel), columns = static_cast<ptrdiff_t>(columns_),
               width = static_cast<ptrdiff_t>(source_.columns), dilation = static_cast<ptrdiff_t>(w.dilation[last]),
               lines = static_cast<ptrdiff_t>(taps_) / columns;
    const uint8_t** const line = taps + padded_;
    for (ptrdiff_t i = 0; i < lines; ++i) line[i] = source_.line(image, row, i);
    std::fill_n(taps, padded_, zeros_);
    using OnePixel = void (*)(const Depthwise&, const uint8_t* const*, int64_t, int64_t);
    const OnePixel compute =
        int_tile::with_format(c_.kernel, []<class Format>() -> OnePixel { return one_pixel<Format>; });
    ptrdiff_t begin = static_cast<ptrdiff_t>(source_.left - w.pad[last]);
    for (int64_t o = 0; o < w.out[last]; ++o, begin += static_cast<ptrdiff_t>(w.stride[last])) {
      const uint8_t** tap = taps;
      for (ptrdiff_t i = 0; i < lines; ++i) {
        ptrdiff_t column = begin;
        for (ptrdiff_t j = 0; j < columns; ++j, column += dilation) {
          const bool inside = line[i] != nullptr && column >= 0 && column < width;
          *tap++ = inside ? line[i] + column * step : zeros_;
        }
      }
      compute(*this, taps, image, row * w.out[last] + o);
    }
  }

  // Sums of channels from `ch` on, into any other output.
  [[gnu::noinline]] void scatter(const I32x4* sums, int64_t image, int64_t pixel, int64_t ch) const {
    const IntOutput& out = c_.out;
    const int64_t pixels = c_.window.pixels();
    for (int64_t i = 0; i < kLanes && ch + i < c_.channels; ++i) {
      const int64_t channel = ch + i, at = c_.channels_last ? (image * pixels + pixel) * c_.channels + channel
                                                            : (image * c_.channels + channel) * pixels + pixel;
      const int32_t sum = sums[i / 4].v[i % 4];
      if (out.kind == IntOutput::kInt32) {
        static_cast<int32_t*>(out.data)[at] = sum;
      } else if (out.kind == IntOutput::kFloat) {
        static_cast<float*>(out.data)[at] =
            static_cast<float>(sum) * scale_[channel] + (out.float_bias ? out.float_bias[channel] : -0.0f);
      } else {
        const I32x4 v = to_bytes_.round(I32x4::splat(sum), F32x4::splat(scale_[channel]));
        static_cast<uint8_t*>(out.data)[at] = to_bytes_.narrow(v, v, v, v)[0];
      }
    }
  }

  const IntConv& c_;
  int_tile::Source source_;
  const int_tile::ToBytes to_bytes_;
  bool clamps_ = false;
  int64_t columns_, taps_, padded_, slot_bytes_;  // columns of the kernel; taps filled up to whole groups
  const uint8_t* zeros_ = nullptr;
  int32_t* start_ = nullptr;
  float* scale_ = nullptr;
};

}  // namespace

int64_t packed_int_depthwise_size(int64_t channels, int64_t taps, IntKernel kernel) {
  return (channels + kLanes - 1) / kLanes * block_bytes(padded_taps(taps, group_of(kernel)));
}

void pack_int_depthwise_weights(const int8_t* w, int64_t channels, int64_t taps, uint8_t* out, IntKernel kernel) {
  const int64_t group = group_of(kernel), padded = padded_taps(taps, group);
  for (int64_t first = 0; first < channels; first += kLanes, out += block_bytes(padded)) {
    int32_t sums[kLanes] = {};
    for (int64_t t = 0; t < padded; ++t) {
      for (int64_t i = 0; i < kLanes; ++i) {
        const int8_t v = t < taps && first + i < channels ? w[(first + i) * taps + t] : int8_t{0};
        out[(t / group * kLanes + i) * group + t % group] = static_cast<uint8_t>(v);
        sums[i] += v;
      }
    }
    std::memcpy(out + padded * kLanes, sums, sizeof(sums));
  }
}

int64_t int_depthwise_scratch(const IntConv& c) { return Depthwise(c).scratch(); }

const char* int_depthwise(const IntConv& c, void* scratch) {
  Depthwise(c).run(scratch);
  return "conv_i8_depthwise";
}

}  // namespace onnxlet
