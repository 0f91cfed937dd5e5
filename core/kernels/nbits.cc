#include "kernels/nbits.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/gemm.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

using simd::F32;

constexpr int64_t kChunk = 128;  // values expanded at once

// Numbers [first, first + count) of column j as floats with the zero point taken off; first lies at a byte's begin.
void expand(const NBitsMatrix& b, int64_t j, int64_t first, int64_t count, float zero, float* out) {
  const int64_t per_byte = 8 / b.bits;
  const uint8_t* src = b.data + j * b.blocks() * (b.block / per_byte) + first / per_byte;
  const ptrdiff_t n = static_cast<ptrdiff_t>(count);
  if (b.bits == 8) {
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = static_cast<float>(src[i]) - zero;
    return;
  }
  uint8_t numbers[kChunk + 4];
  if (b.bits == 4) {
    for (ptrdiff_t i = 0; i < (n + 1) / 2; ++i) {
      numbers[2 * i] = src[i] & 15;
      numbers[2 * i + 1] = src[i] >> 4;
    }
  } else {
    for (ptrdiff_t i = 0; i < (n + 3) / 4; ++i) {
      for (int p = 0; p < 4; ++p) numbers[4 * i + p] = src[i] >> (2 * p) & 3;
    }
  }
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = static_cast<float>(numbers[i]) - zero;
}

// The same, scaled, with any grouping.
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
  expand(b, j, first, count, 0, out);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = j * b.blocks() + (b.group_of ? b.group_of[first + i] : (first + i) / b.block);
    out[i] = (out[i] - (b.zeros ? b.zeros[at] : b.zero)) * b.scales[at];
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

}  // namespace

void nbits_panels(const NBitsMatrix& b, int64_t j0, int64_t j1, float* panels) {
  const int64_t count = (j1 - j0 + kGemmCols - 1) / kGemmCols;
  parallel_for(count, grain_for(b.k * kGemmCols * 4), [&](int64_t begin, int64_t end) {
    float strip[kChunk];
    for (int64_t p = begin; p < end; ++p) {
      float* panel = panels + p * b.k * kGemmCols;
      for (int64_t c = 0; c < kGemmCols; ++c) {
        const int64_t j = j0 + p * kGemmCols + c;
        for (int64_t first = 0; first < b.k; first += kChunk) {
          const int64_t n = std::min(kChunk, b.k - first);
          std::fill(strip, strip + n, 0.0f);
          if (j < j1) weights(b, j, first, n, strip);
          for (int64_t i = 0; i < n; ++i) panel[(first + i) * kGemmCols + c] = strip[i];
        }
      }
    }
  });
}

void nbits_rows(const NBitsMatrix& b, int64_t m, const float* a, const float* bias, float* c) {
  const int64_t blocks = b.blocks();
  parallel_for(b.n, std::max<int64_t>(1, grain_for(b.k * (m + 1))), [&](int64_t begin, int64_t end) {
    float strip[kChunk];
    for (int64_t j = begin; j < end; ++j) {
      for (int64_t i = 0; i < m; ++i) c[i * b.n + j] = bias ? bias[j] : 0;
      for (int64_t first = 0; first < b.k; first += std::min(kChunk, b.block)) {
        const int64_t n = std::min({kChunk, b.block, b.k - first}), at = j * blocks + first / b.block;
        expand(b, j, first, n, b.zeros ? b.zeros[at] : b.zero, strip);
        for (int64_t i = 0; i < m; ++i) c[i * b.n + j] += b.scales[at] * dot(strip, a + i * b.k + first, static_cast<ptrdiff_t>(n));
      }
    }
  });
}

}  // namespace onnxlet
