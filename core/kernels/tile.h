// The register tile that matrix products and convolutions share: 4 rows x 8 columns, one step of k at a time.
// Operands are packed: A in strips of 4 rows ([k][4]), B in panels of 8 columns ([k][8]). The inner loop is not
// unrolled: engines then keep the 8 accumulators in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/gemm.h"
#include "simd/f32.h"

namespace onnxlet::tile {

inline constexpr int kRows = kGemmRows, kCols = kGemmCols;

template <class F, int kR, int kV = kCols / F::kLanes>
struct Acc {
  F v[kR][kV];
};

// Sum over k of A strip times B panel; rows of B are `ldb` apart (8 when packed). Indices are unsigned, so that they
// become the constant offsets of loads.
template <class F, int kR>
inline Acc<F, kR> multiply(const float* a, const float* b, int64_t ldb, int64_t k) {
  constexpr size_t kV = kCols / F::kLanes;
  Acc<F, kR> acc;
  for (size_t r = 0; r < kR; ++r) {
    for (size_t v = 0; v < kV; ++v) acc.v[r][v] = F::splat(0);
  }
  const float* const end = a + static_cast<ptrdiff_t>(k) * kRows;
  const ptrdiff_t step = static_cast<ptrdiff_t>(ldb);
#pragma GCC unroll 1
  for (; a != end; a += kRows, b += step) {
    F bv[kV];
    for (size_t v = 0; v < kV; ++v) bv[v] = F::load(b + v * F::kLanes);
    for (size_t r = 0; r < kR; ++r) {
      const F av = F::splat(a[r]);
      for (size_t v = 0; v < kV; ++v) acc.v[r][v] = madd(av, bv[v], acc.v[r][v]);
    }
  }
  return acc;
}

inline void transpose4(simd::F32x4 (&r)[4]) {
  using Raw = simd::F32x4::Raw;
  const Raw a = __builtin_shufflevector(r[0].v, r[1].v, 0, 4, 1, 5),
            b = __builtin_shufflevector(r[2].v, r[3].v, 0, 4, 1, 5);
  const Raw c = __builtin_shufflevector(r[0].v, r[1].v, 2, 6, 3, 7),
            d = __builtin_shufflevector(r[2].v, r[3].v, 2, 6, 3, 7);
  r[0].v = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  r[1].v = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  r[2].v = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  r[3].v = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// Where a tile goes and what happens on the way. `add` continues a sum from an earlier block of k; `last` applies the
// bias and the clamp.
struct Finish {
  float* c;
  int64_t row_stride, col_stride;
  const float* bias;  // of this tile's first column, or null
  const Epilogue* epilogue;
  bool add, last;
};

template <class F>
inline F clamp(F v, F lo, F hi) {
  v = select(v < lo, lo, v);  // keeps NaN
  return select(hi < v, hi, v);
}

template <class F>
inline F finish_vector(F v, F previous, F bias, const Finish& f) {
  const Epilogue& e = *f.epilogue;
  if (e.alpha != 1) v = v * F::splat(e.alpha);
  if (f.add) v = v + previous;
  if (f.last) {
    v = v + bias;
    if (e.clamps()) v = clamp(v, F::splat(e.lo), F::splat(e.hi));
  }
  return v;
}

// Edge tiles and odd strides: through a small buffer.
template <class F, int kR>
inline void finish_any(const Acc<F, kR>& acc, int rows, int cols, const Finish& f) {
  using S = simd::F32x1;
  float buffer[kR][kCols];
  for (int r = 0; r < kR; ++r) {
    for (int v = 0; v < kCols / F::kLanes; ++v) acc.v[r][v].store(buffer[r] + v * F::kLanes);
  }
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < cols; ++j) {
      float* c = f.c + r * f.row_stride + j * f.col_stride;
      const float bias = f.bias ? f.bias[j * f.epilogue->bias_stride] : -0.0f;
      *c = finish_vector(S{buffer[r][j]}, S{f.add ? *c : 0}, S{bias}, f).v;
    }
  }
}

template <class F, int kR>
inline void finish(const Acc<F, kR>& acc, int rows, int cols, const Finish& f) {
  constexpr int kV = kCols / F::kLanes;
  const bool plain_bias = f.bias == nullptr || f.epilogue->bias_stride == 1;
  if (cols == kCols && rows == kR && f.col_stride == 1 && plain_bias) {
    for (int v = 0; v < kV; ++v) {
      const F bias = f.bias && f.last ? F::load(f.bias + v * F::kLanes) : F::splat(-0.0f);
      for (int r = 0; r < kR; ++r) {
        float* c = f.c + r * f.row_stride + v * F::kLanes;
        finish_vector(acc.v[r][v], f.add ? F::load(c) : F::splat(0), bias, f).store(c);
      }
    }
    return;
  }
  if constexpr (kR == 4 && F::kLanes == 4) {
    if (cols == kCols && rows == 4 && f.row_stride == 1 && plain_bias) {
      for (int v = 0; v < kV; ++v) {
        F t[4] = {acc.v[0][v], acc.v[1][v], acc.v[2][v], acc.v[3][v]};
        transpose4(t);
        for (int j = 0; j < 4; ++j) {
          float* c = f.c + (v * 4 + j) * f.col_stride;
          const F bias = F::splat(f.bias && f.last ? f.bias[v * 4 + j] : -0.0f);
          finish_vector(t[j], f.add ? F::load(c) : F::splat(0), bias, f).store(c);
        }
      }
      return;
    }
  }
  finish_any(acc, rows, cols, f);
}

// One tile, start to end. rows in [1, 4], cols in [1, 8].
template <class F>
inline void run(const float* a, const float* b, int64_t ldb, int64_t k, int rows, int cols, const Finish& f) {
  switch (rows) {
    case 1:
      return finish(multiply<F, 1>(a, b, ldb, k), 1, cols, f);
    case 2:
      return finish(multiply<F, 2>(a, b, ldb, k), 2, cols, f);
    case 3:
      return finish(multiply<F, 3>(a, b, ldb, k), 3, cols, f);
    default:
      return finish(multiply<F, 4>(a, b, ldb, k), 4, cols, f);
  }
}

// Copies a [width x k] slab into packed form out[k][kWidth]; element (w, k) is at src[w * ws + k * ks]. Missing columns
// (width < kWidth) become zeros.
template <int kWidth>
inline void pack_panel(const float* src, int64_t ws, int64_t ks, int width, int64_t k, float* out) {
  using F = simd::F32x4;
  if (width == kWidth && ws == 1) {
    for (int64_t i = 0; i < k; ++i, src += ks, out += kWidth) {
      for (int w = 0; w < kWidth; w += 4) F::load(src + w).store(out + w);
    }
    return;
  }
  int64_t i = 0;
  if (width == kWidth && ks == 1) {
    for (; i + 4 <= k; i += 4) {
      for (int w = 0; w < kWidth; w += 4) {
        F t[4];
        for (int j = 0; j < 4; ++j) t[j] = F::load(src + (w + j) * ws + i);
        transpose4(t);
        for (int j = 0; j < 4; ++j) t[j].store(out + (i + j) * kWidth + w);
      }
    }
  }
  for (; i < k; ++i) {
    for (int w = 0; w < kWidth; ++w) out[i * kWidth + w] = w < width ? src[w * ws + i * ks] : 0.0f;
  }
}

// All tiles of a block: `a` holds strips of k x 4 for `rows` rows, `b` panels `panel_stride` apart. f.c and f.bias are
// those of the block's first element.
template <class F>
inline void block(const float* a, int64_t rows, const float* b, int64_t panel_stride, int64_t ldb, int64_t cols,
                  int64_t k, const Finish& f) {
  for (int64_t j = 0; j < cols; j += kCols) {
    const float* panel = b + (j / kCols) * panel_stride;
    const int tile_cols = static_cast<int>(std::min<int64_t>(kCols, cols - j));
    Finish t = f;
    t.bias = f.bias ? f.bias + j * f.epilogue->bias_stride : nullptr;
    for (int64_t i = 0; i < rows; i += kRows) {
      t.c = f.c + i * f.row_stride + j * f.col_stride;
      run<F>(a + i * k, panel, ldb, k, static_cast<int>(std::min<int64_t>(kRows, rows - i)), tile_cols, t);
    }
  }
}

}  // namespace onnxlet::tile
