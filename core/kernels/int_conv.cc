#include "base/parallel.h"
#include "kernels/int_gemm.h"
#include "kernels/int_patches.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_tile::kRows;
using int_tile::RowTerms;

struct Plan {
  int64_t k, block, blocks, strip_bytes, slot_bytes;
};

template <class Format>
Plan make_plan(const IntConv& c) {
  Plan p;
  const int64_t taps = c.window.taps(), pixels = c.window.pixels();
  p.k = int_tile::padded_channels<Format>(c.channels / c.groups) * taps;
  p.block = std::clamp<int64_t>(32768 / std::max<int64_t>(p.k, 1) / kRows * kRows, kRows, 64);
  p.block = std::min(p.block, (std::max<int64_t>(pixels, 1) + kRows - 1) / kRows * kRows);
  p.blocks = (pixels + p.block - 1) / p.block;
  p.strip_bytes =
      p.block / kRows * int_tile::strip_elements<Format>(p.k) * static_cast<int64_t>(sizeof(typename Format::Element));
  p.strip_bytes = (p.strip_bytes + 15) / 16 * 16;
  p.slot_bytes = (p.strip_bytes + p.block * static_cast<int64_t>(sizeof(RowTerms)) + taps * p.block * 4 +
                  taps * p.block / kRows + 63) /
                 64 * 64;
  return p;
}

// The output of one image and group: rows are pixels, columns its channels.
IntOutput group_output(const IntConv& c, int64_t image, int64_t first_channel) {
  IntOutput o = c.out;
  const int64_t pixels = c.window.pixels(), size = o.kind == IntOutput::kInt32 || o.kind == IntOutput::kFloat ? 4 : 1;
  o.data = static_cast<char*>(o.data) + (image * c.out_channels + first_channel) * pixels * size;
  o.row_stride = 1;
  o.col_stride = pixels;
  if (o.bias) o.bias += first_channel;
  if (o.float_bias) o.float_bias += first_channel;
  if (o.col_scale.data) o.col_scale.data += first_channel * o.col_scale.stride;
  return o;
}

// A plane of finished sums into the output of one channel: the tile's row of 8, turned.
void put_plane(IntOutput out, const int32_t* sums, int64_t pixels) {
  constexpr int kWide = int_tile::kCols;
  constexpr uint8_t kNoSums[kWide * sizeof(int32_t)] = {};
  int_tile::Columns one(out, {}, 0, kNoSums, 0, 1);
  std::fill_n(one.bias, kWide, one.bias[0]);
  std::fill_n(one.scale, kWide, one.scale[0]);
  std::fill_n(one.float_bias, kWide, one.float_bias[0]);
  out.row_stride = 0;
  out.col_stride = 1;
  for (int64_t i = 0; i < pixels; i += kWide) {
    const int n = static_cast<int>(std::min<int64_t>(kWide, pixels - i));
    int32_t values[kWide] = {};
    std::copy_n(sums + i, n, values);
    const int_tile::I32x4 v[1][int_tile::kHalves] = {{int_tile::load_ints(values), int_tile::load_ints(values + 4)}};
    const int_tile::RowTerms terms;
    int_tile::put(out, one, &terms, v, 1, 0, i, n);
  }
}

template <class T>
void depthwise_plane(const IntConv& c, const T* x, const uint8_t* weights, int32_t w_zero, int32_t* sums) {
  std::fill(sums, sums + c.window.pixels(), 0);
  each_tap_row(c.window, [&](int64_t tap, ptrdiff_t to, ptrdiff_t from, ptrdiff_t step, ptrdiff_t n) {
    const int32_t w = (c.w_signed ? static_cast<int8_t>(weights[tap]) : weights[tap]) - w_zero, zero = c.x_zero;
    const T* src = x + from;
    int32_t* dst = sums + to;
    if (step == 1) {
      for (ptrdiff_t i = 0; i < n; ++i) dst[i] += w * (src[i] - zero);
    } else {
      for (ptrdiff_t i = 0; i < n; ++i) dst[i] += w * (src[i * step] - zero);
    }
  });
}

template <class Format>
void run(const IntConv& c, void* scratch) {
  const Plan p = make_plan<Format>(c);
  const int64_t mg = c.out_channels / c.groups, cg = c.channels / c.groups, pixels = c.window.pixels();
  Slots slots(scratch, static_cast<size_t>(p.slot_bytes));
  parallel_for(c.batch * c.groups * p.blocks,
               grain_for(p.block * std::max<int64_t>(mg, 8) * std::max<int64_t>(p.k, 8) / 16),
               [&](int64_t begin, int64_t end) {
                 Slots::Claim claim(slots);
                 auto* packed = claim.as<typename Format::Element>();
                 auto* terms = reinterpret_cast<RowTerms*>(claim.as<char>() + p.strip_bytes);
                 int32_t* offsets = reinterpret_cast<int32_t*>(terms + p.block);
                 uint8_t* kinds = reinterpret_cast<uint8_t*>(offsets + c.window.taps() * p.block);
                 for (int64_t task = begin; task < end; ++task) {
                   const int64_t image = task / (c.groups * p.blocks), group = task / p.blocks % c.groups,
                                 p0 = task % p.blocks * p.block;
                   const int64_t rows = std::min(p.block, pixels - p0);
                   locate_patches(c.window, 1, p0, rows, p.block, offsets, kinds);
                   const int64_t plane = c.window.in.size();
                   const int_tile::PatchSource source{c.x + (image * c.channels + group * cg) * plane,
                                                      c.x_signed,
                                                      c.x_zero,
                                                      plane,
                                                      cg,
                                                      c.window.taps(),
                                                      offsets,
                                                      kinds,
                                                      p.block};
                   int_tile::pack_patches<Format>(source, rows, int_tile::operand_of(c.kernel), packed, terms);
                   PerAxis<int32_t> zero = c.w_zero;
                   if (zero.data) zero.data += group * mg * zero.stride;
                   const uint8_t* weights = c.weights + group * packed_int_b_size(p.k, mg, c.kernel);
                   int_tile::block<Format>(packed, terms, rows, {weights, zero, int_tile::shift_of(c.w_signed)}, mg,
                                           p.k, group_output(c, image, group * mg), p0, 0);
                 }
               });
}

}  // namespace

int64_t packed_int_conv_size(const IntFilters& f, IntKernel kernel) {
  return int_tile::with_format(kernel, [&]<class Format>() {
    return f.groups *
           packed_int_b_size(int_tile::padded_channels<Format>(f.channels) * f.taps, f.out_channels / f.groups, kernel);
  });
}

void pack_int_conv_weights(const void* w, bool is_signed, const IntFilters& f, uint8_t* out, IntKernel kernel) {
  int_tile::with_format(kernel, [&]<class Format>() {
    const int64_t mg = f.out_channels / f.groups, padded = int_tile::padded_channels<Format>(f.channels),
                  filter = f.channels * f.taps;
    for (int64_t g = 0; g < f.groups; ++g) {
      const IntMatrix b{
          static_cast<const uint8_t*>(w) + g * mg * filter, is_signed, 1, filter, f.channels, f.taps, padded};
      pack_int_b(b, padded * f.taps, mg, out + g * packed_int_b_size(padded * f.taps, mg, kernel), kernel);
    }
  });
}

int64_t int_conv_scratch(const IntConv& c) {
  return int_tile::with_format(c.kernel, [&]<class Format>() { return make_plan<Format>(c).slot_bytes; }) *
         Slots::count();
}

const char* int_conv(const IntConv& c, void* scratch) {
  int_tile::with_format(c.kernel, [&]<class Format>() { run<Format>(c, scratch); });
  return name_of(c.kernel);
}

int64_t int_conv_depthwise_scratch(const IntConv& c) { return (c.window.pixels() * 4 + 63) / 64 * 64 * Slots::count(); }

const char* int_conv_depthwise(const IntConv& c, void* scratch) {
  const int64_t mg = c.out_channels / c.groups, pixels = c.window.pixels(), taps = c.window.taps();
  Slots slots(scratch, static_cast<size_t>((pixels * 4 + 63) / 64 * 64));
  parallel_for(c.batch * c.out_channels, grain_for(pixels * taps / 2), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    int32_t* sums = claim.as<int32_t>();
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t image = plane / c.out_channels, channel = plane % c.out_channels;
      const uint8_t* x = c.x + (image * c.channels + channel / mg) * c.window.in.size();
      const int32_t zero = c.w_zero.at(channel, 0);
      if (c.x_signed) {
        depthwise_plane(c, reinterpret_cast<const int8_t*>(x), c.weights + channel * taps, zero, sums);
      } else {
        depthwise_plane(c, x, c.weights + channel * taps, zero, sums);
      }
      const IntOutput out = group_output(c, image, channel);
      put_plane(out, sums, pixels);
    }
  });
  return "conv_i8_depthwise";
}

}  // namespace onnxlet
