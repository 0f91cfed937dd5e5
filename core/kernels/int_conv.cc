#include "base/parallel.h"
#include "kernels/int_gemm.h"
#include "kernels/int_tile.h"
#include "kernels/patches.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_tile::kCols;
using int_tile::kRows;
using int_tile::pairs;

struct Plan {
  int64_t k, block, blocks, packed_bytes, slot_bytes;
};

Plan make_plan(const IntConv& c) {
  Plan p;
  const int64_t taps = c.window.taps(), pixels = c.window.pixels();
  p.k = c.channels / c.groups * taps;
  p.block = std::clamp<int64_t>(32768 / std::max<int64_t>(p.k, 1) / kRows * kRows, kRows, 64);
  p.block = std::min(p.block, (std::max<int64_t>(pixels, 1) + kRows - 1) / kRows * kRows);
  p.blocks = (pixels + p.block - 1) / p.block;
  p.packed_bytes = p.block * pairs(p.k) * 4;
  p.slot_bytes = (p.packed_bytes + p.block * 4 + taps * p.block * 4 + taps * p.block / kRows + 63) / 64 * 64;
  return p;
}

template <class T>
void pack_patches(const IntConv& c, const T* x, int64_t k, int64_t rows, int64_t block, const int32_t* offsets,
                  int16_t* out, int32_t* sums) {
  const int64_t taps = c.window.taps(), in = c.window.in.size(), channels = c.channels / c.groups,
                strips = (rows + kRows - 1) / kRows;
  const ptrdiff_t strip_step = static_cast<ptrdiff_t>(pairs(k)) * kRows * 2;
  std::fill(sums, sums + strips * kRows, 0);
  int64_t at = 0;
  for (int64_t ch = 0; ch < channels; ++ch, x += in) {
    for (int64_t t = 0; t < taps; ++t, ++at) {
      const int32_t* o = offsets + t * block;
      int16_t* dst = out + at / 2 * kRows * 2 + at % 2;
      for (int64_t s = 0; s < strips; ++s, dst += strip_step, o += kRows) {
        for (int r = 0; r < kRows; ++r) {
          const int32_t v = o[r] < 0 ? 0 : x[o[r]] - c.x_zero;
          dst[r * 2] = static_cast<int16_t>(v);
          sums[s * kRows + r] += v;
        }
      }
    }
  }
  if (k % 2 == 1) {
    int16_t* dst = out + k / 2 * kRows * 2 + 1;
    for (int64_t s = 0; s < strips; ++s, dst += strip_step) {
      for (int r = 0; r < kRows; ++r) dst[r * 2] = 0;
    }
  }
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

}  // namespace

int64_t packed_int_conv_size(int64_t out_channels, int64_t group_k, int64_t groups) {
  return groups * packed_int_b_size(group_k, out_channels / groups);
}

void pack_int_conv_weights(const void* w, bool is_signed, int64_t out_channels, int64_t group_k, int64_t groups,
                           uint8_t* out) {
  const int64_t mg = out_channels / groups;
  for (int64_t g = 0; g < groups; ++g) {
    const IntMatrix b{static_cast<const uint8_t*>(w) + g * mg * group_k, is_signed, 1, group_k};
    pack_int_b(b, group_k, mg, out + g * packed_int_b_size(group_k, mg));
  }
}

int64_t int_conv_scratch(const IntConv& c) { return make_plan(c).slot_bytes * Slots::count(); }

const char* int_conv(const IntConv& c, void* scratch) {
  const Plan p = make_plan(c);
  const int64_t mg = c.out_channels / c.groups, cg = c.channels / c.groups, pixels = c.window.pixels();
  Slots slots(scratch, static_cast<size_t>(p.slot_bytes));
  parallel_for(c.batch * c.groups * p.blocks,
               grain_for(p.block * std::max<int64_t>(mg, 8) * std::max<int64_t>(p.k, 8) / 16),
               [&](int64_t begin, int64_t end) {
                 Slots::Claim claim(slots);
                 int16_t* packed = claim.as<int16_t>();
                 int32_t* sums = reinterpret_cast<int32_t*>(claim.as<char>() + p.packed_bytes);
                 int32_t* offsets = sums + p.block;
                 uint8_t* kinds = reinterpret_cast<uint8_t*>(offsets + c.window.taps() * p.block);
                 for (int64_t task = begin; task < end; ++task) {
                   const int64_t image = task / (c.groups * p.blocks), group = task / p.blocks % c.groups,
                                 p0 = task % p.blocks * p.block;
                   const int64_t rows = std::min(p.block, pixels - p0);
                   locate_patches(c.window, 1, p0, rows, p.block, offsets, kinds);
                   const uint8_t* x = c.x + (image * c.channels + group * cg) * c.window.in.size();
                   if (c.x_signed) {
                     pack_patches(c, reinterpret_cast<const int8_t*>(x), p.k, rows, p.block, offsets, packed, sums);
                   } else {
                     pack_patches(c, x, p.k, rows, p.block, offsets, packed, sums);
                   }
                   const uint8_t* weights = c.weights + group * packed_int_b_size(p.k, mg);
                   PerAxis<int32_t> zero = c.w_zero;
                   if (zero.data) zero.data += group * mg * zero.stride;
                   const IntOutput out = group_output(c, image, group * mg);
                   if (c.w_signed) {
                     int_tile::block<true>(packed, sums, rows, weights, mg, p.k, zero, out, p0, 0);
                   } else {
                     int_tile::block<false>(packed, sums, rows, weights, mg, p.k, zero, out, p0, 0);
                   }
                 }
               });
  return "conv_i8_indirect_4x8";
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
      for (int64_t i = 0; i < pixels; ++i) int_tile::put(out, i, 0, sums[i]);
    }
  });
  return "conv_i8_depthwise";
}

}  // namespace onnxlet
