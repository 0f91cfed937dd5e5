// Attention block by block: the scores of some queries and kKeys keys become weights relative to the largest score so
// far, and what was summed before is scaled down when a larger one comes. The whole score matrix is never there.
#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/slots.h"
#include "kernels/tile.h"
#include "simd/math.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32x1;
using simd::F32x4;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int64_t kQueries = 32, kKeys = 128;  // of a block: their scores stay in the first-level cache
constexpr int64_t kFewQueries = 4;             // below, dot products row by row instead of tiles

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
int64_t rows_per_block(const AttentionArgs& a) { return std::clamp<int64_t>(a.q_len, 1, kQueries); }

// Work memory of a block, one after the other: queries times the scale, in panels of 8 where tiles are used; scores,
// kKeys apart; the last columns of V.
int64_t queries_size(const AttentionArgs& a) {
  return round_up(round_up(rows_per_block(a), kGemmCols) * a.head_size, 4);
}
int64_t scores_size(const AttentionArgs& a) { return round_up(rows_per_block(a), kGemmCols) * kKeys; }
int64_t slot_size(const AttentionArgs& a) { return round_up(queries_size(a) + scores_size(a) + kKeys * kGemmCols, 16); }

// ---- few queries ----

// Scores of four keys.
F32x4 dot4(const float* q, const float* k, ptrdiff_t stride, ptrdiff_t n) {
  F32x4 s[4];
  for (F32x4& v : s) v = F32x4::splat(0);
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const F32x4 x = F32x4::load(q + i);
    for (ptrdiff_t r = 0; r < 4; ++r) s[r] = simd::madd(x, F32x4::load(k + r * stride + i), s[r]);
  }
  tile::transpose4(s);
  F32x4 sum = (s[0] + s[2]) + (s[1] + s[3]);
  for (; i < n; ++i) {
    const float x = q[i];
    sum = sum + F32x4{F32x4::Raw{x * k[i], x * k[stride + i], x * k[2 * stride + i], x * k[3 * stride + i]}};
  }
  return sum;
}

void dots(const float* q, const float* k, int64_t stride, int64_t keys, int64_t n, float* out) {
  int64_t j = 0;
  const auto size = static_cast<ptrdiff_t>(n);
  for (; j + 4 <= keys; j += 4) dot4(q, k + j * stride, static_cast<ptrdiff_t>(stride), size).store(out + j);
  for (; j < keys; ++j) out[j] = dot4(q, k + j * stride, 0, size)[0];
}

// y += sum over kCount rows of p[r] * v[r]
template <int kCount>
void add_rows(const float* p, const float* v, ptrdiff_t stride, ptrdiff_t n, float* y) {
  F32x4 w[kCount];
  for (int r = 0; r < kCount; ++r) w[r] = F32x4::splat(p[r]);
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) {
    F32x4 sum = F32x4::load(y + i);
    for (int r = 0; r < kCount; ++r) sum = simd::madd(w[r], F32x4::load(v + r * stride + i), sum);
    sum.store(y + i);
  }
  for (; i < n; ++i) {
    for (int r = 0; r < kCount; ++r) y[i] += p[r] * v[r * stride + i];
  }
}

void weighted_rows(const float* p, int64_t rows, const float* v, int64_t stride, int64_t n, float* y) {
  constexpr int kTogether = 8;
  const auto step = static_cast<ptrdiff_t>(stride), size = static_cast<ptrdiff_t>(n);
  int64_t j = 0;
  for (; j + kTogether <= rows; j += kTogether) add_rows<kTogether>(p + j, v + j * stride, step, size, y);
  for (; j < rows; ++j) add_rows<1>(p + j, v + j * stride, step, size, y);
}

// ---- one row of scores ----

struct Range {
  int64_t lo, hi;
};

// Keys that query i of batch b can see by position and length.
Range visible(const AttentionArgs& a, int64_t b, int64_t i) {
  const int64_t at = i + (a.offsets ? a.offsets[b] : 0);
  int64_t lo = 0, hi = a.lengths ? std::clamp<int64_t>(a.lengths[b], 0, a.kv_len) : a.kv_len;
  if (a.mask) hi = std::min(hi, a.mask_len);
  if (a.left >= 0) lo = std::clamp<int64_t>(at - a.left, 0, a.kv_len);
  if (a.right >= 0) hi = std::min(hi, at + a.right + 1);
  return {lo, std::max(lo, hi)};
}

// What is known of a query's softmax: the largest score, the sum of exponentials relative to it, the keys it sees.
struct State {
  float max = -kInf, sum = 0;
  Range see{};
};

// Scores x of the keys [first, first + n) of one query.
struct Row {
  int64_t b, h, i, first, n;
  float* x;
};

void save(const AttentionArgs& a, AttentionArgs::Stage stage, const Row& r) {
  const AttentionArgs::Stage wanted =
      a.stage == AttentionArgs::Stage::kSoftmax ? AttentionArgs::Stage::kMasked : a.stage;  // see finish_scores
  if (!a.scores || wanted != stage) return;
  std::copy_n(r.x, r.n, a.scores + ((r.b * a.q_heads + r.h) * a.q_len + r.i) * a.kv_len + r.first);
}

void soft_cap(float cap, float* x, int64_t n) {
  int64_t i = 0;
  const F32x4 c = F32x4::splat(cap);
  for (; i + 4 <= n; i += 4) (simd::tanh(F32x4::load(x + i) / c) * c).store(x + i);
  for (; i < n; ++i) x[i] = simd::tanh(F32x1{x[i] / cap}).v * cap;
}

void add_mask(const float* m, ptrdiff_t step, float* x, ptrdiff_t n) {
  if (step == 1) {
    for (ptrdiff_t j = 0; j < n; ++j) x[j] += m[j];
  } else {
    for (ptrdiff_t j = 0; j < n; ++j) x[j] += m[j * step];
  }
}

float largest(const float* x, int64_t n) {
  F32x4 most = F32x4::splat(-kInf);
  for (ptrdiff_t j = 0; j < static_cast<ptrdiff_t>(n); j += 4) most = simd::max(F32x4::load(x + j), most);
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

// Scores become weights; what was summed before counts less by the factor that is returned. x has room for a
// multiple of four.
float weigh(float* x, int64_t n, State* s) {
  const int64_t whole = round_up(n, 4);
  std::fill(x + n, x + whole, -kInf);
  const float max = std::max(s->max, largest(x, whole));
  if (max == -kInf) {  // nothing so far, or not a number
    for (int64_t j = 0; j < n; ++j) {
      if (x[j] != -kInf) s->sum = x[j];
      x[j] = 0;
    }
    return 1;
  }
  const F32x4 shift = F32x4::splat(max);
  F32x4 sum = F32x4::splat(0);
  for (ptrdiff_t j = 0; j < static_cast<ptrdiff_t>(whole); j += 4) {
    const F32x4 e = simd::exp_weight(F32x4::load(x + j) - shift);
    e.store(x + j);
    sum = sum + e;
  }
  const float before = max == s->max ? 1 : simd::exp_weight(F32x1{s->max - max}).v;
  s->sum = s->sum * before + sum.sum();
  s->max = max;
  return before;
}

float finish_row(const AttentionArgs& a, const Row& r, State* s) {
  float* x = r.x;
  save(a, AttentionArgs::Stage::kProduct, r);
  if (a.softcap > 0) soft_cap(a.softcap, x, r.n);
  save(a, AttentionArgs::Stage::kCapped, r);
  const int64_t lo = std::clamp<int64_t>(s->see.lo - r.first, 0, r.n),
                hi = std::clamp<int64_t>(s->see.hi - r.first, lo, r.n);
  if (a.mask) {
    const float* m = a.mask + r.b * a.mask_batch + r.h * a.mask_head + r.i * a.mask_row;
    add_mask(m + (r.first + lo) * a.mask_column, static_cast<ptrdiff_t>(a.mask_column), x + lo,
             static_cast<ptrdiff_t>(hi - lo));
  }
  std::fill(x, x + lo, -kInf);
  std::fill(x + hi, x + r.n, -kInf);
  save(a, AttentionArgs::Stage::kMasked, r);
  return weigh(x, r.n, s);
}

// Whether the mask leaves a query without keys, whatever their scores are.
bool masked_out(const AttentionArgs& a, const Row& r, const Range& see) {
  const float* m = a.mask + r.b * a.mask_batch + r.h * a.mask_head + r.i * a.mask_row;
  int64_t j = see.lo;
  while (j < see.hi && m[j * a.mask_column] == -kInf) ++j;
  return j >= see.hi;
}

void scale_row(float* y, float factor, int64_t n) {
  for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(n); ++i) y[i] *= factor;
}

// The probabilities, where the scores were saved before they became weights.
void finish_scores(const AttentionArgs& a, const Row& r, const State& s) {
  if (!a.scores || a.stage != AttentionArgs::Stage::kSoftmax) return;
  float* p = a.scores + ((r.b * a.q_heads + r.h) * a.q_len + r.i) * a.kv_len;
  for (int64_t j = 0; j < a.kv_len; ++j) {
    p[j] = s.max == -kInf ? (s.sum == 0 ? 0 : s.sum) : simd::exp_weight(F32x1{p[j] - s.max}).v / s.sum;
  }
}

// ---- blocks ----

// `m` queries of head h from query i on.
struct Block {
  int64_t b, h, i, m;
};

void load_queries(const AttentionArgs& a, const Block& t, bool tiles, float* out) {
  for (int64_t r = 0; r < t.m; ++r) {
    const float* q = a.q.at(t.b, t.h, t.i + r);
    float* to = tiles ? out + r / kGemmCols * kGemmCols * a.head_size + r % kGemmCols : out + r * a.head_size;
    const int64_t step = tiles ? kGemmCols : 1;
    for (int64_t e = 0; e < a.head_size; ++e) to[e * step] = q[e] * a.scale;
  }
  for (int64_t r = t.m; tiles && r % kGemmCols != 0; ++r) {
    float* to = out + r / kGemmCols * kGemmCols * a.head_size + r % kGemmCols;
    for (int64_t e = 0; e < a.head_size; ++e) to[e * kGemmCols] = 0;
  }
}

// y of the block += weights x [m][kKeys] times rows [first, first + n) of V; `tail` has room for a panel.
void add_values(const AttentionArgs& a, const Block& t, int64_t kv, int64_t first, int64_t n, const float* x,
                bool begins, float* tail) {
  const float* v = a.v.at(t.b, kv, first);
  const int64_t whole = a.v_head_size / kGemmCols * kGemmCols, rest = a.v_head_size - whole;
  tile::Finish f(Epilogue{}, a.y.at(t.b, t.h, t.i), 0, nullptr, begins, true);
  f.row_stride = a.y.row;
  tile::rows_block(x, kKeys, t.m, v, kGemmCols, a.v.row, whole, n, f);
  if (rest == 0) return;
  tile::pack_panel<kGemmCols>(v + whole, 1, a.v.row, static_cast<int>(rest), n, tail);
  f.c += whole;
  if (f.previous) f.previous += whole;
  tile::rows_block(x, kKeys, t.m, tail, 0, kGemmCols, rest, n, f);
}

void one_block(const AttentionArgs& a, const Block& t, float* scratch) {
  float *q = scratch, *x = q + queries_size(a), *tail = x + scores_size(a);
  const int64_t kv = t.h / (a.q_heads / a.kv_heads);
  const bool tiles = t.m >= kFewQueries;
  State states[kQueries];
  Range all{a.kv_len, 0};
  for (int64_t r = 0; r < t.m; ++r) {
    State& s = states[r];
    s.see = visible(a, t.b, t.i + r);
    if (a.sinks) s.max = a.sinks[t.h], s.sum = s.max == -kInf ? 0 : 1;
    if (s.see.lo < s.see.hi) all = {std::min(all.lo, s.see.lo), std::max(all.hi, s.see.hi)};
  }
  if (a.scores) all = {0, a.kv_len};
  load_queries(a, t, tiles, q);
  for (int64_t first = all.lo; first < all.hi; first += kKeys) {
    const int64_t n = std::min(kKeys, all.hi - first);
    const bool begins = first == all.lo;
    const float* k = a.k.at(t.b, kv, first);
    if (tiles) {
      tile::Finish f(Epilogue{}, x, 0, nullptr, true, true);
      f.row_stride = 1, f.col_stride = kKeys;
      tile::rows_block(k, a.k.row, n, q, kGemmCols * a.head_size, kGemmCols, round_up(t.m, kGemmCols), a.head_size, f);
    }
    for (int64_t r = 0; r < t.m; ++r) {
      float* row = x + r * kKeys;
      float* y = a.y.at(t.b, t.h, t.i + r);
      if (!tiles) dots(q + r * a.head_size, k, a.k.row, n, a.head_size, row);
      const float before = finish_row(a, Row{t.b, t.h, t.i + r, first, n, row}, &states[r]);
      if (!begins && before != 1) scale_row(y, before, a.v_head_size);
      if (tiles) continue;
      if (begins) std::fill_n(y, a.v_head_size, 0.0f);
      weighted_rows(row, n, a.v.at(t.b, kv, first), a.v.row, a.v_head_size, y);
    }
    if (tiles) add_values(a, t, kv, first, n, x, begins, tail);
  }
  for (int64_t r = 0; r < t.m; ++r) {
    State& s = states[r];
    float* y = a.y.at(t.b, t.h, t.i + r);
    const Row row{t.b, t.h, t.i + r, 0, a.kv_len, nullptr};
    if (a.mask && s.max == -kInf && masked_out(a, row, s.see)) s.sum = 0;
    if (all.lo >= all.hi || s.sum == 0) {
      std::fill_n(y, a.v_head_size, a.unseeing);
    } else {
      scale_row(y, 1 / s.sum, a.v_head_size);
    }
    finish_scores(a, row, s);
  }
}

}  // namespace

int64_t attention_scratch(const AttentionArgs& a) { return Slots::count() * slot_size(a); }

void attention(const AttentionArgs& a, float* scratch) {
  const int64_t rows = rows_per_block(a), blocks = (a.q_len + rows - 1) / rows, tasks = a.batch * a.q_heads * blocks;
  const int64_t cost = rows * (a.kv_len + 1) * (a.head_size + a.v_head_size + 8) / 4;
  Slots slots(scratch, static_cast<size_t>(slot_size(a)) * sizeof(float));
  parallel_for(tasks, grain_for(cost), [&](int64_t begin, int64_t end) {
    const Slots::Claim slot(slots);
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t % blocks * rows;
      one_block(a, {t / blocks / a.q_heads, t / blocks % a.q_heads, i, std::min(rows, a.q_len - i)}, slot.as<float>());
    }
  });
}

void rotary_embedding(const RotaryArgs& a) {
  const int64_t half = a.dims / 2;
  parallel_for(a.batch * a.seq, grain_for(a.heads * a.head_size * 2), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t b = t / a.seq, s = t % a.seq, row = a.rows ? a.rows[t] : t;
      const float* c = a.cos + row * half;
      const float* d = a.sin + row * half;
      for (int64_t h = 0; h < a.heads; ++h) {
        const float* x = a.x.at(b, h, s);
        float* y = a.y.at(b, h, s);
        const int64_t step = a.interleaved ? 2 : 1, apart = a.interleaved ? 1 : half;
        ptrdiff_t i = 0;
        for (; !a.interleaved && i + 4 <= static_cast<ptrdiff_t>(half); i += 4) {
          const F32x4 u = F32x4::load(x + i), v = F32x4::load(x + i + half), p = F32x4::load(c + i),
                      q = F32x4::load(d + i);
          (p * u - q * v).store(y + i);
          (q * u + p * v).store(y + i + half);
        }
        for (; i < static_cast<ptrdiff_t>(half); ++i) {
          const float u = x[i * step], v = x[i * step + apart];
          y[i * step] = c[i] * u - d[i] * v;
          y[i * step + apart] = d[i] * u + c[i] * v;
        }
        if (x != y) std::copy(x + a.dims, x + a.head_size, y + a.dims);
      }
    }
  });
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
