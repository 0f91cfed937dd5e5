// Convolution of 8-bit integers: a strip of four output pixels reads its input rows through pointers, as conv_nhwc.cc
// does in float, whatever the layout: the input of the other one is copied to have its channels innermost.
#include "base/parallel.h"
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
using simd::F32x4;

constexpr int64_t kBlockPixels = 64, kBlockCols = 256;  // of one task

// The input of a block of pixels: runs of `run` bytes, those of run s at table[s * block + pixel].
struct Runs {
  const uint8_t* const* table;
  ptrdiff_t block, segments, run;
};

template <class Format>
inline void multiply(const Runs& runs, const uint8_t* b, const int32_t* start, I32x4 (&sums)[kRows][kHalves]) {
  constexpr ptrdiff_t kStep = kCols * Format::kGroup;
  I32x4 acc[kRows][kHalves];
  for (auto& row : acc) {
    for (int h = 0; h < kHalves; ++h) row[h] = int_dot::load_ints(start + 4 * h);
  }
  const uint8_t* const* table = runs.table;
#pragma GCC unroll 1
  for (ptrdiff_t s = runs.segments; s > 0; --s, table += runs.block) {
    const uint8_t* a[kRows];
    for (int r = 0; r < kRows; ++r) a[r] = table[r];
    const uint8_t* const end = a[0] + runs.run;
#pragma GCC unroll 1
    for (; a[0] != end; b += kStep) {
      int_dot::U8x16 bv[kHalves];
      for (int h = 0; h < kHalves; ++h) bv[h] = Format::load_b(b + h * (kStep / kHalves));
      for (int r = 0; r < kRows; ++r) {
        const int_dot::U8x16 av = int_dot::splat_quad(a[r]);
        a[r] += 4;
        for (int h = 0; h < kHalves; ++h) acc[r][h] = Format::add(av, bv[h], acc[r][h]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) std::copy_n(acc[r], kHalves, sums[r]);
}

struct Task {
  int64_t image, group, pixel, pixels, col, cols;
};

class Convolution {
 public:
  explicit Convolution(const IntConv& c)
      : c_(c),
        source_(c, c.groups, group_of(c.kernel), 4 / group_of(c.kernel), recode_of(c)),
        mg_(c.out_channels / c.groups) {
    const Window& w = c.window;
    const int last = w.rank() - 1;
    const int64_t taps = w.taps();
    pixels_ = w.pixels();
    bool padded = false;
    for (const int64_t p : w.pad) padded = padded || p != 0;
    pointwise_ = taps == 1 && w.in == w.out && w.stride.size() == 1 && !padded;
    by_row_ = source_.copied && c.groups == 1 && w.dilation[last] == 1;
    segments_ = by_row_ ? taps / w.kernel[last] : taps;
    run_ = (by_row_ ? w.kernel[last] : 1) * source_.channels;
    k_ = segments_ * run_;
    block_ = std::min(kBlockPixels, (std::max<int64_t>(pixels_, 1) + kRows - 1) / kRows * kRows);
    blocks_ = (pixels_ + block_ - 1) / block_;
    block_cols_ = std::min(kBlockCols, (mg_ + kCols - 1) / kCols * kCols);
    while (block_cols_ >= 128 && c.batch * c.groups * blocks_ * ((mg_ + block_cols_ - 1) / block_cols_) < 16) {
      block_cols_ = (block_cols_ / 2 + kCols - 1) / kCols * kCols;
    }
    table_bytes_ = segments_ * block_ * static_cast<int64_t>(sizeof(void*));
    slot_bytes_ = (table_bytes_ + block_ * static_cast<int64_t>(sizeof(RowTerms)) + 63) / 64 * 64;
    out_ = c.out;
    out_.row_stride = c.channels_last ? c.out_channels : 1;
    out_.col_stride = c.channels_last ? 1 : pixels_;
  }
  int64_t scratch() const { return source_.bytes() + zeros_bytes() + ones_bytes() + slot_bytes_ * Slots::count(); }

  void run(void* scratch) {
    uint8_t* at = static_cast<uint8_t*>(scratch);
    source_.make(at);
    zeros_ = at += source_.bytes();
    source_.pad(at, run_ * source_.element);
    ones_ = at += zeros_bytes();
    fill_ones(at);
    Slots slots(at + ones_bytes(), static_cast<size_t>(slot_bytes_));
    const int64_t col_blocks = (mg_ + block_cols_ - 1) / block_cols_, inner = blocks_ * col_blocks;
    parallel_for(c_.batch * c_.groups * inner, grain_for(block_ * block_cols_ * std::max<int64_t>(k_, 8) / 16),
                 [&](int64_t begin, int64_t end) {
                   Slots::Claim claim(slots);
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t outer = i / inner, pixel = i % inner / col_blocks * block_,
                                   col = i % col_blocks * block_cols_;
                     task({outer / c_.groups, outer % c_.groups, pixel, std::min(block_, pixels_ - pixel), col,
                           std::min(block_cols_, mg_ - col)},
                          claim.as<char>());
                   }
                 });
  }

 private:
  static int64_t group_of(IntKernel kernel) {
    return int_tile::with_format(kernel, []<class Format>() { return int64_t{Format::kGroup}; });
  }
  static int_tile::ARecode recode_of(const IntConv& c) {
    return int_tile::with_format(
        c.kernel, [&]<class Format>() { return Format::recode(c.x_signed, c.x_zero, int_tile::operand_of(c.kernel)); });
  }
  // What rows outside the input are, and the panel of ones that sums rows.
  int64_t zeros_bytes() const { return (run_ * source_.element + 63) / 64 * 64; }
  int64_t ones_bytes() const { return (k_ * kCols + 63) / 64 * 64; }
  int32_t shift() const { return int_tile::shift_of(c_.w_signed); }
  Runs runs(const uint8_t* const* table) const {
    return {table, static_cast<ptrdiff_t>(block_), static_cast<ptrdiff_t>(segments_),
            static_cast<ptrdiff_t>(run_ * source_.element)};
  }

  void fill_ones(uint8_t* to) {
    for (int64_t j = 0; j < c_.out_channels; ++j) has_zero_ = has_zero_ || c_.w_zero.at(j, 0) != shift();
    const int64_t group = group_of(c_.kernel);
    for (int64_t i = 0; has_zero_ && i < k_ * kCols; ++i) {
      const int64_t row = i / (kCols * group) * group + i % group;
      to[i] = row % source_.channels < source_.given ? 1 : 0;
    }
  }

  void locate(const Task& t, const uint8_t** table) const {
    const Window& w = c_.window;
    const int last = w.rank() - 1;
    const auto step = static_cast<ptrdiff_t>(source_.pixel);
    const int64_t offset = t.group * source_.channels * source_.element;
    if (pointwise_) {
      const uint8_t* x = source_.data + t.image * source_.image + offset + t.pixel * step;
      for (int64_t i = 0; i < t.pixels; ++i, x += step) table[i] = x;
    } else {
      const int64_t width = w.out[last], taps = by_row_ ? 1 : w.kernel[last];
      for (int64_t i = 0; i < t.pixels;) {
        const int64_t row = (t.pixel + i) / width, o = (t.pixel + i) % width, end = std::min(t.pixels, i + width - o);
        for (int64_t s = 0; s < segments_; ++s) {
          const uint8_t* line = source_.line(t.image, row, s / taps);
          int64_t column = o * w.stride[last] - w.pad[last] + source_.left + s % taps * w.dilation[last];
          for (int64_t at = i; at < end; ++at, column += w.stride[last]) {
            const bool inside = line != nullptr && column >= 0 && column < source_.columns;
            table[s * block_ + at] = inside ? line + offset + static_cast<ptrdiff_t>(column) * step : zeros_;
          }
        }
        i = end;
      }
    }
    for (int64_t i = t.pixels; i % kRows != 0; ++i) {
      for (int64_t s = 0; s < segments_; ++s) table[s * block_ + i] = zeros_;
    }
  }

  // Of one image and group: rows are pixels, columns its channels.
  IntOutput output(int64_t image, int64_t channel) const {
    IntOutput o = out_;
    const int64_t size = o.kind == IntOutput::kInt32 || o.kind == IntOutput::kFloat ? 4 : 1;
    o.data = static_cast<char*>(o.data) + (image * c_.out_channels * pixels_ + channel * o.col_stride) * size;
    if (o.bias) o.bias += channel;
    if (o.float_bias) o.float_bias += channel;
    if (o.col_scale.data) o.col_scale.data += channel * o.col_scale.stride;
    return o;
  }

  void task(const Task& t, char* slot) const {
    const uint8_t** table = reinterpret_cast<const uint8_t**>(slot);
    auto* terms = reinterpret_cast<RowTerms*>(slot + table_bytes_);
    locate(t, table);
    const RowTerms row{source_.recode.left, 0, 1};
    std::fill_n(terms, block_, row);
    const int64_t first = t.group * mg_;
    const IntOutput out = output(t.image, first);
    PerAxis<int32_t> zero = c_.w_zero;
    if (zero.data) zero.data += first * zero.stride;
    if (has_zero_) sum_rows(t, table, terms);
    const uint8_t* weights = c_.weights + t.group * packed_int_b_size(k_, mg_, c_.kernel);
    const int32_t* sums = c_.w_sums + t.group * int_b_sums_size(mg_);
    for (int64_t j = t.col; j < t.col + t.cols; j += kCols) {
      const uint8_t* panel = weights + j * k_;
      Columns columns(out, zero, shift(), sums + j, j, static_cast<int>(std::min<int64_t>(kCols, mg_ - j)));
      columns.fold(source_.recode.left);
      some_columns(t, table, terms, panel, out, &columns, j);
    }
  }

  void some_columns(const Task& t, const uint8_t* const* table, const RowTerms* terms, const uint8_t* panel,
                    const IntOutput& out, Columns* columns, int64_t j) const {
    int_tile::with_format(c_.kernel, [&]<class Format>() { tiles<Format>(t, table, terms, panel, out, columns, j); });
  }

  // The sums of A's rows, by way of a column of ones.
  void sum_rows(const Task& t, const uint8_t* const* table, RowTerms* terms) const {
    IntOutput out;
    out.data = &terms->sum;
    out.row_stride = sizeof(RowTerms) / sizeof(int32_t);
    constexpr int32_t kNoSums[kCols] = {};
    Columns columns(out, {}, 0, kNoSums, 0, 1);
    const int64_t count = source_.given * c_.window.taps();
    columns.fold(0);
    columns.bias[0] = int_tile::minus_product(0, static_cast<int32_t>(count), source_.recode.left);
    some_columns({0, 0, 0, t.pixels, 0, 1}, table, terms, ones_, out, &columns, 0);
  }

  // Of the task's pixels, the eight columns from j on, or as many as there are.
  template <class Format>
  [[gnu::noinline]] void tiles(const Task& t, const uint8_t* const* table, const RowTerms* terms, const uint8_t* panel,
                               const IntOutput& out, Columns* columns, int64_t j) const {
    const int cols = static_cast<int>(std::min<int64_t>(kCols, t.col + t.cols - j));
    const bool clamps = !columns->bounded(k_);
    int32_t start[kCols];
    std::copy_n(columns->bias, kCols, start);
    std::fill_n(columns->bias, kCols, 0);
    const bool bytes = out.kind == IntOutput::kInt8 || out.kind == IntOutput::kUint8;
    const bool fast = bytes && cols == kCols && out.col_stride == 1 && !columns->has_zero;
    const int_tile::ToBytes to_bytes(out);
    const auto step = static_cast<ptrdiff_t>(out.row_stride);
    char* to = static_cast<char*>(out.data) + t.pixel * out.row_stride + j;
    const F32x4 scale[kHalves] = {F32x4::load(columns->scale), F32x4::load(columns->scale + 4)};
    Runs at = runs(table);
    for (int64_t i = 0; i < t.pixels; i += kRows, at.table += kRows, to += kRows * step) {
      I32x4 sums[kRows][kHalves];
      multiply<Format>(at, panel, start, sums);
      const int rows = static_cast<int>(std::min<int64_t>(kRows, t.pixels - i));
      if (!fast || rows < kRows) {
        put(out, *columns, terms + i, sums, rows, t.pixel + i, j, cols);
        continue;
      }
      for (int r = 0; r < kRows; r += 2) {
        for (int q = r; q < r + 2; ++q) {
          for (int h = 0; h < kHalves; ++h) sums[q][h] = to_bytes.round(sums[q][h], scale[h], clamps);
        }
        const int_dot::U8x16 two = to_bytes.narrow(sums[r][0], sums[r][1], sums[r + 1][0], sums[r + 1][1]);
        std::memcpy(to + r * step, &two, kCols);
        std::memcpy(to + (r + 1) * step, reinterpret_cast<const char*>(&two) + kCols, kCols);
      }
    }
  }

  const IntConv& c_;
  int_tile::Source source_;
  int64_t mg_, pixels_, segments_, run_, k_;  // a run is a row of the kernel or a tap
  bool pointwise_, by_row_, has_zero_ = false;
  int64_t block_, blocks_, block_cols_, table_bytes_, slot_bytes_;
  IntOutput out_;
  const uint8_t *zeros_ = nullptr, *ones_ = nullptr;
};

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

int64_t int_conv_sums_size(const IntFilters& f) { return f.groups * int_b_sums_size(f.out_channels / f.groups); }

void pack_int_conv_weights(const void* w, bool is_signed, const IntFilters& f, uint8_t* out, int32_t* sums,
                           IntKernel kernel) {
  int_tile::with_format(kernel, [&]<class Format>() {
    const int64_t mg = f.out_channels / f.groups, run = padded<Format>(f.channels), filter = f.channels * f.taps;
    for (int64_t g = 0; g < f.groups; ++g) {
      const IntMatrix b{
          static_cast<const uint8_t*>(w) + g * mg * filter, is_signed, 1, filter, f.channels, f.taps, run};
      pack_int_b(b, run * f.taps, mg, out + g * packed_int_b_size(run * f.taps, mg, kernel),
                 sums + g * int_b_sums_size(mg), kernel);
    }
  });
}

int64_t int_conv_scratch(const IntConv& c) { return Convolution(c).scratch(); }

const char* int_conv(const IntConv& c, void* scratch) {
  Convolution(c).run(scratch);
  return name_of(c.kernel);
}

}  // namespace onnxlet
