#include "kernels/int_gemm.h"

#include "base/parallel.h"
#include "kernels/int_tile.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_tile::kCols;
using int_tile::kRows;
using int_tile::pairs;

struct Plan {
  int64_t block_rows, block_cols, slot_bytes;
};

Plan make_plan(const IntGemm& g) {
  Plan p;
  // A block of A of about 64 kB.
  p.block_rows = std::clamp<int64_t>(32768 / std::max<int64_t>(g.k, 1) / kRows * kRows, kRows, 64);
  p.block_rows = std::min(p.block_rows, (std::max<int64_t>(g.m, 1) + kRows - 1) / kRows * kRows);
  p.block_cols = 256;
  while (p.block_cols > 32 &&
         ((g.m + p.block_rows - 1) / p.block_rows) * ((g.n + p.block_cols - 1) / p.block_cols) < 16 &&
         p.block_rows * p.block_cols * g.k > 262144) {
    p.block_cols /= 2;
  }
  p.slot_bytes = (p.block_rows * pairs(g.k) * 4 + p.block_rows * 4 + 63) / 64 * 64;
  return p;
}

// Strips of [k / 2][4] pairs, and each row's sum.
template <class T>
void pack_a(const IntGemm& g, int64_t i0, int64_t i1, int16_t* out, int32_t* sums) {
  const int64_t kp = pairs(g.k);
  for (int64_t i = i0; i < i1; i += kRows, out += kp * 2 * kRows) {
    for (int r = 0; r < kRows; ++r) {
      int16_t* dst = out + r * 2;
      if (i + r >= i1) {
        for (int64_t p = 0; p < kp; ++p, dst += kRows * 2) dst[0] = dst[1] = 0;
        continue;
      }
      const T* src = static_cast<const T*>(g.a.data) + (i + r) * g.a.row_stride;
      const ptrdiff_t step = static_cast<ptrdiff_t>(g.a.col_stride);
      const int32_t zero = g.a_zero.at(i + r, 0);
      int32_t sum = 0;
      int64_t k = 0;
      for (; k + 2 <= g.k; k += 2, src += 2 * step, dst += kRows * 2) {
        const int32_t first = src[0] - zero, second = src[step] - zero;
        sum += first + second;
        dst[0] = static_cast<int16_t>(first);
        dst[1] = static_cast<int16_t>(second);
      }
      if (k < g.k) {
        sum += *src - zero;
        dst[0] = static_cast<int16_t>(*src - zero);
        dst[1] = 0;
      }
      sums[i - i0 + r] = sum;
    }
  }
}

}  // namespace

int64_t packed_int_b_size(int64_t k, int64_t n) { return pairs(k) * 2 * ((n + kCols - 1) / kCols * kCols); }

void pack_int_b(const IntMatrix& b, int64_t k, int64_t n, uint8_t* out) {
  const int64_t panels = (n + kCols - 1) / kCols, kp = pairs(k);
  parallel_for(panels, grain_for(k * kCols), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      uint8_t* dst = out + p * kp * 2 * kCols;
      for (int64_t i = 0; i < kp * 2; ++i) {
        for (int c = 0; c < kCols; ++c) {
          const int64_t j = p * kCols + c;
          const uint8_t v =
              i < k && j < n ? static_cast<const uint8_t*>(b.data)[i * b.row_stride + j * b.col_stride] : 0;
          dst[(i / 2 * kCols + c) * 2 + i % 2] = v;
        }
      }
    }
  });
}

int64_t int_gemm_scratch(const IntGemm& g) { return make_plan(g).slot_bytes * Slots::count(); }

const char* int_gemm(const IntGemm& g, void* scratch) {
  if (g.m <= 0 || g.n <= 0) return "gemm_i8";
  const Plan p = make_plan(g);
  const int64_t row_blocks = (g.m + p.block_rows - 1) / p.block_rows,
                col_blocks = (g.n + p.block_cols - 1) / p.block_cols;
  const int64_t kp = pairs(g.k);
  Slots slots(scratch, static_cast<size_t>(p.slot_bytes));
  parallel_for(row_blocks * col_blocks, grain_for(p.block_rows * p.block_cols * std::max<int64_t>(g.k, 8) / 16),
               [&](int64_t begin, int64_t end) {
                 Slots::Claim claim(slots);
                 int16_t* packed = claim.as<int16_t>();
                 int32_t* sums = reinterpret_cast<int32_t*>(packed + p.block_rows * kp * 2);
                 for (int64_t task = begin; task < end; ++task) {
                   const int64_t i = task / col_blocks * p.block_rows, j = task % col_blocks * p.block_cols;
                   const int64_t i_end = std::min(g.m, i + p.block_rows), cols = std::min(g.n - j, p.block_cols);
                   if (g.a.is_signed) {
                     pack_a<int8_t>(g, i, i_end, packed, sums);
                   } else {
                     pack_a<uint8_t>(g, i, i_end, packed, sums);
                   }
                   const uint8_t* b = g.packed_b + j * kp * 2;
                   if (g.b_signed) {
                     int_tile::block<true>(packed, sums, i_end - i, b, cols, g.k, g.b_zero, g.out, i, j);
                   } else {
                     int_tile::block<false>(packed, sums, i_end - i, b, cols, g.k, g.b_zero, g.out, i, j);
                   }
                 }
               });
  return "gemm_i8_4x8";
}

}  // namespace onnxlet
