#include "kernels/gemm.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/slots.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32;
using simd::F32x1;

constexpr int64_t kBlockK = 512;          // a panel of B (16 kB) and a strip of A (8 kB) stay in the first-level cache
constexpr int64_t kBlockRows = 64;        // a block of A (128 kB) stays in the second-level cache
constexpr int64_t kPackFloats = 1 << 20;  // B that is not constant is packed at most this much at a time
constexpr int64_t kDirectRows = 8;        // up to here packing B costs more than it saves
constexpr int64_t kRowPanels = 4;         // panels of B that one row times matrix walks at once

int64_t round_up(int64_t v, int64_t to) { return (v + to - 1) / to * to; }

enum class Route {
#define GEMM_KERNEL(route, ...) route,
#include "kernels/gemm_kernels.inc"
#undef GEMM_KERNEL
};
constexpr const char* kRouteNames[] = {
#define GEMM_KERNEL(route, name, ...) name,
#include "kernels/gemm_kernels.inc"
#undef GEMM_KERNEL
};
const char* name_of(Route route) { return kRouteNames[static_cast<size_t>(route)]; }

struct Plan {
  Route route;
  int64_t block_rows, block_cols, pass_cols;
  int64_t slot_floats;  // packed A of one task
  int64_t pack_floats;  // packed B, or its tail panel
};

Plan make_plan(const Gemm& g) {
  Plan p{};
  const bool packed = g.packed_b != nullptr;
  if (g.m == 1 && !packed && g.b.row_stride == 1 && g.a.col_stride == 1) {
    p.route = Route::kDots;
    return p;
  }
  const bool direct = !packed && g.b.col_stride == 1 && g.m <= kDirectRows;
  p.route = direct ? Route::kTilesDirect : Route::kTiles;
  if (g.m == 1 && (packed || direct)) p.route = Route::kRow;
  p.pass_cols = round_up(g.n, kGemmCols);
  if (!packed && !direct) {
    p.pass_cols = std::min(p.pass_cols, std::max<int64_t>(kPackFloats / std::max<int64_t>(g.k, 1) / 64 * 64, 64));
    p.pack_floats = g.k * p.pass_cols;
  } else if (direct && g.n % kGemmCols != 0) {
    p.pack_floats = g.k * kGemmCols;
  }
  // Enough tasks for 16 threads, but none below about 64k multiplications.
  p.block_rows = std::min(kBlockRows, round_up(std::max<int64_t>(g.m, 1), kGemmRows));
  p.block_cols = 256;
  auto tasks = [&] {
    return ((g.m + p.block_rows - 1) / p.block_rows) * ((p.pass_cols + p.block_cols - 1) / p.block_cols);
  };
  while (p.block_cols > 32 && tasks() < 32 && p.block_rows * p.block_cols * g.k > 131072) p.block_cols /= 2;
  while (p.block_rows > 16 && tasks() < 16 && p.block_rows * p.block_cols * g.k > 131072) p.block_rows /= 2;
  // Independent of n, so that a caller may run parts of the columns with the memory asked for the whole.
  if (p.route != Route::kRow && g.a.col_stride != 1)
    p.slot_floats = std::min(kBlockRows, round_up(g.m, kGemmRows)) * std::min(kBlockK, std::max<int64_t>(g.k, 1));
  return p;
}

// B as the tiles see it: packed panels, or the matrix itself with a packed last panel.
struct Panels {
  const float* data;
  int64_t panel_stride, ldb;
  const float* tail = nullptr;  // packed, replaces the panel at column `tail_at`
  int64_t tail_at = 0;
};

tile::Finish finish_of(const Gemm& g, int64_t i, int64_t j, bool first = true, bool last = true) {
  tile::Finish f(g.epilogue, g.c, i * g.c_row_stride + j * g.c_col_stride,
                 g.epilogue.bias ? g.epilogue.bias + j * g.epilogue.bias_stride : nullptr, first, last);
  f.row_stride = g.c_row_stride;
  f.col_stride = g.c_col_stride;
  return f;
}

// Rows [i0, i1) times columns [j0, j1) of a pass whose panels begin at column `base`.
template <class F>
void run_tiles(const Gemm& g, const Panels& b, int64_t base, int64_t i0, int64_t i1, int64_t j0, int64_t j1,
               float* packed_a) {
  for (int64_t k0 = 0; k0 == 0 || k0 < g.k; k0 += kBlockK) {
    const int64_t k = std::min(kBlockK, g.k - k0);
    const float* const corner = g.a.data + i0 * g.a.row_stride + k0 * g.a.col_stride;
    const bool pack = g.a.col_stride != 1;
    for (int64_t i = 0; pack && i < i1 - i0; i += kGemmRows) {
      const int rows = static_cast<int>(std::min<int64_t>(kGemmRows, i1 - i0 - i));
      tile::pack_panel<kGemmRows>(corner + i * g.a.row_stride, g.a.row_stride, g.a.col_stride, rows, k,
                                  packed_a + i * k);
    }
    const tile::Block a{pack ? packed_a : nullptr, corner, g.a.row_stride};
    const bool first = k0 == 0, last = k0 + k >= g.k;
    const int64_t body_end = b.tail ? std::min(j1, b.tail_at) : j1;
    if (body_end > j0) {
      const float* panels = b.data + (j0 - base) / kGemmCols * b.panel_stride + k0 * b.ldb;
      tile::block<F>(a, i1 - i0, panels, b.panel_stride, b.ldb, body_end - j0, k, finish_of(g, i0, j0, first, last));
    }
    if (b.tail && j1 > b.tail_at) {
      tile::block<F>(a, i1 - i0, b.tail + k0 * kGemmCols, 0, kGemmCols, j1 - b.tail_at, k,
                     finish_of(g, i0, b.tail_at, first, last));
    }
  }
}

// One row times four panels: eight accumulators hide the latency that one panel's two would show.
template <class F>
void run_row(const Gemm& g, const Panels& b, int64_t j0, int64_t j1) {
  constexpr int kV = kGemmCols / F::kLanes;
  const ptrdiff_t step = static_cast<ptrdiff_t>(b.ldb), a_step = static_cast<ptrdiff_t>(g.a.col_stride);
  int64_t j = j0;
  const int64_t wide_end = b.tail ? std::min(j1, b.tail_at) : j1;
  for (; j + kRowPanels * kGemmCols <= wide_end; j += kRowPanels * kGemmCols) {
    const float* p[kRowPanels];
    F acc[kRowPanels][kV];
    for (int64_t q = 0; q < kRowPanels; ++q) {
      p[q] = b.data + (j / kGemmCols + q) * b.panel_stride;
      for (int v = 0; v < kV; ++v) acc[q][v] = F::splat(0);
    }
    const float* a = g.a.data;
#pragma GCC unroll 1
    for (int64_t k = g.k; k > 0; --k, a += a_step) {
      const F av = F::splat(*a);
      for (int64_t q = 0; q < kRowPanels; ++q) {
        for (int v = 0; v < kV; ++v) acc[q][v] = madd(av, F::load(p[q] + v * F::kLanes), acc[q][v]);
        p[q] += step;
      }
    }
    for (int64_t q = 0; q < kRowPanels; ++q) {
      tile::Acc<F, 1> t;
      for (int v = 0; v < kV; ++v) t.v[0][v] = acc[q][v];
      const int64_t at = j + q * kGemmCols;
      tile::finish(t, 1, static_cast<int>(std::min<int64_t>(kGemmCols, g.n - at)), finish_of(g, 0, at));
    }
  }
  for (; j < j1; j += kGemmCols) {
    const bool tail = b.tail && j >= b.tail_at;
    const float* p = tail ? b.tail : b.data + j / kGemmCols * b.panel_stride;
    const ptrdiff_t ldb = tail ? kGemmCols : step;
    tile::Acc<F, 1> t;
    for (int v = 0; v < kV; ++v) t.v[0][v] = F::splat(0);
    const float* a = g.a.data;
    for (int64_t k = g.k; k > 0; --k, a += a_step, p += ldb) {
      for (int v = 0; v < kV; ++v) t.v[0][v] = madd(F::splat(*a), F::load(p + v * F::kLanes), t.v[0][v]);
    }
    tile::finish(t, 1, static_cast<int>(std::min<int64_t>(kGemmCols, g.n - j)), finish_of(g, 0, j));
  }
}

// m = 1 and the columns of B contiguous: dot products, four columns at a time.
template <class F>
void run_dots(const Gemm& g, int64_t j0, int64_t j1) {
  constexpr int kWide = 4;
  for (int64_t j = j0; j < j1; j += kWide) {
    const int cols = static_cast<int>(std::min<int64_t>(kWide, j1 - j));
    const float* b[kWide];
    F acc[kWide];
    for (int c = 0; c < kWide; ++c) {
      b[c] = g.b.data + (j + std::min(c, cols - 1)) * g.b.col_stride;
      acc[c] = F::splat(0);
    }
    const ptrdiff_t n = static_cast<ptrdiff_t>(g.k) / F::kLanes * F::kLanes;
#pragma GCC unroll 1
    for (ptrdiff_t k = 0; k < n; k += F::kLanes) {
      const F av = F::load(g.a.data + k);
      for (int c = 0; c < kWide; ++c) acc[c] = madd(av, F::load(b[c] + k), acc[c]);
    }
    for (int c = 0; c < cols; ++c) {
      float sum = acc[c].sum();
      for (ptrdiff_t k = n; k < g.k; ++k) sum += g.a.data[k] * b[c][k];
      const tile::Finish f = finish_of(g, 0, j + c);
      tile::finish_element(sum, 0, 0, f);
    }
  }
}

// parallel_for, or the whole range at once.
template <class Body>
void spread(bool parallel, int64_t n, int64_t grain, Body&& body) {
  if (parallel) {
    parallel_for(n, grain, body);
  } else if (n > 0) {
    body(int64_t{0}, n);
  }
}

void pack_panels(bool parallel, const Matrix& b, int64_t k, int64_t n, float* out) {
  if (k == 0) return;
  const int64_t panels = (n + kGemmCols - 1) / kGemmCols;
  spread(parallel, panels, grain_for(k * 4), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int width = static_cast<int>(std::min<int64_t>(kGemmCols, n - p * kGemmCols));
      tile::pack_panel<kGemmCols>(b.data + p * kGemmCols * b.col_stride, b.col_stride, b.row_stride, width, k,
                                  out + p * kGemmCols * k);
    }
  });
}

template <class F>
void run_pass(const Gemm& g, const Plan& p, const Panels& b, int64_t j0, int64_t j1, bool parallel,
              float* slot_memory) {
  const int64_t row_blocks = (g.m + p.block_rows - 1) / p.block_rows;
  const int64_t col_blocks = (j1 - j0 + p.block_cols - 1) / p.block_cols;
  Slots slots(slot_memory, static_cast<size_t>(p.slot_floats) * sizeof(float));
  const int64_t cost = p.block_rows * p.block_cols * std::max<int64_t>(g.k, 8) / 16;
  spread(parallel, row_blocks * col_blocks, grain_for(cost), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / col_blocks * p.block_rows, j = j0 + task % col_blocks * p.block_cols;
      const int64_t i_end = std::min(g.m, i + p.block_rows), j_end = std::min(j1, j + p.block_cols);
      if (p.route == Route::kRow) {
        run_row<F>(g, b, j, j_end);
      } else {
        run_tiles<F>(g, b, j0, i, i_end, j, j_end, claim.as<float>());
      }
    }
  });
}

// y = A * x is the row x^T times A^T: one kind of matrix-vector product is enough.
Gemm column_as_row(const Gemm& g) {
  Gemm t = g;
  std::swap(t.m, t.n);
  t.a = {g.b.data, g.b.col_stride, g.b.row_stride};
  t.b = {g.a.data, g.a.col_stride, g.a.row_stride};
  t.c_row_stride = g.c_col_stride;
  t.c_col_stride = g.c_row_stride;
  t.epilogue.bias_stride = 0;
  return t;
}

bool is_column(const Gemm& g) { return g.n == 1 && g.m > 1 && g.packed_b == nullptr; }

template <class F>
const char* run(const Gemm& g, float* scratch, bool parallel) {
  if (is_column(g)) return run<F>(column_as_row(g), scratch, parallel);
  if (g.m <= 0 || g.n <= 0) return name_of(Route::kTiles);
  const Plan p = make_plan(g);
  if (p.route == Route::kDots) {
    spread(parallel, g.n, std::max<int64_t>(8, grain_for(g.k / 2) / 4 * 4),
           [&](int64_t begin, int64_t end) { run_dots<F>(g, begin, end); });
    return name_of(p.route);
  }
  float* pack = scratch;
  float* slots = scratch + p.pack_floats;
  if (g.packed_b) {
    run_pass<F>(g, p, {g.packed_b, g.k * kGemmCols, kGemmCols}, 0, g.n, parallel, slots);
  } else if (p.route == Route::kTiles) {
    for (int64_t j = 0; j < g.n; j += p.pass_cols) {
      const int64_t cols = std::min(p.pass_cols, g.n - j);
      Matrix b = g.b;
      b.data += j * b.col_stride;
      pack_panels(parallel, b, g.k, cols, pack);
      run_pass<F>(g, p, {pack, g.k * kGemmCols, kGemmCols}, j, j + cols, parallel, slots);
    }
  } else {
    Panels b{g.b.data, kGemmCols, g.b.row_stride};
    if (g.n % kGemmCols != 0 && g.k > 0) {
      b.tail = pack;
      b.tail_at = g.n / kGemmCols * kGemmCols;
      tile::pack_panel<kGemmCols>(g.b.data + b.tail_at, 1, g.b.row_stride, static_cast<int>(g.n - b.tail_at), g.k,
                                  pack);
    }
    run_pass<F>(g, p, b, 0, g.n, parallel, slots);
  }
  return name_of(p.route);
}

int64_t scratch_floats(const Gemm& g, int threads) {
  if (is_column(g)) return scratch_floats(column_as_row(g), threads);
  const Plan p = make_plan(g);
  return p.pack_floats + p.slot_floats * threads;
}

}  // namespace

void pack_b(const Matrix& b, int64_t k, int64_t n, float* out) { pack_panels(true, b, k, n, out); }

int64_t gemm_scratch(const Gemm& g) { return scratch_floats(g, Slots::count()); }
const char* gemm(const Gemm& g, float* scratch) { return run<F32>(g, scratch, true); }
int64_t gemm_serial_scratch(const Gemm& g) { return scratch_floats(g, 1); }
const char* gemm_serial(const Gemm& g, float* scratch) { return run<F32>(g, scratch, false); }
void gemm_scalar(const Gemm& g, float* scratch) { run<F32x1>(g, scratch, false); }

namespace {

// Small products are shared out whole; large ones are split inside.
bool whole_items(const Gemm& g, int64_t batch) { return batch > 1 && (batch >= 16 || g.m * g.n * g.k < 1 << 20); }

}  // namespace

int64_t gemm_batch_scratch(const Gemm& g, int64_t batch) {
  return whole_items(g, batch) ? gemm_serial_scratch(g) * Slots::count() : gemm_scratch(g);
}

const char* gemm_batch(const Gemm& g, int64_t batch, const int64_t* a_offsets, const int64_t* b_offsets, int64_t c_step,
                       float* scratch) {
  auto item = [&](int64_t i) {
    Gemm one = g;
    one.a.data += a_offsets[i];
    if (one.packed_b == nullptr) one.b.data += b_offsets[i];
    one.c += i * c_step;
    if (one.epilogue.residual) one.epilogue.residual += i * c_step;
    return one;
  };
  if (!whole_items(g, batch)) {
    const char* name = name_of(Route::kTiles);
    for (int64_t i = 0; i < batch; ++i) name = gemm(item(i), scratch);
    return name;
  }
  Slots slots(scratch, static_cast<size_t>(gemm_serial_scratch(g)) * sizeof(float));
  const char* const name = name_of(make_plan(is_column(g) ? column_as_row(g) : g).route);
  parallel_for(batch, grain_for(g.m * g.n * std::max<int64_t>(g.k, 8) / 8), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    for (int64_t i = begin; i < end; ++i) gemm_serial(item(i), claim.as<float>());
  });
  return name;
}

void tile::rows_block(const float* rows, int64_t row_stride, int64_t count, const float* b, int64_t panel_stride,
                      int64_t ldb, int64_t cols, int64_t k, const Finish& f) {
  block<F32>({nullptr, rows, row_stride}, count, b, panel_stride, ldb, cols, k, f);
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
