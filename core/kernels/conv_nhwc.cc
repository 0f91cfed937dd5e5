// Convolution with channels innermost ("NHWC"), any number of spatial axes. Nothing is packed but the weights: a strip
// of four output pixels reads its input rows through pointers, one per tap and pixel, which point at zeros outside the
// input ("indirect convolution": Dukhan, https://arxiv.org/abs/1907.02129).
#include <algorithm>

#include "kernels/conv_blocks.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32;

constexpr int64_t kBlockPixels = 64;  // of one task: their pointers and rows stay in the first-level cache
constexpr int64_t kBlockK = 512;      // a panel of weights (16 kB) too
constexpr int64_t kBlockCols = 256;   // of one task: a block of its weights stays in the second-level cache
constexpr int64_t kFewChannels = 16;  // below, the taps of a kernel row are read as one run

struct NhwcPlan : ConvBlocks {
  int64_t segments, run;  // of a window: what is contiguous in memory, and how often
  bool by_row;            // a segment is a row of the kernel, else a tap
  int64_t segment_block, run_block;
  int64_t table_bytes, patch_floats, slot_bytes;

  explicit NhwcPlan(const Conv& c) : ConvBlocks(c, kBlockPixels, kBlockCols, 64) {
    const Window& w = c.window;
    const int last = w.rank() - 1;
    const int64_t taps = w.taps(), cg = c.group_channels();
    by_row = c.groups == 1 && w.kernel[last] > 1 && w.dilation[last] == 1 && cg < kFewChannels;
    segments = by_row ? taps / w.kernel[last] : taps;
    run = by_row ? w.kernel[last] * cg : cg;
    run_block = std::min(kBlockK, std::max<int64_t>(run, 1));
    const int64_t most = std::max<int64_t>(1, kBlockK / std::max<int64_t>(run, 1));
    const int64_t passes = (segments + most - 1) / most;
    segment_block = (segments + passes - 1) / std::max<int64_t>(passes, 1);
    table_bytes = segments * block * static_cast<int64_t>(sizeof(const float*));
    patch_floats = by_row ? segments * block * run : 0;
    slot_bytes = (table_bytes + patch_floats * 4 + 63) / 64 * 64;
  }
};

// Finds the input of every segment of the task's pixels: table[segment][pixel].
class Locator {
 public:
  Locator(const Conv& c, const NhwcPlan& p, const float* zeros)
      : c_(c),
        p_(p),
        zeros_(zeros),
        strides_(c.window.in.strides()),
        kernel_rows_(c.window.taps() / c.window.kernel.back()) {}

  void fill(const ConvTask& t, const float** table, float* patches) const {
    const float* x = c_.x + t.image * c_.channels * c_.window.in.size() + t.group * c_.group_channels();
    const int64_t n = t.pixel1 - t.pixel0, rows = (n + kGemmRows - 1) / kGemmRows * kGemmRows;
    Odometer pixel(c_.window.out, t.pixel0);
    for (int64_t i = 0; i < n; ++i, pixel.next()) {
      if (p_.by_row) {
        rows_of(x, pixel, table + i, patches + i * p_.segments * p_.run);
      } else {
        taps_of(x, pixel, table + i);
      }
    }
    for (int64_t i = n; i < rows; ++i) {
      for (int64_t s = 0; s < p_.segments; ++s) table[s * p_.block + i] = zeros_;
    }
  }

 private:
  // Offset in pixels of the kernel's row number `outer`, or -1.
  int64_t row_offset(const Odometer& pixel, int64_t outer) const {
    const Window& w = c_.window;
    int64_t row = 0;
    for (int d = w.rank() - 2; d >= 0; --d) {
      int64_t tap = outer;
      if (d > 0) {  // divisions are slow
        tap = outer % w.kernel[d];
        outer /= w.kernel[d];
      }
      const int64_t at = pixel[d] * w.stride[d] - w.pad[d] + tap * w.dilation[d];
      if (at < 0 || at >= w.in[d]) return -1;
      row += at * strides_[d];
    }
    return row;
  }

  void taps_of(const float* x, const Odometer& pixel, const float** out) const {
    const Window& w = c_.window;
    const int last = w.rank() - 1;
    const int64_t inner = w.kernel[last], begin = pixel[last] * w.stride[last] - w.pad[last];
    for (int64_t o = 0; o < kernel_rows_; ++o) {
      const int64_t row = row_offset(pixel, o);
      int64_t column = begin;
      for (int64_t i = 0; i < inner; ++i, column += w.dilation[last], out += p_.block) {
        const bool inside = row >= 0 && column >= 0 && column < w.in[last];
        *out = inside ? x + static_cast<ptrdiff_t>((row + column) * c_.channels) : zeros_;
      }
    }
  }

  void rows_of(const float* x, const Odometer& pixel, const float** out, float* patch) const {
    const Window& w = c_.window;
    const int last = w.rank() - 1;
    const int64_t begin = pixel[last] * w.stride[last] - w.pad[last], end = begin + w.kernel[last];
    const int64_t first = std::clamp<int64_t>(begin, 0, w.in[last]), stop = std::clamp<int64_t>(end, first, w.in[last]);
    for (int64_t s = 0; s < p_.segments; ++s, out += p_.block, patch += p_.run) {
      const int64_t row = row_offset(pixel, s);
      if (row < 0) {
        *out = zeros_;
      } else if (first == begin && stop == end) {
        *out = x + static_cast<ptrdiff_t>((row + begin) * c_.channels);
      } else {
        std::fill_n(patch, p_.run, 0.0f);
        std::copy_n(x + (row + first) * c_.channels, (stop - first) * c_.channels,
                    patch + (first - begin) * c_.channels);
        *out = patch;
      }
    }
  }

  const Conv& c_;
  const NhwcPlan& p_;
  const float* zeros_;
  Shape strides_;
  int64_t kernel_rows_;
};

// Whole tiles of some of `n` rows, down kPanels panels that lie k rows apart. Gives the number of rows done.
template <class F, int kPanels>
int64_t whole_tiles(tile::Runs runs, const float* panel, int64_t k, int64_t n, const tile::Finish& f) {
  tile::FinishDown<F, kPanels> finish(f);
  for (int64_t i = n / kGemmRows; i > 0; --i, runs.table += kGemmRows) {
    auto acc =
        tile::multiply_runs<F, kGemmRows, kPanels>(runs, panel, kGemmCols, static_cast<ptrdiff_t>(k) * kGemmCols);
    finish.next(acc.v);
  }
  return n / kGemmRows * kGemmRows;
}

template <class F>
void run_task(const Conv& c, const NhwcPlan& p, const ConvTask& t, const float* const* table) {
  const int64_t k = p.segments * p.run, n = t.pixel1 - t.pixel0;
  const float* weights = c.weights + t.group * packed_b_size(k, c.group_out());
  const int64_t channel = t.group * c.group_out();
  const int64_t corner = (t.image * p.pixels + t.pixel0) * c.out_channels + channel;
  for (int64_t s0 = 0; s0 == 0 || s0 < p.segments; s0 += p.segment_block) {
    const int64_t segments = std::min(p.segment_block, p.segments - s0);
    for (int64_t r0 = 0; r0 == 0 || r0 < p.run; r0 += p.run_block) {
      const int64_t run = std::min(p.run_block, p.run - r0);
      const bool last = s0 + segments >= p.segments && r0 + run >= p.run;
      const tile::Runs runs{table + s0 * p.block, p.block, segments, r0, run, p.run * kGemmCols};
      const auto panel = [&](int64_t j) { return weights + j * k + (s0 * p.run + r0) * kGemmCols; };
      const auto finish_at = [&](int64_t j) {
        const float* bias = c.epilogue.bias ? c.epilogue.bias + channel + j : nullptr;
        tile::Finish f(c.epilogue, c.y, corner + j, bias, s0 == 0 && r0 == 0, last);
        f.row_stride = c.out_channels;
        return f;
      };
      int64_t j = t.col0;
      const auto whole = [&]<int kPanels>() { return whole_tiles<F, kPanels>(runs, panel(j), k, n, finish_at(j)); };
      const auto rest_of_panel = [&](int64_t first) {
        const int cols = static_cast<int>(std::min<int64_t>(kGemmCols, t.col1 - j));
        tile::Finish f = finish_at(j);
        f.move_down(first);
        tile::Runs rest = runs;
        rest.table += first;
        for (int64_t i = first; i < n; i += kGemmRows, rest.table += kGemmRows, f.move_down(kGemmRows)) {
          tile::finish(tile::multiply_runs<F, kGemmRows>(rest, panel(j), kGemmCols),
                       static_cast<int>(std::min<int64_t>(kGemmRows, n - i)), cols, f);
        }
      };
      const auto side_by_side = [&]<int kPanels>() {
        while (j + kPanels * kGemmCols <= t.col1) {
          const int64_t done = whole.template operator()<kPanels>();
          for (int q = 0; q < kPanels; ++q, j += kGemmCols) rest_of_panel(done);
        }
      };
      if constexpr (tile::kMostPanels<F> > 1) {
        side_by_side.template operator()<3>();
        side_by_side.template operator()<2>();
      }
      for (; j < t.col1; j += kGemmCols) {
        rest_of_panel(j + kGemmCols <= t.col1 ? whole.template operator()<1>() : 0);
      }
    }
  }
}

// The images of a batch follow each other: one product for all. Groups would leave gaps between rows of results.
bool one_product(const Conv& c) { return c.groups == 1 && c.pointwise(); }

Gemm pointwise_gemm(const Conv& c) {
  Gemm g;
  g.m = c.batch * c.window.pixels();
  g.n = c.out_channels;
  g.k = c.channels;
  g.a = {c.x, c.channels, 1};
  g.packed_b = c.weights;
  g.c = c.y;
  g.c_row_stride = c.out_channels;
  g.epilogue = c.epilogue;
  return g;
}

}  // namespace

void pack_conv_weights_nhwc(const float* w, int64_t out_channels, int64_t group_channels, int64_t taps, int64_t groups,
                            float* out) {
  const int64_t mg = out_channels / groups, k = group_channels * taps, panels = (mg + kGemmCols - 1) / kGemmCols;
  parallel_for(groups * panels, grain_for(k * kGemmCols * 2), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t g = i / panels, j0 = i % panels * kGemmCols;
      float* panel = out + g * packed_b_size(k, mg) + j0 * k;
      for (int64_t t = 0; t < taps; ++t) {
        for (int64_t ch = 0; ch < group_channels; ++ch, panel += kGemmCols) {
          for (int64_t j = 0; j < kGemmCols; ++j) {
            panel[j] = j0 + j < mg ? w[((g * mg + j0 + j) * group_channels + ch) * taps + t] : 0.0f;
          }
        }
      }
    }
  });
}

int64_t conv_nhwc_scratch(const Conv& c) {
  if (one_product(c)) return gemm_scratch(pointwise_gemm(c));
  return NhwcPlan(c).slot_bytes / 4 * Slots::count() + c.group_channels() * c.window.taps();
}

const char* conv_nhwc(const Conv& c, float* scratch) {
  if (c.batch == 0 || c.out_channels == 0 || c.window.pixels() == 0) return "conv_f32_nhwc";
  if (one_product(c)) {
    gemm(pointwise_gemm(c), scratch);
    return "conv_f32_nhwc_pointwise_4x8";
  }
  const NhwcPlan p(c);
  float* zeros = scratch + p.slot_bytes / 4 * Slots::count();
  std::fill_n(zeros, p.run, 0.0f);
  const Locator locator(c, p, zeros);
  Slots slots(scratch, static_cast<size_t>(p.slot_bytes));
  p.for_each(c, slots, [&](const ConvTask& t, char* slot) {
    const float** table = reinterpret_cast<const float**>(slot);
    locator.fill(t, table, reinterpret_cast<float*>(slot + p.table_bytes));
    run_task<F32>(c, p, t, table);
  });
  return "conv_f32_nhwc_4x8";
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
