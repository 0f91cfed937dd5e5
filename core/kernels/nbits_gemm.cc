// Few-bit weights times floats, for many rows: eight columns at a time become a panel of floats that all rows share.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/int_dot.h"
#include "kernels/nbits.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32x4;
using simd::I32x4;

constexpr int kUnit = NBitsPacked::kUnit;
constexpr int64_t kPanels = 2;   // side by side: their rows of C fill a line of the cache
constexpr int64_t kDepth = 576;  // of a panel at most: panels and strips of A stay in the first-level cache
constexpr int64_t kBlockRows = 256;

// The four columns of a group, [kUnit] rows of a panel.
template <int kWidth>
void expand_unit(const NBitsPacked& b, int64_t group, int64_t unit, float* panel) {
  constexpr int kParts = 8 / kWidth;
  const uint8_t* w = b.data + group * b.group_bytes() + unit * kUnit * kWidth / 2;
  const int64_t at = (group * b.blocks() + unit * kUnit / b.block) * 4;
  const F32x4 scale = F32x4::load(b.scales() + at),
              offset = b.has_zeros ? F32x4::load(b.zeros() + at) : F32x4::splat(0);
  const I32x4 mask = I32x4::splat((1 << kWidth) - 1), flip = I32x4::splat(b.shift);
  const I32x4 zero = I32x4::splat(b.shift + (b.has_zeros ? 0 : static_cast<int32_t>(b.zero) - b.shift));
  for (int v = 0; v < kUnit / 4 / kParts; ++v, w += 16) {
    I32x4 bits;
    std::memcpy(&bits.v, w, sizeof(bits.v));
    for (int part = 0; part < kParts; ++part) {
      for (int i = 0; i < 4; ++i, panel += kGemmCols) {
        const I32x4 number = (bits >> (i * 8 + part * kWidth) & mask) ^ flip;
        (to_float(number - zero) * scale - offset).store(panel);
      }
    }
  }
}

// The panels of some columns, `depth` rows from k0 on.
void expand(const NBitsPacked& b, int64_t group, int64_t groups, int64_t k0, int64_t depth, float* panels) {
  for (int64_t g = 0; g < groups; ++g) {
    float* to = panels + g / 2 * kDepth * kGemmCols + g % 2 * 4;
    for (int64_t u = 0; u < depth; u += kUnit) {
      const auto unit = b.width == 4 ? expand_unit<4> : b.width == 2 ? expand_unit<2> : expand_unit<8>;
      unit(b, group + g, (k0 + u) / kUnit, to + u * kGemmCols);
    }
  }
}

}  // namespace

void nbits_gemm(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c) {
  constexpr int64_t kGroups = kPanels * kGemmCols / 4;
  const int64_t row_blocks = (m + kBlockRows - 1) / kBlockRows, strips = (b.groups() + kGroups - 1) / kGroups;
  const int64_t rows_each = ((m + row_blocks - 1) / row_blocks + kGemmRows - 1) / kGemmRows * kGemmRows;
  const int64_t parts = (b.k + kDepth - 1) / kDepth, depth_each = (b.units() + parts - 1) / parts * kUnit;
  parallel_for(strips * row_blocks, grain_for(b.k * (rows_each + 8) * 4), [&](int64_t begin, int64_t end) {
    float panels[kPanels * kDepth * kGemmCols];
    for (int64_t t = begin; t < end; ++t) {
      const int64_t group = t / row_blocks * kGroups, j = group * 4, i0 = t % row_blocks * rows_each;
      const int64_t i1 = std::min(i0 + rows_each, m), columns = std::min<int64_t>(kPanels * kGemmCols, b.n - j);
      for (int64_t k0 = 0; i0 < i1 && k0 < b.k; k0 += depth_each) {
        const int64_t depth = std::min(depth_each, b.k - k0);
        expand(b, group, std::min(kGroups, b.groups() - group), k0, depth, panels);
        for (int64_t i = i0; i < i1; i += kGemmRows) {
          tile::Finish f(Epilogue{}, c, i * b.n + j, bias ? bias + j : nullptr, k0 == 0, k0 + depth == b.k);
          f.row_stride = b.n;
          tile::rows_block(a + i * b.k + k0, b.k, std::min<int64_t>(kGemmRows, i1 - i), panels, kDepth * kGemmCols,
                           kGemmCols, columns, depth, f);
        }
      }
    }
  });
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
