#include "kernels/int_gemm.h"

#include "base/parallel.h"
#include "kernels/int_tile.h"

namespace onnxlet {
namespace {

using int_tile::ARecode;
using int_tile::kCols;
using int_tile::kRows;
using int_tile::RowTerms;

constexpr int64_t kPassBytes = 1 << 22;  // of packed A

struct Plan {
  int64_t pass_rows, block_rows, block_cols, strip_bytes;
};

template <class Format>
Plan make_plan(const IntGemm& g) {
  constexpr int64_t kElement = sizeof(typename Format::Element);
  Plan p;
  const int64_t rows = (std::max<int64_t>(g.m, 1) + kRows - 1) / kRows * kRows, k = std::max<int64_t>(g.k, 1);
  p.block_rows = std::min(std::clamp<int64_t>(65536 / kElement / k / kRows * kRows, kRows, 64), rows);
  p.pass_rows = std::min(std::max<int64_t>(kPassBytes / kElement / k / 64 * 64, 64), rows);
  p.block_cols = 256;
  while (p.block_cols > 32 &&
         ((g.m + p.block_rows - 1) / p.block_rows) * ((g.n + p.block_cols - 1) / p.block_cols) < 16 &&
         p.block_rows * p.block_cols * k > 262144) {
    p.block_cols /= 2;
  }
  p.strip_bytes = (p.pass_rows / kRows * int_tile::strip_elements<Format>(g.k) * kElement + 15) / 16 * 16;
  return p;
}

template <class Format>
int64_t scratch_bytes(const IntGemm& g) {
  const Plan p = make_plan<Format>(g);
  return p.strip_bytes + p.pass_rows * static_cast<int64_t>(sizeof(RowTerms));
}

// One row of A into its places in a strip; the sum of its elements.
template <class Format, class T>
int32_t pack_row(const T* src, ptrdiff_t step, ptrdiff_t k, const ARecode& recode, typename Format::Element* out) {
  constexpr ptrdiff_t kGroup = Format::kGroup, kStep = kRows * kGroup;
  int32_t sum = 0;
  ptrdiff_t i = 0;
  if constexpr (kGroup == 4) {
    if (step == 1) {
      const uint32_t flip = recode.flip * 0x01010101u;
      for (; i + kGroup <= k; i += kGroup, out += kStep) {
        uint32_t four;
        std::memcpy(&four, src + i, sizeof(four));
        four ^= flip;
        std::memcpy(out, &four, sizeof(four));
      }
      for (ptrdiff_t j = 0; j < i; ++j) sum += src[j];
    }
  }
  for (; i < k; i += kGroup, out += kStep) {
    for (ptrdiff_t q = 0; q < kGroup; ++q) {
      const bool in = i + q < k;
      const int32_t v = in ? src[(i + q) * step] : 0;
      sum += v;
      out[q] = in ? Format::encode(recode, v) : typename Format::Element{};
    }
  }
  return sum;
}

// Rows [i0, i0 + rows) of A as strips.
template <class Format>
void pack_a(const IntGemm& g, int64_t i0, int64_t rows, typename Format::Element* out, RowTerms* terms) {
  const DotOperand operand = int_tile::operand_of(g.kernel);
  const ptrdiff_t step = static_cast<ptrdiff_t>(g.a.col_stride), k = static_cast<ptrdiff_t>(g.k);
  auto place = [&](int64_t at) {
    return out + at / kRows * int_tile::strip_elements<Format>(g.k) + at % kRows * Format::kGroup;
  };
  for (int64_t at = 0; at < rows; ++at) {
    const int64_t i = i0 + at;
    auto* strip = place(at);
    const int32_t zero = g.a_zero.at(i, 0);
    const ARecode recode = Format::recode(g.a.is_signed, zero, operand);
    const int64_t from = i * g.a.row_stride;
    const int32_t sum = g.a.is_signed
                            ? pack_row<Format>(static_cast<const int8_t*>(g.a.data) + from, step, k, recode, strip)
                            : pack_row<Format>(static_cast<const uint8_t*>(g.a.data) + from, step, k, recode, strip);
    terms[at] = {recode.left, int_tile::minus_product(sum, static_cast<int32_t>(g.k), zero), g.out.row_scale.at(i, 1)};
  }
  // The rows that fill up the last strip: any numbers do, but not what memory holds by chance.
  for (int64_t at = rows; at % kRows != 0; ++at) {
    auto* strip = place(at);
    for (ptrdiff_t q = 0; q < int_tile::groups<Format>(g.k); ++q) {
      std::fill_n(strip + q * kRows * Format::kGroup, Format::kGroup, typename Format::Element{});
    }
  }
}

template <class Format>
void pack_panel(const IntMatrix& b, int64_t k, int64_t n, int64_t p, uint8_t* out, int32_t* sums) {
  const int64_t padded = int_tile::groups<Format>(k) * Format::kGroup;
  const uint8_t flip = b.is_signed ? 0 : 0x80;
  std::fill_n(sums, kCols, 0);
  for (int64_t i = 0; i < padded; ++i) {
    const bool in = b.run == 0 ? i < k : i % b.run_padded < b.run;
    const int64_t row =
        b.run == 0 ? i * b.row_stride : i / b.run_padded * b.row_stride + i % b.run_padded * b.run_stride;
    for (int c = 0; c < kCols; ++c) {
      const int64_t j = p * kCols + c;
      uint8_t v = 0;
      if (in && j < n) v = static_cast<const uint8_t*>(b.data)[row + j * b.col_stride] ^ flip;
      out[(i / Format::kGroup * kCols + c) * Format::kGroup + i % Format::kGroup] = v;
      sums[c] += static_cast<int8_t>(v);
    }
  }
}

template <class Format>
void run(const IntGemm& g, void* scratch) {
  const Plan p = make_plan<Format>(g);
  auto* const strips = static_cast<typename Format::Element*>(scratch);
  auto* const terms = reinterpret_cast<RowTerms*>(static_cast<char*>(scratch) + p.strip_bytes);
  const int64_t strip = int_tile::strip_elements<Format>(g.k), col_blocks = (g.n + p.block_cols - 1) / p.block_cols;
  for (int64_t first = 0; first < g.m; first += p.pass_rows) {
    const int64_t rows = std::min(p.pass_rows, g.m - first), row_blocks = (rows + p.block_rows - 1) / p.block_rows;
    parallel_for((rows + kRows - 1) / kRows, grain_for(g.k * 2), [&](int64_t begin, int64_t end) {
      const int64_t i = begin * kRows;
      pack_a<Format>(g, first + i, std::min(end * kRows, rows) - i, strips + begin * strip, terms + i);
    });
    parallel_for(row_blocks * col_blocks, grain_for(p.block_rows * p.block_cols * std::max<int64_t>(g.k, 8) / 16),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t task = begin; task < end; ++task) {
                     const int64_t i = task / col_blocks * p.block_rows, j = task % col_blocks * p.block_cols;
                     const uint8_t* b = g.packed_b + j / kCols * int_tile::panel_bytes<Format>(g.k);
                     int_tile::block<Format>(strips + i / kRows * strip, terms + i, std::min(rows - i, p.block_rows),
                                             {b, g.b_sums + j, g.b_zero, int_tile::shift_of(g.b_signed)},
                                             std::min(g.n - j, p.block_cols), g.k, g.out, first + i, j);
                   }
                 });
  }
}

}  // namespace

int64_t packed_int_b_size(int64_t k, int64_t n, IntKernel kernel) {
  return int_tile::with_format(
      kernel, [&]<class Format>() { return (n + kCols - 1) / kCols * int_tile::panel_bytes<Format>(k); });
}

int64_t int_b_sums_size(int64_t n) { return (n + kCols - 1) / kCols * kCols; }

void pack_int_b(const IntMatrix& b, int64_t k, int64_t n, uint8_t* out, int32_t* sums, IntKernel kernel) {
  int_tile::with_format(kernel, [&]<class Format>() {
    parallel_for((n + kCols - 1) / kCols, grain_for(k * kCols), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        pack_panel<Format>(b, k, n, p, out + p * int_tile::panel_bytes<Format>(k), sums + p * kCols);
      }
    });
  });
}

int64_t int_gemm_scratch(const IntGemm& g) {
  return int_tile::with_format(g.kernel, [&]<class Format>() { return scratch_bytes<Format>(g); });
}

const char* int_gemm(const IntGemm& g, void* scratch) {
  if (g.m > 0 && g.n > 0) int_tile::with_format(g.kernel, [&]<class Format>() { run<Format>(g, scratch); });
  return name_of(g.kernel);
}

}  // namespace onnxlet
