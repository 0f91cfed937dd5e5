#include "kernels/panel_gemm.h"

#include <algorithm>

#include "base/parallel.h"
#include "simd/f32.h"

namespace onnxlet::inline ONNXLET_LEVEL {
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

// One row against kPanels panels; two partial sums along k hide the latency of the multiply-add.
template <int kPanels>
void tile1(const float* a, ptrdiff_t k, const float* panels, ptrdiff_t panel_stride, F32x4 (&acc)[2 * kPanels]) {
  F32x4 even[2 * kPanels], odd[2 * kPanels];
  for (int j = 0; j < 2 * kPanels; ++j) even[j] = odd[j] = F32x4::splat(0);
  const auto step = [&](ptrdiff_t i, F32x4(&sums)[2 * kPanels]) {
    const F32x4 x = F32x4::splat(a[i]);
    for (int p = 0; p < kPanels; ++p) {
      const float* b = panels + p * panel_stride + i * kPanel;
      sums[2 * p] = simd::madd(x, F32x4::load(b), sums[2 * p]);
      sums[2 * p + 1] = simd::madd(x, F32x4::load(b + 4), sums[2 * p + 1]);
    }
  };
  ptrdiff_t i = 0;
  for (; i + 2 <= k; i += 2) {
    step(i, even);
    step(i + 1, odd);
  }
  if (i < k) step(i, even);
  for (int j = 0; j < 2 * kPanels; ++j) acc[j] = even[j] + odd[j];
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
    tile1<1>(g.a + r * g.lda, static_cast<ptrdiff_t>(g.k), b, 0, acc);
    add_to(out + r * g.ldc, columns, acc[0], acc[1]);
  }
}

// Panels [begin, end). A single row takes them in pairs, which halves the loads of its elements.
void some_panels(const PanelGemm& g, int64_t begin, int64_t end) {
  int64_t p = begin;
  for (; g.m == 1 && p + 2 <= end && (p + 2) * kPanel <= g.n; p += 2) {
    F32x4 acc[4];
    tile1<2>(g.a, static_cast<ptrdiff_t>(g.k), g.panels + p * g.panel_stride, static_cast<ptrdiff_t>(g.panel_stride),
             acc);
    add_to(g.c + p * kPanel, kPanel, acc[0], acc[1]);
    add_to(g.c + (p + 1) * kPanel, kPanel, acc[2], acc[3]);
  }
  for (; p < end; ++p) one_panel(g, p);
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
               [&](int64_t begin, int64_t end) { some_panels(g, begin, end); });
}

void panel_gemm_serial(const PanelGemm& g) { some_panels(g, 0, (g.n + kPanel - 1) / kPanel); }

}  // namespace onnxlet::inline ONNXLET_LEVEL
