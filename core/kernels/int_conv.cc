// Convolution of 8-bit integers: a strip of four output pixels reads its input rows through pointers, as conv_nhwc.cc
// does in float, whatever the layout: the input of the other one is copied to have its channels innermost.
#include "kernels/int_source.h"
#include "kernels/slots.h"

namespace onnxlet {
namespace {

using int_tile::Columns;
using int_tile::I32x4;
using int_tile::kCols;
using int_tile::kHalves;
using int_tile::kRows;
using int_tile::RowTerms;
using int_tile::Source;
using simd::F32x4;

constexpr int64_t kBlockPixels = 64, kBlockCols = 256;  // of one task

// The input of a block of pixels: runs of `run` elements, those of run s at table[s * block + pixel].
template <class Format>
struct Runs {
  const typename Format::Element* const* table;
  ptrdiff_t block, segments, run;
};

template <class Format>
inline void multiply(const Runs<Format>& runs, const uint8_t* b, const int32_t* start, I32x4 (&sums)[kRows][kHalves]) {
  using Element = typename Format::Element;
  constexpr ptrdiff_t kStep = kCols * Format::kGroup;
  I32x4 acc[kRows][kHalves];
  for (auto& row : acc) {
    for (int h = 0; h < kHalves; ++h) row[h] = int_dot::load_ints(start + 4 * h);
  }
  const Element* const* table = runs.table;
#pragma GCC unroll 1
  for (ptrdiff_t s = runs.segments; s > 0; --s, table += runs.block) {
    const Element* a[kRows];
    for (int r = 0; r < kRows; ++r) a[r] = table[r];
    const Element* const end = a[0] + runs.run;
#pragma GCC unroll 1
    for (; a[0] != end; b += kStep) {
      int_dot::U8x16 bv[kHalves];
      for (int h = 0; h < kHalves; ++h) bv[h] = Format::load_b(b + h * (kStep / kHalves));
      for (int r = 0; r < kRows; ++r) {
        const int_dot::U8x16 av = Format::splat_a(a[r]);
        a[r] += Format::kGroup;
        for (int h = 0; h < kHalves; ++h) acc[r][h] = Format::add(av, bv[h], acc[r][h]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) std::copy_n(acc[r], kHalves, sums[r]);
}

template <class Format>
struct Plan {
  Source<Format> source;
  bool pointwise, by_row;  // a run is a row of the kernel, else a tap
  int64_t pixels, k, segments, run, block, blocks, block_cols, col_blocks, slot_bytes;

  explicit Plan(const IntConv& c) : source(c, c.groups, Format::kGroup) {
    const Window& w = c.window;
    const int last = w.rank() - 1;
    const int64_t mg = c.out_channels / c.groups, taps = w.taps();
    pixels = w.pixels();
    pointwise = taps == 1 && w.in == w.out && w.stride.size() == 1 && !source.left && pads(w) == 0;
    by_row = source.copied && c.groups == 1 && w.dilation[last] == 1;
    segments = by_row ? taps / w.kernel[last] : taps;
    run = by_row ? w.kernel[last] * source.channels : source.channels;
    k = segments * run;
    block = std::min(kBlockPixels, (std::max<int64_t>(pixels, 1) + kRows - 1) / kRows * kRows);
    blocks = (pixels + block - 1) / block;
    block_cols = std::min(kBlockCols, (mg + kCols - 1) / kCols * kCols);
    while (block_cols >= 128 && c.batch * c.groups * blocks * ((mg + block_cols - 1) / block_cols) < 16) {
      block_cols = (block_cols / 2 + kCols - 1) / kCols * kCols;
    }
    col_blocks = (mg + block_cols - 1) / std::max<int64_t>(block_cols, 1);
    slot_bytes =
        (segments * block * static_cast<int64_t>(sizeof(void*)) + block * static_cast<int64_t>(sizeof(RowTerms)) + 63) /
        64 * 64;
  }
  static int64_t pads(const Window& w) {
    int64_t sum = 0;
    for (int i = 0; i < w.rank(); ++i) sum += std::abs(w.pad[i]);
    return sum;
  }
  // What rows outside the input are, and the panel of ones that sums rows.
  int64_t zeros_bytes() const { return (run * static_cast<int64_t>(sizeof(typename Format::Element)) + 63) / 64 * 64; }
  int64_t ones_bytes() const { return (k * kCols + 63) / 64 * 64; }
};

struct Task {
  int64_t image, group, pixel, pixels, col, cols;
};

template <class Format>
class Convolution {
 public:
  using Element = typename Format::Element;

  Convolution(const IntConv& c, Plan<Format>& p, void* scratch) : c_(c), p_(p) {
    char* at = static_cast<char*>(scratch);
    p.source.make(at);
    at += p_.source.bytes();
    Element* zeros = reinterpret_cast<Element*>(at);
    std::fill_n(zeros, p_.run, p_.source.padding);
    zeros_ = zeros;
    at += p_.zeros_bytes();
    ones_ = reinterpret_cast<uint8_t*>(at);
    for (int64_t j = 0; j < c.out_channels; ++j) has_zero_ = has_zero_ || c.w_zero.at(j, 0) != shift();
    for (int64_t i = 0; has_zero_ && i < p_.k * kCols; ++i) {
      const int64_t row = i / (kCols * Format::kGroup) * Format::kGroup + i % Format::kGroup;
      ones_[i] = row % p_.source.channels < p_.source.given ? 1 : 0;
    }
    out_ = c.out;
    out_.row_stride = c.channels_last ? c.out_channels : 1;
    out_.col_stride = c.channels_last ? 1 : p_.pixels;
  }

  void run(const Task& t, char* slot) const {
    const Element** table = reinterpret_cast<const Element**>(slot);
    auto* terms = reinterpret_cast<RowTerms*>(slot + p_.segments * p_.block * static_cast<int64_t>(sizeof(void*)));
    locate(t, table);
    std::fill_n(terms, p_.block, RowTerms{p_.source.recode.left, 0, 1});
    if (has_zero_) sum_rows(t, table, terms);
    const int64_t mg = c_.out_channels / c_.groups, first = t.group * mg;
    const IntOutput out = output(t.image, first);
    const uint8_t* weights = c_.weights + t.group * packed_int_b_size(p_.k, mg, c_.kernel);
    PerAxis<int32_t> zero = c_.w_zero;
    if (zero.data) zero.data += first * zero.stride;
    const bool bytes = out.kind == IntOutput::kInt8 || out.kind == IntOutput::kUint8;
    const int_tile::ToBytes to_bytes(out);
    for (int64_t j = t.col; j < t.col + t.cols; j += kCols) {
      const uint8_t* panel = weights + j / kCols * int_tile::panel_bytes<Format>(p_.k);
      const int cols = static_cast<int>(std::min<int64_t>(kCols, mg - j));
      Columns columns(out, zero, shift(), panel + p_.k * kCols, j, cols);
      columns.fold(p_.source.recode.left);
      int32_t start[kCols];
      std::copy_n(columns.bias, kCols, start);
      std::fill_n(columns.bias, kCols, 0);
      const bool fast = bytes && cols == kCols && out.col_stride == 1 && !columns.has_zero;
      char* to = static_cast<char*>(out.data) + t.pixel * out.row_stride + j;
      const F32x4 scale[kHalves] = {F32x4::load(columns.scale), F32x4::load(columns.scale + 4)};
      for (int64_t i = 0; i < t.pixels; i += kRows) {
        I32x4 sums[kRows][kHalves];
        multiply<Format>(runs(table + i), panel, start, sums);
        const int rows = static_cast<int>(std::min<int64_t>(kRows, t.pixels - i));
        if (!fast || rows < kRows) {
          put(out, columns, terms + i, sums, rows, t.pixel + i, j, cols);
          continue;
        }
        for (int r = 0; r < kRows; r += 2) {
          for (int q = r; q < r + 2; ++q) {
            for (int h = 0; h < kHalves; ++h) sums[q][h] = to_bytes.round(sums[q][h], scale[h]);
          }
          const int_dot::U8x16 two = to_bytes.narrow(sums[r][0], sums[r][1], sums[r + 1][0], sums[r + 1][1]);
          char* row = to + (i + r) * out.row_stride;
          std::memcpy(row, &two, kCols);
          std::memcpy(row + out.row_stride, reinterpret_cast<const char*>(&two) + kCols, kCols);
        }
      }
    }
  }

 private:
  int32_t shift() const { return int_tile::shift_of(c_.w_signed); }
  Runs<Format> runs(const Element* const* table) const {
    return {table, static_cast<ptrdiff_t>(p_.block), static_cast<ptrdiff_t>(p_.segments),
            static_cast<ptrdiff_t>(p_.run)};
  }
  // Of one image and group: rows are pixels, columns its channels.
  IntOutput output(int64_t image, int64_t channel) const {
    IntOutput o = out_;
    const int64_t size = o.kind == IntOutput::kInt32 || o.kind == IntOutput::kFloat ? 4 : 1;
    o.data = static_cast<char*>(o.data) + (image * c_.out_channels * p_.pixels + channel * o.col_stride) * size;
    if (o.bias) o.bias += channel;
    if (o.float_bias) o.float_bias += channel;
    if (o.col_scale.data) o.col_scale.data += channel * o.col_scale.stride;
    return o;
  }

  void locate(const Task& t, const Element** table) const {
    const Source<Format>& s = p_.source;
    const auto pixel_step = static_cast<ptrdiff_t>(s.pixel());
    const Element* x = s.data + t.image * s.rows * s.columns * s.pixel() + t.group * s.channels;
    if (p_.pointwise) {
      for (int64_t i = 0; i < t.pixels; ++i) table[i] = x + (t.pixel + i) * pixel_step;
    } else {
      const Window& w = c_.window;
      const int last = w.rank() - 1;
      const int64_t taps = p_.by_row ? 1 : w.kernel[last], lines = p_.segments / taps;
      Odometer pixel(w.out, t.pixel);
      for (int64_t i = 0; i < t.pixels; ++i, pixel.next()) {
        const int64_t begin = pixel[last] * w.stride[last] - w.pad[last] + s.left;
        const Element** out = table + i;
        for (int64_t line = 0; line < lines; ++line) {
          const int64_t row = int_tile::kernel_row(w, pixel, line);
          int64_t column = begin;
          for (int64_t tap = 0; tap < taps; ++tap, column += w.dilation[last], out += p_.block) {
            const bool inside = row >= 0 && column >= 0 && column < s.columns;
            *out = inside ? x + static_cast<ptrdiff_t>(row * s.columns + column) * pixel_step : zeros_;
          }
        }
      }
    }
    for (int64_t i = t.pixels; i % kRows != 0; ++i) {
      for (int64_t line = 0; line < p_.segments; ++line) table[line * p_.block + i] = zeros_;
    }
  }

  void sum_rows(const Task& t, const Element* const* table, RowTerms* terms) const {
    constexpr int32_t kNothing[kCols] = {};
    const int64_t count = p_.source.given * c_.window.taps();
    for (int64_t i = 0; i < t.pixels; i += kRows) {
      I32x4 sums[kRows][kHalves];
      multiply<Format>(runs(table + i), ones_, kNothing, sums);
      for (int r = 0; r < kRows; ++r) {
        terms[i + r].sum = int_tile::minus_product(sums[r][0].v[0], static_cast<int32_t>(count), p_.source.recode.left);
      }
    }
  }

  const IntConv& c_;
  const Plan<Format>& p_;
  const Element* zeros_;
  uint8_t* ones_;
  bool has_zero_ = false;
  IntOutput out_;
};

template <class Format>
void run_all(const IntConv& c, void* scratch) {
  Plan<Format> p(c);
  const Convolution<Format> convolution(c, p, scratch);
  Slots slots(static_cast<char*>(scratch) + p.source.bytes() + p.zeros_bytes() + p.ones_bytes(),
              static_cast<size_t>(p.slot_bytes));
  const int64_t inner = p.blocks * p.col_blocks, mg = c.out_channels / c.groups;
  parallel_for(c.batch * c.groups * inner, grain_for(p.block * p.block_cols * std::max<int64_t>(p.k, 8) / 16),
               [&](int64_t begin, int64_t end) {
                 Slots::Claim claim(slots);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t outer = i / inner, pixel = i % inner / p.col_blocks * p.block,
                                 col = i % p.col_blocks * p.block_cols;
                   convolution.run({outer / c.groups, outer % c.groups, pixel, std::min(p.block, p.pixels - pixel), col,
                                    std::min(p.block_cols, mg - col)},
                                   claim.as<char>());
                 }
               });
}

// The channels of a tap are filled up to whole groups.
template <class Format>
int64_t padded(int64_t channels) {
  return int_tile::groups<Format>(channels) * Format::kGroup;
}

}  // namespace

int64_t packed_int_conv_size(const IntFilters& f, IntKernel kernel) {
  return int_tile::with_format(kernel, [&]<class Format>() {
    return f.groups * packed_int_b_size(padded<Format>(f.channels) * f.taps, f.out_channels / f.groups, kernel);
  });
}

void pack_int_conv_weights(const void* w, bool is_signed, const IntFilters& f, uint8_t* out, IntKernel kernel) {
  int_tile::with_format(kernel, [&]<class Format>() {
    const int64_t mg = f.out_channels / f.groups, run = padded<Format>(f.channels), filter = f.channels * f.taps;
    for (int64_t g = 0; g < f.groups; ++g) {
      const IntMatrix b{
          static_cast<const uint8_t*>(w) + g * mg * filter, is_signed, 1, filter, f.channels, f.taps, run};
      pack_int_b(b, run * f.taps, mg, out + g * packed_int_b_size(run * f.taps, mg, kernel), kernel);
    }
  });
}

int64_t int_conv_scratch(const IntConv& c) {
  return int_tile::with_format(c.kernel, [&]<class Format>() {
    const Plan<Format> p(c);
    return p.source.bytes() + p.zeros_bytes() + p.ones_bytes() + p.slot_bytes * Slots::count();
  });
}

const char* int_conv(const IntConv& c, void* scratch) {
  int_tile::with_format(c.kernel, [&]<class Format>() { run_all<Format>(c, scratch); });
  return name_of(c.kernel);
}

}  // namespace onnxlet
