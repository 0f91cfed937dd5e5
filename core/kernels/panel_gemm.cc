#include "kernels/panel_gemm.h"

#include <algorithm>

#include "base/parallel.h"
#include "simd/f32.h"

namespace onnxlet {
namespace {

using simd::F32x4;

// Four rows against one panel.
void tile4(const float* a, int64_t k, int64_t lda, const float* b, F32x4 (&acc)[8]) {
  for (int64_t i = 0; i < k; ++i) {
    const F32x4 b0 = F32x4::load(b + i * kPanel), b1 = F32x4::load(b + i * kPanel + 4);
    for (int r = 0; r < 4; ++r) {
      const F32x4 x = F32x4::splat(a[r * lda + i]);
      acc[2 * r] = simd::madd(x, b0, acc[2 * r]);
      acc[2 * r + 1] = simd::madd(x, b1, acc[2 * r + 1]);
    }
  }
}

// One row against one panel; four partial sums along k hide the latency of the multiply-add.
void tile1(const float* a, int64_t k, const float* b, F32x4 (&acc)[2]) {
  F32x4 s[8];
  for (F32x4& v : s) v = F32x4::splat(0);
  int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    for (int u = 0; u < 4; ++u) {
      const F32x4 x = F32x4::splat(a[i + u]);
      s[2 * u] = simd::madd(x, F32x4::load(b + (i + u) * kPanel), s[2 * u]);
      s[2 * u + 1] = simd::madd(x, F32x4::load(b + (i + u) * kPanel + 4), s[2 * u + 1]);
    }
  }
  for (; i < k; ++i) {
    const F32x4 x = F32x4::splat(a[i]);
    s[0] = simd::madd(x, F32x4::load(b + i * kPanel), s[0]);
    s[1] = simd::madd(x, F32x4::load(b + i * kPanel + 4), s[1]);
  }
  acc[0] = (s[0] + s[2]) + (s[4] + s[6]);
  acc[1] = (s[1] + s[3]) + (s[5] + s[7]);
}

void add_to(float* c, int64_t columns, F32x4 lo, F32x4 hi) {
  if (columns == kPanel) {
    (F32x4::load(c) + lo).store(c);
    (F32x4::load(c + 4) + hi).store(c + 4);
    return;
  }
  for (int64_t j = 0; j < columns; ++j) c[j] += j < 4 ? lo[static_cast<int>(j)] : hi[static_cast<int>(j - 4)];
}

void one_panel(const PanelGemm& g, int64_t p) {
  const float* b = g.panels + p * g.panel_stride;
  float* out = g.c + p * kPanel;
  const int64_t columns = std::min(kPanel, g.n - p * kPanel);
  int64_t r = 0;
  for (; r + 4 <= g.m; r += 4) {
    F32x4 acc[8];
    for (F32x4& v : acc) v = F32x4::splat(0);
    tile4(g.a + r * g.lda, g.k, g.lda, b, acc);
    for (int i = 0; i < 4; ++i) add_to(out + (r + i) * g.ldc, columns, acc[2 * i], acc[2 * i + 1]);
  }
  for (; r < g.m; ++r) {
    F32x4 acc[2];
    tile1(g.a + r * g.lda, g.k, b, acc);
    add_to(out + r * g.ldc, columns, acc[0], acc[1]);
  }
}

}  // namespace

void pack_panels(const float* w, int64_t k, int64_t n, int64_t row_stride, int64_t column_stride, float* panels) {
  const int64_t count = (n + kPanel - 1) / kPanel;
  for (int64_t p = 0; p < count; ++p) {
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = 0; j < kPanel; ++j) {
        const int64_t column = p * kPanel + j;
        *panels++ = column < n ? w[i * row_stride + column * column_stride] : 0.0f;
      }
    }
  }
}

void panel_gemm(const PanelGemm& g) {
  // Recurrent steps call this many times with little work: waking other threads has to be worth it.
  constexpr int64_t kChunkWork = 1 << 20;
  const int64_t panel_work = std::max<int64_t>(g.m * g.k * kPanel, 1);
  parallel_for((g.n + kPanel - 1) / kPanel, std::max<int64_t>(kChunkWork / panel_work, 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t p = begin; p < end; ++p) one_panel(g, p);
               });
}

void panel_gemm_serial(const PanelGemm& g) {
  for (int64_t p = 0; p * kPanel < g.n; ++p) one_panel(g, p);
}

}  // namespace onnxlet
