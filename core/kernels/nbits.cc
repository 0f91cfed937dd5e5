#include "kernels/nbits.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/tile.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

using simd::F32;

constexpr int64_t kChunk = 128;  // values expanded at once

// Numbers [first, first + count) of column j as floats with the zero point taken off; first lies at a byte's begin.
void expand(const NBitsMatrix& b, int64_t j, int64_t first, int64_t count, float zero, float* out) {
  const uint8_t* src = b.data + (j * b.blocks() * b.block + first) * b.bits / 8;
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  ptrdiff_t i = 0;
  if (b.bits == 4) {
    typedef uint8_t U8x8 __attribute__((vector_size(8)));
    typedef int32_t I32x16 __attribute__((vector_size(64)));
    typedef float F32x16 __attribute__((vector_size(64)));
    for (; i + 16 <= n; i += 16) {
      U8x8 bytes;
      std::memcpy(&bytes, src + i / 2, sizeof(bytes));
      const auto numbers =
          __builtin_shufflevector(bytes & 15, bytes >> 4, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
      const F32x16 v = __builtin_convertvector(__builtin_convertvector(numbers, I32x16), F32x16) - zero;
      std::memcpy(out + i, &v, sizeof(v));
    }
  }
  for (; i < n; ++i) out[i] = static_cast<float>(nbits_number(src, i, b.bits)) - zero;
}

// The same, scaled. `first` at the begin of a block where blocks give the scale.
void weights(const NBitsMatrix& b, int64_t j, int64_t first, int64_t count, float* out) {
  if (b.codebook) {
    // Blocks run over the whole matrix here, not column by column.
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = j * b.k + first + i;
      const uint8_t byte = b.data[at / 2];
      out[i] = b.codebook[at % 2 == 0 ? byte >> 4 : byte & 15] * b.scales[at / b.block];
    }
    return;
  }
  const int64_t row = j * b.blocks();
  if (b.group_of) {
    expand(b, j, first, count, 0, out);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = row + b.group_of[first + i];
      out[i] = (out[i] - (b.zeros ? b.zeros[at] : b.zero)) * b.scales[at];
    }
    return;
  }
  for (int64_t i = 0; i < count; i += b.block) {
    const int64_t at = row + (first + i) / b.block;
    const ptrdiff_t n = static_cast<ptrdiff_t>(std::min(b.block, count - i));
    expand(b, j, first + i, n, b.zeros ? b.zeros[at] : b.zero, out + i);
    const float scale = b.scales[at];
    for (ptrdiff_t q = 0; q < n; ++q) out[i + q] *= scale;
  }
}

float dot(const float* a, const float* b, ptrdiff_t n) {
  F32 sum[2] = {F32::splat(0), F32::splat(0)};
  ptrdiff_t i = 0;
  for (; i + 2 * F32::kLanes <= n; i += 2 * F32::kLanes) {
    sum[0] = madd(F32::load(a + i), F32::load(b + i), sum[0]);
    sum[1] = madd(F32::load(a + i + F32::kLanes), F32::load(b + i + F32::kLanes), sum[1]);
  }
  float total = (sum[0] + sum[1]).sum();
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

// Rows of A times column j.
void few_rows(const NBitsMatrix& b, int64_t j, int64_t m, const float* a, float* sums) {
  float strip[kChunk];
  for (int64_t i = 0; i < m; ++i) sums[i] = 0;
  const int64_t step = std::min(kChunk, b.block);
  for (int64_t first = 0; first < b.k; first += step) {
    const int64_t n = std::min(step, b.k - first), at = j * b.blocks() + first / b.block;
    expand(b, j, first, n, b.zeros ? b.zeros[at] : b.zero, strip);
    for (int64_t i = 0; i < m; ++i)
      sums[i] += b.scales[at] * dot(strip, a + i * b.k + first, static_cast<ptrdiff_t>(n));
  }
}

}  // namespace

void nbits_panels(const NBitsMatrix& b, int64_t j0, int64_t j1, float* panels) {
  const int64_t count = (j1 - j0 + kGemmCols - 1) / kGemmCols;
  parallel_for(count, grain_for(b.k * kGemmCols * 4), [&](int64_t begin, int64_t end) {
    float strips[kGemmCols][kChunk];  // a part of each column
    for (int64_t p = begin; p < end; ++p) {
      const int64_t j = j0 + p * kGemmCols;
      const int cols = static_cast<int>(std::min<int64_t>(kGemmCols, j1 - j));
      float* panel = panels + p * b.k * kGemmCols;
      for (int64_t first = 0; first < b.k; first += kChunk) {
        const int64_t n = std::min(kChunk, b.k - first);
        for (int c = 0; c < cols; ++c) weights(b, j + c, first, n, strips[c]);
        tile::pack_panel<kGemmCols>(strips[0], kChunk, 1, cols, n, panel + first * kGemmCols);
      }
    }
  });
}

void nbits_rows(const NBitsMatrix& b, int64_t m, const float* a, const float* bias, float* c) {
  parallel_for(b.n, std::max<int64_t>(1, grain_for(b.k * (m + 1) / 4)), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      float sums[kNBitsRows];
      for (int64_t i = 0; i < m; i += kNBitsRows) {
        const int64_t rows = std::min<int64_t>(kNBitsRows, m - i);
        const float* x = a + i * b.k;
        few_rows(b, j, rows, x, sums);
        for (int64_t r = 0; r < rows; ++r) c[(i + r) * b.n + j] = bias ? sums[r] + bias[j] : sums[r];
      }
    }
  });
}

}  // namespace onnxlet
