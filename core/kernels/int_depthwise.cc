// Depthwise convolution of 8-bit integers, one output per channel, channels innermost: the taps of a vector of channels
// are interleaved, so that the dot adds some of them at once.
#include "kernels/int_source.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_dot::U8x16;
using int_tile::I32x4;
using int_tile::Pairs;
using int_tile::Source;
using simd::F32x4;

// Channels that are worked on together.
template <class Format>
constexpr int64_t kLanes = 4 * Format::kGroup;

// One block of channels: [taps / kGroup][kGroup][4 channels][kGroup taps], then the sums of its channels as int32.
template <class Format>
int64_t block_bytes(int64_t taps) {
  return int_tile::groups<Format>(taps) * Format::kGroup * kLanes<Format> + kLanes<Format> * 4;
}
template <class Format>
int64_t block_count(int64_t channels) {
  return (channels + kLanes<Format> - 1) / kLanes<Format>;
}

// kGroup taps of kLanes channels: v[i] gets those of channels 4 i to 4 i + 3, the taps of a channel side by side.
template <class Format>
inline void load_taps(const typename Format::Element* const* taps, ptrdiff_t c, U8x16 (&v)[Format::kGroup]) {
  U8x16 row[Format::kGroup];
  for (int t = 0; t < Format::kGroup; ++t) row[t] = int_dot::load_bytes(reinterpret_cast<const uint8_t*>(taps[t] + c));
  if constexpr (Format::kGroup == 2) {
    v[0] = int_dot::interleave_low16(row[0], row[1]);
    v[1] = int_dot::interleave_high16(row[0], row[1]);
  } else {
    const U8x16 a = int_dot::interleave_low(row[0], row[1]), b = int_dot::interleave_low(row[2], row[3]),
                d = int_dot::interleave_high(row[0], row[1]), e = int_dot::interleave_high(row[2], row[3]);
    v[0] = int_dot::interleave_low16(a, b);
    v[1] = int_dot::interleave_high16(a, b);
    v[2] = int_dot::interleave_low16(d, e);
    v[3] = int_dot::interleave_high16(d, e);
  }
}

template <class Format>
struct Plan {
  Source<Format> source;
  int64_t taps, padded, taps_bytes, slot_bytes;

  explicit Plan(const IntConv& c) : source(c, 1, kLanes<Format>), taps(c.window.taps()) {
    padded = int_tile::groups<Format>(taps) * Format::kGroup;
    slot_bytes = (padded * static_cast<int64_t>(sizeof(void*)) + 63) / 64 * 64;
  }
  int64_t zeros_bytes() const {
    return (source.channels * static_cast<int64_t>(sizeof(typename Format::Element)) + 63) / 64 * 64;
  }
  int64_t terms_bytes() const { return source.channels * 8; }  // of each channel: where its sum starts, its scale
};

template <class Format>
class Depthwise {
 public:
  using Element = typename Format::Element;

  Depthwise(const IntConv& c, Plan<Format>& p, void* scratch) : c_(c), p_(p), to_bytes_(c.out) {
    char* at = static_cast<char*>(scratch);
    p.source.make(at);
    at += p_.source.bytes();
    Element* zeros = reinterpret_cast<Element*>(at);
    std::fill_n(zeros, p_.source.channels, p_.source.padding);
    zeros_ = zeros;
    start_ = reinterpret_cast<int32_t*>(at + p_.zeros_bytes());
    scale_ = reinterpret_cast<float*>(start_ + p_.source.channels);
    for (int64_t ch = 0; ch < p_.source.channels; ++ch) {
      const uint8_t* block = c.weights + (ch / kLanes<Format> + 1) * block_bytes<Format>(p_.taps);
      int32_t sum;
      std::memcpy(&sum, block - (kLanes<Format> - ch % kLanes<Format>)*4, sizeof(sum));
      const bool in = ch < c.channels;
      start_[ch] = int_tile::minus_product(in && c.out.bias ? c.out.bias[ch] : 0, p_.source.recode.left, sum);
      scale_[ch] = in ? c.out.col_scale.at(ch, 1) : 0;
    }
  }

  // One row of output pixels.
  void run(int64_t image, int64_t row, const Element** taps) const {
    const Window& w = c_.window;
    const Source<Format>& s = p_.source;
    const int last = w.rank() - 1;
    const int64_t width = w.out[last], inner = w.kernel[last];
    const auto step = static_cast<ptrdiff_t>(s.pixel());
    const Element* x = s.data + image * s.rows * s.columns * step;
    std::fill_n(taps, p_.padded, zeros_);
    Odometer pixel(w.out, row * width);
    for (int64_t o = 0; o < width; ++o, pixel.next()) {
      const int64_t begin = o * w.stride[last] - w.pad[last] + s.left;
      for (int64_t t = 0; t < p_.taps; t += inner) {
        const int64_t line = int_tile::kernel_row(w, pixel, t / inner);
        int64_t column = begin;
        for (int64_t i = 0; i < inner; ++i, column += w.dilation[last]) {
          const bool inside = line >= 0 && column >= 0 && column < s.columns;
          taps[t + i] = inside ? x + static_cast<ptrdiff_t>(line * s.columns + column) * step : zeros_;
        }
      }
      one_pixel(taps, image, row * width + o);
    }
  }

 private:
  void one_pixel(const Element* const* taps, int64_t image, int64_t pixel) const {
    constexpr int kGroup = Format::kGroup;
    const IntOutput& out = c_.out;
    const bool whole = c_.channels_last && (out.kind == IntOutput::kInt8 || out.kind == IntOutput::kUint8);
    const int64_t pixels = c_.window.pixels();
    const auto channels = static_cast<ptrdiff_t>(c_.channels);
    const ptrdiff_t groups = static_cast<ptrdiff_t>(p_.padded) / kGroup;
    char* const to = static_cast<char*>(out.data) + (image * pixels + pixel) * channels;
    const uint8_t* weights = c_.weights;
    for (ptrdiff_t ch = 0; ch < channels; ch += kLanes<Format>, weights += kLanes<Format> * 4) {
      I32x4 acc[kGroup];
      for (int i = 0; i < kGroup; ++i) acc[i] = int_dot::load_ints(start_ + ch + 4 * i);
#pragma GCC unroll 1
      for (ptrdiff_t g = 0; g < groups; ++g, weights += kGroup * kLanes<Format>) {
        U8x16 v[kGroup];
        load_taps<Format>(taps + g * kGroup, ch, v);
        for (int i = 0; i < kGroup; ++i) acc[i] = Format::add(v[i], Format::load_b(weights + i * 4 * kGroup), acc[i]);
      }
      if (!whole) {
        scatter(acc, image, pixel, ch);
        continue;
      }
      for (int i = 0; i < kGroup; ++i) acc[i] = to_bytes_.round(acc[i], F32x4::load(scale_ + ch + 4 * i));
      const U8x16 bytes = to_bytes_.narrow(acc[0], acc[1], acc[kGroup - 2], acc[kGroup - 1]);
      if (ch + kLanes<Format> <= channels) {
        std::memcpy(to + ch, &bytes, kLanes<Format>);
      } else {
        std::memcpy(to + ch, &bytes, static_cast<size_t>(channels - ch));
      }
    }
  }

  // Sums of kLanes channels into any other output.
  [[gnu::noinline]] void scatter(const I32x4* acc, int64_t image, int64_t pixel, int64_t ch) const {
    const IntOutput& out = c_.out;
    const int64_t pixels = c_.window.pixels();
    for (int64_t i = 0; i < kLanes<Format> && ch + i < c_.channels; ++i) {
      const int64_t channel = ch + i;
      const int64_t at = c_.channels_last ? (image * pixels + pixel) * c_.channels + channel
                                          : (image * c_.channels + channel) * pixels + pixel;
      const int32_t sum = acc[i / 4].v[i % 4];
      if (out.kind == IntOutput::kInt32) {
        static_cast<int32_t*>(out.data)[at] = sum;
      } else if (out.kind == IntOutput::kFloat) {
        static_cast<float*>(out.data)[at] =
            static_cast<float>(sum) * scale_[channel] + (out.float_bias ? out.float_bias[channel] : 0);
      } else {
        const I32x4 v = to_bytes_.round(I32x4::splat(sum), F32x4::splat(scale_[channel]));
        static_cast<uint8_t*>(out.data)[at] = to_bytes_.narrow(v, v, v, v)[0];
      }
    }
  }

  const IntConv& c_;
  const Plan<Format>& p_;
  const int_tile::ToBytes to_bytes_;
  const Element* zeros_;
  int32_t* start_;
  float* scale_;
};

template <class Format>
void run_all(const IntConv& c, void* scratch) {
  Plan<Format> p(c);
  const Depthwise<Format> depthwise(c, p, scratch);
  Slots slots(static_cast<char*>(scratch) + p.source.bytes() + p.zeros_bytes() + p.terms_bytes(),
              static_cast<size_t>(p.slot_bytes));
  const int64_t width = c.window.out[c.window.rank() - 1], rows = c.window.pixels() / width;
  parallel_for(c.batch * rows, grain_for(width * c.channels * p.taps / 16), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    for (int64_t i = begin; i < end; ++i) {
      depthwise.run(i / rows, i % rows, claim.as<const typename Format::Element*>());
    }
  });
}

}  // namespace

int64_t packed_int_depthwise_size(int64_t channels, int64_t taps, IntKernel kernel) {
  return int_tile::with_format(
      kernel, [&]<class Format>() { return block_count<Format>(channels) * block_bytes<Format>(taps); });
}

void pack_int_depthwise_weights(const int8_t* w, int64_t channels, int64_t taps, uint8_t* out, IntKernel kernel) {
  int_tile::with_format(kernel, [&]<class Format>() {
    constexpr int64_t kGroup = Format::kGroup;
    const int64_t padded = int_tile::groups<Format>(taps) * kGroup;
    for (int64_t block = 0; block < block_count<Format>(channels); ++block, out += block_bytes<Format>(taps)) {
      int32_t sums[kLanes<Format>] = {};
      for (int64_t t = 0; t < padded; ++t) {
        for (int64_t i = 0; i < kLanes<Format>; ++i) {
          const int64_t ch = block * kLanes<Format> + i;
          const int8_t v = t < taps && ch < channels ? w[ch * taps + t] : int8_t{0};
          out[(t / kGroup * kLanes<Format> + i) * kGroup + t % kGroup] = static_cast<uint8_t>(v);
          sums[i] += v;
        }
      }
      std::memcpy(out + padded * kLanes<Format>, sums, sizeof(sums));
    }
  });
}

int64_t int_depthwise_scratch(const IntConv& c) {
  return int_tile::with_format(c.kernel, [&]<class Format>() {
    const Plan<Format> p(c);
    return p.source.bytes() + p.zeros_bytes() + p.terms_bytes() + p.slot_bytes * Slots::count();
  });
}

const char* int_depthwise(const IntConv& c, void* scratch) {
  int_tile::with_format(c.kernel, [&]<class Format>() { run_all<Format>(c, scratch); });
  return "conv_i8_depthwise";
}

}  // namespace onnxlet
