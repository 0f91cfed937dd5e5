// Products with a weight matrix packed in panels of 8 columns, for operators that multiply a few rows many times.
#pragma once

#include <cstdint>

#include "base/level.h"

namespace onnxlet {

inline constexpr int64_t kPanel = 8;
inline int64_t packed_panels_size(int64_t k, int64_t n) { return (n + kPanel - 1) / kPanel * kPanel * k; }

// c[m, n] += a[m, k] * panels. The rows of a and c lie lda and ldc apart, the panels panel_stride (usually 8 * k).
struct PanelGemm {
  const float* a;
  int64_t m, k, lda;
  const float* panels;
  int64_t panel_stride, n;
  float* c;
  int64_t ldc;
};

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

// panels[n/8][k][8] from w(row, column) = w[row * row_stride + column * column_stride], row < k, column < n. The last
// panel is filled with zeros.
void pack_panels(const float* w, int64_t k, int64_t n, int64_t row_stride, int64_t column_stride, float* panels);

void panel_gemm(const PanelGemm& g);         // shares the panels between threads
void panel_gemm_serial(const PanelGemm& g);  // for bodies of parallel_for

}  // namespace onnxlet::inline ONNXLET_LEVEL
