#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/panel_gemm.h"
#include "kernels/softmax.h"
#include "simd/math.h"

namespace onnxlet {
namespace {

using simd::F32x1;
using simd::F32x4;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int64_t kRows = 32;    // query rows whose scores are held at a time
constexpr int64_t kChunks = 16;  // pieces of work with scratch of their own

// With few query rows the keys are read where they are; otherwise they are packed once for all rows of a head.
bool packs(const AttentionArgs& a) { return a.q_len >= 4; }

int64_t rows_per_block(const AttentionArgs& a) { return std::min(kRows, std::max<int64_t>(a.q_len, 1)); }
int64_t score_width(const AttentionArgs& a) { return (a.kv_len + kPanel - 1) / kPanel * kPanel + kPanel; }
int64_t packed_k(const AttentionArgs& a) { return packed_panels_size(a.head_size, a.kv_len); }
int64_t packed_v(const AttentionArgs& a) { return packed_panels_size(a.kv_len, a.v_head_size); }

float dot(const float* a, const float* b, int64_t n) {
  F32x4 s0 = F32x4::splat(0), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    s0 = simd::madd(F32x4::load(a + i), F32x4::load(b + i), s0);
    s1 = simd::madd(F32x4::load(a + i + 4), F32x4::load(b + i + 4), s1);
    s2 = simd::madd(F32x4::load(a + i + 8), F32x4::load(b + i + 8), s2);
    s3 = simd::madd(F32x4::load(a + i + 12), F32x4::load(b + i + 12), s3);
  }
  for (; i + 4 <= n; i += 4) s0 = simd::madd(F32x4::load(a + i), F32x4::load(b + i), s0);
  float sum = ((s0 + s1) + (s2 + s3)).sum();
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// y += sum over four rows of p[r] * v[r]
void add_rows4(const float* p, const float* v, int64_t stride, int64_t n, float* y) {
  const F32x4 p0 = F32x4::splat(p[0]), p1 = F32x4::splat(p[1]), p2 = F32x4::splat(p[2]), p3 = F32x4::splat(p[3]);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    F32x4 acc = F32x4::load(y + i);
    acc = simd::madd(p0, F32x4::load(v + i), acc);
    acc = simd::madd(p1, F32x4::load(v + stride + i), acc);
    acc = simd::madd(p2, F32x4::load(v + 2 * stride + i), acc);
    simd::madd(p3, F32x4::load(v + 3 * stride + i), acc).store(y + i);
  }
  for (; i < n; ++i) y[i] += p[0] * v[i] + p[1] * v[stride + i] + p[2] * v[2 * stride + i] + p[3] * v[3 * stride + i];
}

void weighted_rows(const float* p, int64_t rows, const float* v, int64_t stride, int64_t n, float* y) {
  int64_t j = 0;
  for (; j + 4 <= rows; j += 4) add_rows4(p + j, v + j * stride, stride, n, y);
  for (; j < rows; ++j) {
    for (int64_t i = 0; i < n; ++i) y[i] += p[j] * v[j * stride + i];
  }
}

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

void soft_cap(float cap, float* x, int64_t n) {
  int64_t i = 0;
  const F32x4 c = F32x4::splat(cap);
  for (; i + 4 <= n; i += 4) (simd::tanh(F32x4::load(x + i) / c) * c).store(x + i);
  for (; i < n; ++i) x[i] = simd::tanh(F32x1{x[i] / cap}).v * cap;
}

// The scores of one query row, columns [first, end) of the keys, become probabilities in place.
struct Row {
  int64_t b, h, i;
  float* x;  // score of key `first`
  int64_t first, end;
  Range see;
};

void save(const AttentionArgs& a, AttentionArgs::Stage stage, const Row& r) {
  if (!a.scores || a.stage != stage) return;
  float* out = a.scores + ((r.b * a.q_heads + r.h) * a.q_len + r.i) * a.kv_len;
  std::copy_n(r.x, r.end - r.first, out + r.first);
}

void finish_row(const AttentionArgs& a, const Row& r) {
  float* x = r.x;
  const int64_t n = r.end - r.first, lo = std::min(r.see.lo, r.end) - r.first, hi = std::min(r.see.hi, r.end) - r.first;
  for (int64_t j = 0; j < n; ++j) x[j] *= a.scale;
  save(a, AttentionArgs::Stage::kProduct, r);
  if (a.softcap > 0) soft_cap(a.softcap, x, n);
  save(a, AttentionArgs::Stage::kCapped, r);
  bool any = hi > lo;
  if (a.mask) {
    const float* m = a.mask + r.b * a.mask_batch + r.h * a.mask_head + r.i * a.mask_row + r.first * a.mask_column;
    any = false;
    for (int64_t j = lo; j < hi; ++j) {
      const float v = m[j * a.mask_column];
      any = any || v != -kInf;
      x[j] += v;
    }
  }
  std::fill(x, x + std::max<int64_t>(lo, 0), -kInf);
  std::fill(x + hi, x + n, -kInf);
  save(a, AttentionArgs::Stage::kMasked, r);
  std::fill(x, x + std::max<int64_t>(lo, 0), 0.0f);
  if (any) {
    float max = 0;
    const float after = x[hi];
    if (a.sinks) x[hi] = a.sinks[r.h];
    softmax_row(x + lo, hi - lo + (a.sinks ? 1 : 0), &max, nullptr);
    if (a.sinks) x[hi] = after;
    any = max != -kInf;
  }
  if (!any) std::fill(x + lo, x + hi, 0.0f);
  std::fill(x + hi, x + n, 0.0f);
  save(a, AttentionArgs::Stage::kSoftmax, r);
}

// Rows [i0, i1) of query head h.
void one_block(const AttentionArgs& a, int64_t b, int64_t h, int64_t i0, int64_t i1, const float* k_panels,
               const float* v_panels, float* x) {
  const int64_t kv = h / (a.q_heads / a.kv_heads), width = score_width(a), m = i1 - i0;
  Range all{a.kv_len, 0};
  for (int64_t i = i0; i < i1; ++i) {
    const Range r = visible(a, b, i);
    all = {std::min(all.lo, r.lo), std::max(all.hi, r.hi)};
  }
  if (a.scores) all = {0, a.kv_len};
  const int64_t first = std::max<int64_t>(all.lo, 0) / kPanel * kPanel, end = std::max(all.hi, first), n = end - first;
  std::fill_n(x, m * width, 0.0f);
  const float* q = a.q.at(b, h, i0);
  if (k_panels) {
    panel_gemm_serial({q, m, a.head_size, a.q.row, k_panels + first * a.head_size, kPanel * a.head_size, n, x, width});
  } else {
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t j = 0; j < n; ++j) x[r * width + j] = dot(q + r * a.q.row, a.k.at(b, kv, first + j), a.head_size);
    }
  }
  for (int64_t r = 0; r < m; ++r) {
    finish_row(a, Row{b, h, i0 + r, x + r * width, first, end, visible(a, b, i0 + r)});
    std::fill_n(a.y.at(b, h, i0 + r), a.v_head_size, 0.0f);
  }
  if (v_panels) {
    panel_gemm_serial(
        {x, m, n, width, v_panels + first * kPanel, kPanel * a.kv_len, a.v_head_size, a.y.at(b, h, i0), a.y.row});
  } else {
    for (int64_t r = 0; r < m; ++r) {
      weighted_rows(x + r * width, n, a.v.at(b, kv, first), a.v.row, a.v_head_size, a.y.at(b, h, i0 + r));
    }
  }
}

}  // namespace

int64_t attention_scratch(const AttentionArgs& a) {
  const int64_t packed = packs(a) ? a.batch * a.kv_heads * (packed_k(a) + packed_v(a)) : 0;
  return packed + kChunks * rows_per_block(a) * score_width(a);
}

void attention(const AttentionArgs& a, float* scratch) {
  const int64_t pack_size = packed_k(a) + packed_v(a), kv_all = a.batch * a.kv_heads;
  float* scores = scratch;
  if (packs(a)) {
    scores += kv_all * pack_size;
    parallel_for(kv_all, grain_for(pack_size), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t b = t / a.kv_heads, h = t % a.kv_heads;
        pack_panels(a.k.at(b, h, 0), a.head_size, a.kv_len, 1, a.k.row, scratch + t * pack_size);
        pack_panels(a.v.at(b, h, 0), a.kv_len, a.v_head_size, a.v.row, 1, scratch + t * pack_size + packed_k(a));
      }
    });
  }
  const int64_t rows = rows_per_block(a), blocks = (a.q_len + rows - 1) / rows;
  const int64_t tasks = a.batch * a.q_heads * blocks, grain = std::max<int64_t>((tasks + kChunks - 1) / kChunks, 1);
  parallel_for(tasks, grain, [&](int64_t begin, int64_t end) {
    float* x = scores + begin / grain * rows * score_width(a);
    for (int64_t t = begin; t < end; ++t) {
      const int64_t block = t % blocks, h = t / blocks % a.q_heads, b = t / blocks / a.q_heads;
      const int64_t kv = b * a.kv_heads + h / (a.q_heads / a.kv_heads);
      const float* panels = packs(a) ? scratch + kv * pack_size : nullptr;
      one_block(a, b, h, block * rows, std::min((block + 1) * rows, a.q_len), panels,
                panels ? panels + packed_k(a) : nullptr, x);
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
        for (int64_t i = 0; i < half; ++i) {
          const float u = x[i * step], v = x[i * step + apart];
          y[i * step] = c[i] * u - d[i] * v;
          y[i * step + apart] = d[i] * u + c[i] * v;
        }
        if (x != y) std::copy(x + a.dims, x + a.head_size, y + a.dims);
      }
    }
  });
}

}  // namespace onnxlet
