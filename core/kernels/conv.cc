#include "kernels/conv.h"

#include <algorithm>

#include "kernels/conv_blocks.h"
#include "kernels/patches.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32;
using simd::F32x4;

constexpr int64_t kBlockPixels = 64, kBlockK = 512;

struct ConvPlan : ConvBlocks {
  int64_t k_channels, pack_floats, slot_bytes;

  // Packing patches again for another block of columns is cheap only next to many columns.
  explicit ConvPlan(const Conv& c) : ConvBlocks(c, kBlockPixels, INT64_MAX, 128) {
    const int64_t taps = c.window.taps();
    k_channels =
        std::min(std::max<int64_t>(1, kBlockK / std::max<int64_t>(taps, 1)), std::max<int64_t>(c.group_channels(), 1));
    pack_floats = block * k_channels * taps;
    slot_bytes = (pack_floats * 4 + taps * block * 4 + taps * block / kGemmRows + 63) / 64 * 64;
  }
};

// Strips of [channels * taps][4] for the pixels that `offsets` describes; x is the first channel's plane.
void pack_patches(const float* x, int64_t channel_stride, int64_t channels, int64_t taps, int64_t strips, int64_t block,
                  const int32_t* offsets, const uint8_t* kinds, float* out) {
  const ptrdiff_t strip_step = static_cast<ptrdiff_t>(channels * taps) * kGemmRows;
  for (int64_t ch = 0; ch < channels; ++ch, x += channel_stride) {
    for (int64_t t = 0; t < taps; ++t) {
      const int32_t* o = offsets + t * block;
      const uint8_t* kind = kinds + t * (block / kGemmRows);
      float* dst = out + (ch * taps + t) * kGemmRows;
      for (ptrdiff_t s = 0; s < static_cast<ptrdiff_t>(strips); ++s, dst += strip_step, o += kGemmRows) {
        if (kind[s] >= kContiguous) {
          const float* src = x + o[0];
          const ptrdiff_t run = kind[s] - kContiguous + 1;
          for (ptrdiff_t i = 0; i < run; ++i, src += kGemmRows, dst += strip_step) F32x4::load(src).store(dst);
          dst -= strip_step;
          s += run - 1;
          o += (run - 1) * kGemmRows;
        } else if (kind[s] == kPadding) {
          F32x4::splat(0).store(dst);
        } else if (kind[s] == kEverySecond) {
          const F32x4 a = F32x4::load(x + o[0]), b = F32x4::load(x + o[0] + 3);
          F32x4{__builtin_shufflevector(a.v, b.v, 0, 2, 5, 7)}.store(dst);
        } else {
          for (int r = 0; r < kGemmRows; ++r) dst[r] = o[r] < 0 ? 0.0f : x[o[r]];
        }
      }
    }
  }
}

void run_task(const Conv& c, const ConvPlan& p, const ConvTask& t, char* slot) {
  float* packed = reinterpret_cast<float*>(slot);
  int32_t* offsets = reinterpret_cast<int32_t*>(slot + p.pack_floats * 4);
  const int64_t taps = c.window.taps(), cg = c.group_channels(), mg = c.group_out(), k_all = cg * taps;
  uint8_t* kinds = reinterpret_cast<uint8_t*>(offsets + taps * p.block);
  const int64_t rows = t.pixel1 - t.pixel0, strips = (rows + kGemmRows - 1) / kGemmRows;
  locate_patches(c.window, 1, t.pixel0, rows, p.block, offsets, kinds);
  const int64_t in_pixels = c.window.in.size();
  const float* x = c.x + t.image * c.channels * in_pixels + t.group * cg * in_pixels;
  const float* weights = c.weights + t.group * packed_b_size(k_all, mg) + t.col0 * k_all;
  const int64_t channel = t.group * mg + t.col0;
  const int64_t offset = (t.image * c.out_channels + channel) * p.pixels + t.pixel0;
  const float* const bias = c.epilogue.bias ? c.epilogue.bias + channel : nullptr;
  for (int64_t c0 = 0; c0 == 0 || c0 < cg; c0 += p.k_channels) {
    const int64_t channels = std::min(p.k_channels, cg - c0);
    pack_patches(x + c0 * in_pixels, in_pixels, channels, taps, strips, p.block, offsets, kinds, packed);
    tile::Finish f(c.epilogue, c.y, offset, bias, c0 == 0, c0 + channels >= cg);
    f.row_stride = 1;
    f.col_stride = p.pixels;
    tile::block<F32>({packed, nullptr, 0}, rows, weights + c0 * taps * kGemmCols, k_all * kGemmCols, kGemmCols,
                     t.col1 - t.col0, channels * taps, f);
  }
}

Gemm pointwise_gemm(const Conv& c) {
  Gemm g;
  g.m = c.window.pixels();
  g.n = c.group_out();
  g.k = c.group_channels();
  g.a = {c.x, 1, g.m};
  g.packed_b = c.weights;
  g.c = c.y;
  g.c_row_stride = 1;
  g.c_col_stride = g.m;
  g.epilogue = c.epilogue;
  return g;
}

}  // namespace

int64_t packed_conv_size(int64_t out_channels, int64_t group_k, int64_t groups) {
  return groups * packed_b_size(group_k, out_channels / groups);
}

void pack_conv_weights(const float* w, int64_t out_channels, int64_t group_k, int64_t groups, float* out) {
  const int64_t mg = out_channels / groups;
  for (int64_t g = 0; g < groups; ++g) {
    pack_b({w + g * mg * group_k, 1, group_k}, group_k, mg, out + g * packed_b_size(group_k, mg));
  }
}

int64_t conv_scratch(const Conv& c) {
  if (c.pointwise()) return gemm_scratch(pointwise_gemm(c));
  return ConvPlan(c).slot_bytes / 4 * Slots::count();
}

const char* conv(const Conv& c, float* scratch) {
  if (c.batch == 0 || c.out_channels == 0 || c.window.pixels() == 0) return "conv_f32";
  if (c.pointwise()) {
    const Gemm whole = pointwise_gemm(c);
    for (int64_t i = 0; i < c.batch * c.groups; ++i) {
      const int64_t image = i / c.groups, group = i % c.groups;
      Gemm g = whole;
      g.a.data += image * c.channels * g.m + group * g.k * g.m;
      g.packed_b += group * packed_b_size(g.k, g.n);
      const int64_t offset = (image * c.out_channels + group * g.n) * g.m;
      g.c += offset;
      if (g.epilogue.residual) g.epilogue.residual += offset;
      if (g.epilogue.bias) g.epilogue.bias += group * g.n;
      gemm(g, scratch);
    }
    return "conv_f32_pointwise_4x8";
  }
  const ConvPlan p(c);
  Slots slots(scratch, static_cast<size_t>(p.slot_bytes));
  p.for_each(c, slots, [&](const ConvTask& t, char* slot) { run_task(c, p, t, slot); });
  return "conv_f32_indirect_4x8";
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
