// The register tile that matrix products and convolutions share: 4 rows x 8 columns, one step of k at a time.
// Operands are packed: A in strips of 4 rows ([k][4]), B in panels of 8 columns ([k][8]). The inner loop is not
// unrolled: engines then keep the 8 accumulators in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/gemm.h"
#include "simd/f32.h"

namespace onnxlet::inline ONNXLET_LEVEL::tile {

inline constexpr int kRows = kGemmRows, kCols = kGemmCols;

template <class F, int kR, int kV = kCols / F::kLanes>
struct Acc {
  F v[kR][kV];
};

// At most so many panels are multiplied side by side: where a vector is as wide as a panel, a tile of one panel has too
// few sums to keep the machine busy.
template <class F>
inline constexpr int kMostPanels = F::kLanes == kCols ? 3 : 1;

// The vectors that lie side by side in kPanels panels, `panel_step` apart.
template <class F, int kPanels>
inline void load_row(const float* b, ptrdiff_t panel_step, F (&out)[kPanels * kCols / F::kLanes]) {
  constexpr size_t kEach = kCols / F::kLanes;
  for (size_t p = 0; p < kPanels; ++p) {
    for (size_t v = 0; v < kEach; ++v)
      out[p * kEach + v] = F::load(b + static_cast<ptrdiff_t>(p) * panel_step + v * F::kLanes);
  }
}

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

// Four rows of A that lie in memory as they are, in `segments` runs of `length` values: those of run s begin at
// table[s * table_step][0 .. 3] + offset, its rows of B at b + s * b_step.
struct Runs {
  const float* const* table;
  int64_t table_step, segments, offset, length, b_step;
};

template <class F, int kR, int kPanels = 1>
inline Acc<F, kR, kPanels * kCols / F::kLanes> multiply_runs(const Runs& runs, const float* b, int64_t ldb,
                                                             ptrdiff_t panel_step = 0) {
  constexpr size_t kV = kPanels * kCols / F::kLanes;
  Acc<F, kR, kV> acc;
  for (size_t r = 0; r < kR; ++r) {
    for (size_t v = 0; v < kV; ++v) acc.v[r][v] = F::splat(0);
  }
  const float* const* table = runs.table;
  const ptrdiff_t offset = static_cast<ptrdiff_t>(runs.offset), length = static_cast<ptrdiff_t>(runs.length),
                  step = static_cast<ptrdiff_t>(ldb);
#pragma GCC unroll 1
  for (ptrdiff_t s = static_cast<ptrdiff_t>(runs.segments); s > 0; --s, table += runs.table_step, b += runs.b_step) {
    const float* a[kR];
    for (size_t r = 0; r < kR; ++r) a[r] = table[r] + offset;
    const float* const end = a[0] + length;
    const float* w = b;
#pragma GCC unroll 1
    for (; a[0] != end; w += step) {
      F bv[kV];
      load_row<F, kPanels>(w, panel_step, bv);
      for (size_t r = 0; r < kR; ++r) {
        const F av = F::splat(*a[r]++);
        for (size_t v = 0; v < kV; ++v) acc.v[r][v] = madd(av, bv[v], acc.v[r][v]);
      }
    }
  }
  return acc;
}

// Tiles of vectors of four, from those of eight.
template <class F, int kR>
inline Acc<simd::F32x4, kR> halves(const Acc<F, kR>& acc) {
  Acc<simd::F32x4, kR> out;
  for (int r = 0; r < kR; ++r) {
    const auto v = acc.v[r][0].v;
    out.v[r][0].v = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    out.v[r][1].v = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  }
  return out;
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

// Where a tile goes and what happens on the way: c = clamp(alpha * tile + previous + bias). The values are copies: a
// store to `c` could otherwise change them in the compiler's eyes, and they would be read again for every vector.
struct Finish {
  float* c = nullptr;
  const float* previous = nullptr;  // laid out as c, or null: the residual or the sum so far
  int64_t row_stride = 0, col_stride = 1;
  const float* bias = nullptr;  // of this tile's first column, or null
  int64_t bias_stride = 1;
  float alpha = 1, lo = 0, hi = 0;
  bool clamp = false;

  // One block of a sum over k, for the elements from C's element `offset` on, whose bias is at `bias_at`. The residual
  // comes with the first block, bias and clamp with the last.
  Finish(const Epilogue& e, float* whole_c, int64_t offset, const float* bias_at, bool first, bool last)
      : c(whole_c + offset),
        previous(!first                  ? c
                 : e.residual != nullptr ? e.residual + offset
                                         : nullptr),
        bias(last ? bias_at : nullptr),
        bias_stride(e.bias_stride),
        alpha(e.alpha),
        lo(e.lo),
        hi(e.hi),
        clamp(last && e.clamps()) {}

  void move_down(int64_t rows) {
    c += rows * row_stride;
    if (previous) previous += rows * row_stride;
  }
};

template <class F>
inline F clamp(F v, F lo, F hi) {
  v = select(v < lo, lo, v);  // keeps NaN
  return select(hi < v, hi, v);
}

// The element at `offset` from f.c.
inline void finish_element(float value, int64_t column, int64_t offset, const Finish& f) {
  using S = simd::F32x1;
  value *= f.alpha;
  if (f.previous) value += f.previous[offset];
  if (f.bias) value += f.bias[column * f.bias_stride];
  f.c[offset] = f.clamp ? clamp(S{value}, S{f.lo}, S{f.hi}).v : value;
}

// Edge tiles and odd strides: through a small buffer.
template <class F, int kR>
inline void finish_any(const Acc<F, kR>& acc, int rows, int cols, const Finish& f) {
  float buffer[kR][kCols];
  for (int r = 0; r < kR; ++r) {
    for (int v = 0; v < kCols / F::kLanes; ++v) acc.v[r][v].store(buffer[r] + v * F::kLanes);
  }
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < cols; ++j) finish_element(buffer[r][j], j, r * f.row_stride + j * f.col_stride, f);
  }
}

// Whole vectors: vector (i, v) of `acc` goes to c + i * i_step + v * v_step; bias_of(i, v) is its bias.
template <class F, int kI, int kV, class Bias>
[[gnu::always_inline]] inline void finish_vectors(F (&acc)[kI][kV], ptrdiff_t i_step, ptrdiff_t v_step, const Finish& f,
                                                  Bias bias_of) {
  const auto each = [&](auto change) {
    for (int i = 0; i < kI; ++i) {
      for (int v = 0; v < kV; ++v) acc[i][v] = change(acc[i][v], i, v);
    }
  };
  if (f.alpha != 1) {
    const F alpha = F::splat(f.alpha);
    each([&](F x, int, int) { return x * alpha; });
  }
  if (f.previous) each([&](F x, int i, int v) { return x + F::load(f.previous + i * i_step + v * v_step); });
  if (f.bias) each([&](F x, int i, int v) { return x + bias_of(i, v); });
  if (f.clamp) {
    const F lo = F::splat(f.lo), hi = F::splat(f.hi);
    each([&](F x, int, int) { return clamp(x, lo, hi); });
  }
  for (int i = 0; i < kI; ++i) {
    for (int v = 0; v < kV; ++v) acc[i][v].store(f.c + i * i_step + v * v_step);
  }
}

template <class F, int kR>
inline void finish(Acc<F, kR> acc, int rows, int cols, const Finish& f) {
  constexpr int kV = kCols / F::kLanes;
  const bool whole = cols == kCols && rows == kR && (f.bias == nullptr || f.bias_stride == 1);
  if (whole && f.col_stride == 1) {
    finish_vectors(acc.v, static_cast<ptrdiff_t>(f.row_stride), F::kLanes, f,
                   [&](int, int v) { return F::load(f.bias + v * F::kLanes); });
    return;
  }
  if constexpr (kR == 4 && F::kLanes == 4) {
    if (whole && f.row_stride == 1) {
      F t[kV][4];
      for (int v = 0; v < kV; ++v) {
        for (int r = 0; r < 4; ++r) t[v][r] = acc.v[r][v];
        transpose4(t[v]);
      }
      finish_vectors(t, 4 * static_cast<ptrdiff_t>(f.col_stride), static_cast<ptrdiff_t>(f.col_stride), f,
                     [&](int v, int j) { return F::splat(f.bias[v * 4 + j]); });
      return;
    }
  }
  if constexpr (kR == 4 && F::kLanes == 8) {
    if (whole && f.row_stride == 1) return finish(halves(acc), rows, cols, f);
  }
  finish_any(acc, rows, cols, f);
}

// One tile of packed operands, start to end. rows in [1, 4], cols in [1, 8].
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

// The same with rows of A where they are.
template <class F>
inline void run(const Runs& a, const float* b, int64_t ldb, int rows, int cols, const Finish& f) {
  switch (rows) {
    case 1:
      return finish(multiply_runs<F, 1>(a, b, ldb), 1, cols, f);
    case 2:
      return finish(multiply_runs<F, 2>(a, b, ldb), 2, cols, f);
    case 3:
      return finish(multiply_runs<F, 3>(a, b, ldb), 3, cols, f);
    default:
      return finish(multiply_runs<F, 4>(a, b, ldb), 4, cols, f);
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

// A block of A: strips of [k][4] packed by pack_panel, or, where `packed` is null, rows `row_stride` apart.
struct Block {
  const float* packed;
  const float* rows;
  int64_t row_stride;
};

// Whole tiles one below the other, with C's columns next to each other: what finish() finds out for each tile is known
// at the first, which counts where k is small.
template <class F, int kPanels = 1>
class FinishDown {
 public:
  static constexpr int kV = kPanels * kCols / F::kLanes;

  static bool fits(int cols, const Finish& f) { return cols == kCols && f.col_stride == 1 && f.bias_stride == 1; }
  explicit FinishDown(const Finish& f) : f_(f) {}

  // Always inline, as `acc` must stay in registers.
  [[gnu::always_inline]] void next(F (&acc)[kRows][kV]) {
    finish_vectors(acc, static_cast<ptrdiff_t>(f_.row_stride), F::kLanes, f_,
                   [this](int, int v) { return F::load(f_.bias + v * F::kLanes); });
    f_.move_down(kRows);
  }

 private:
  Finish f_;  // a copy of its own: no store can change it
};

// Tiles of rows that lie in memory as they are, down kPanels panels. Gives the number of rows done.
template <class F, int kPanels>
inline int64_t whole_tiles(const Block& a, int64_t rows, const float* panel, int64_t panel_stride, int64_t ldb,
                           int64_t k, const Finish& f) {
  constexpr int kV = kPanels * kCols / F::kLanes;
  const ptrdiff_t a_step = static_cast<ptrdiff_t>(a.row_stride), b_step = static_cast<ptrdiff_t>(ldb),
                  panel_step = static_cast<ptrdiff_t>(panel_stride), depth = static_cast<ptrdiff_t>(k);
  const float* x = a.rows;
  FinishDown<F, kPanels> finish(f);
  for (int64_t tiles = rows / kRows; tiles > 0; --tiles, x += kRows * a_step) {
    F acc[kRows][kV];
    const float* at[kRows];
    for (int r = 0; r < kRows; ++r) {
      at[r] = x + r * a_step;
      for (int v = 0; v < kV; ++v) acc[r][v] = F::splat(0);
    }
    const float* b = panel;
#pragma GCC unroll 1
    for (ptrdiff_t n = depth; n > 0; --n, b += b_step) {
      F bv[kV];
      load_row<F, kPanels>(b, panel_step, bv);
      for (int r = 0; r < kRows; ++r) {
        const F av = F::splat(*at[r]++);
        for (int v = 0; v < kV; ++v) acc[r][v] = madd(av, bv[v], acc[r][v]);
      }
    }
    finish.next(acc);
  }
  return rows / kRows * kRows;
}

// All tiles of a block of `rows` rows; `b` holds panels `panel_stride` apart. f.c and f.bias are those of the block's
// first element.
template <class F>
inline void block(const Block& a, int64_t rows, const float* b, int64_t panel_stride, int64_t ldb, int64_t cols,
                  int64_t k, const Finish& f) {
  int64_t j = 0;
  const auto at_column = [&](int64_t column) {
    Finish t = f;
    t.bias = f.bias ? f.bias + column * f.bias_stride : nullptr;
    t.c = f.c + column * f.col_stride;
    if (f.previous) t.previous = f.previous + column * f.col_stride;
    return t;
  };
  // The rows of the panel at j from `first` on.
  const auto rest_of_panel = [&](int64_t first, Finish t) {
    const float* panel = b + (j / kCols) * panel_stride;
    const int tile_cols = static_cast<int>(std::min<int64_t>(kCols, cols - j));
    for (int64_t i = first; i < rows; i += kRows) {
      const int64_t offset = i * f.row_stride + j * f.col_stride;
      t.c = f.c + offset;
      if (f.previous) t.previous = f.previous + offset;
      const int tile_rows = static_cast<int>(std::min<int64_t>(kRows, rows - i));
      if (a.packed != nullptr) {
        run<F>(a.packed + i * k, panel, ldb, k, tile_rows, tile_cols, t);
      } else {
        const float* at[kRows];
        for (int r = 0; r < kRows; ++r) at[r] = a.rows + (i + std::min(r, tile_rows - 1)) * a.row_stride;
        run<F>(Runs{at, 0, 1, 0, k, 0}, panel, ldb, tile_rows, tile_cols, t);
      }
    }
  };
  const bool in_place = a.packed == nullptr && FinishDown<F>::fits(kCols, f);
  const auto whole = [&]<int kPanels>(const Finish& t) {
    return whole_tiles<F, kPanels>(a, rows, b + (j / kCols) * panel_stride, panel_stride, ldb, k, t);
  };
  const auto side_by_side = [&]<int kPanels>() {
    while (in_place && j + kPanels * kCols <= cols) {
      const int64_t done = whole.template operator()<kPanels>(at_column(j));
      for (int p = 0; p < kPanels; ++p, j += kCols) rest_of_panel(done, at_column(j));
    }
  };
  if constexpr (kMostPanels<F> > 1) {
    side_by_side.template operator()<3>();
    side_by_side.template operator()<2>();
  }
  for (; j < cols; j += kCols) {
    const Finish t = at_column(j);
    rest_of_panel(in_place && j + kCols <= cols ? whole.template operator()<1>(t) : 0, t);
  }
}

// The same for rows of A that lie in memory as they are, compiled once.
void rows_block(const float* rows, int64_t row_stride, int64_t count, const float* b, int64_t panel_stride, int64_t ldb,
                int64_t cols, int64_t k, const Finish& f);

}  // namespace onnxlet::inline ONNXLET_LEVEL::tile
