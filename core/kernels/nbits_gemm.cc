// Few-bit weights times floats, for many rows: eight columns at a time become a panel of floats that all rows share.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/int_dot.h"
#include "kernels/nbits.h"
#include "kernels/tile.h"

namespace onnxlet {
namespace {

using simd::F32;
using simd::I32x4;

constexpr int kUnit = NBitsPacked::kUnit;
constexpr int64_t kDepth = 256;  // of a panel: with its strips of A it stays in the first-level cache
constexpr int64_t kBlockRows = 256;

// The four columns of a group, [kUnit] rows of a panel.
template <int kWidth>
void expand_unit(const NBitsPacked& b, int64_t group, int64_t unit, float* panel) {
  constexpr int kParts = 8 / kWidth;
  const uint8_t* w = b.data + group * b.group_bytes() + unit * kUnit * kWidth / 2;
  const int64_t at = (group * b.blocks() + unit * kUnit / b.block) * 4;
  const F32 scale = F32::load(b.scales() + at), offset = b.has_zeros ? F32::load(b.zeros() + at) : F32::splat(0);
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

template <int kWidth>
void multiply(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c) {
  const int64_t row_blocks = (m + kBlockRows - 1) / kBlockRows, pairs = b.groups() / 2;
  const int64_t rows_each = ((m + row_blocks - 1) / row_blocks + kGemmRows - 1) / kGemmRows * kGemmRows;
  parallel_for(pairs * row_blocks, grain_for(b.k * (rows_each + 8) * 2), [&](int64_t begin, int64_t end) {
    float panel[kDepth * kGemmCols];
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i0 = t % row_blocks * rows_each, group = t / row_blocks * 2, j = group * 4;
      const int64_t rows = std::min(rows_each, m - i0), columns = std::min<int64_t>(kGemmCols, b.n - j);
      for (int64_t k0 = 0; rows > 0 && k0 < b.k; k0 += kDepth) {
        const int64_t depth = std::min(kDepth, b.k - k0);
        for (int64_t u = 0; u * kUnit < depth; ++u) {
          for (int64_t g = 0; g < 2; ++g) {
            expand_unit<kWidth>(b, group + g, k0 / kUnit + u, panel + u * kUnit * kGemmCols + g * 4);
          }
        }
        tile::Finish f(Epilogue{}, c, i0 * b.n + j, bias ? bias + j : nullptr, k0 == 0, k0 + depth == b.k);
        f.row_stride = b.n;
        tile::block<F32>({nullptr, a + i0 * b.k + k0, b.k}, rows, panel, 0, kGemmCols, columns, depth, f);
      }
    }
  });
}

}  // namespace

void nbits_gemm(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c) {
  if (b.width == 4) return multiply<4>(b, m, a, bias, c);
  b.width == 2 ? multiply<2>(b, m, a, bias, c) : multiply<8>(b, m, a, bias, c);
}

}  // namespace onnxlet
