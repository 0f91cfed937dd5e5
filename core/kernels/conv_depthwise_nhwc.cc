// Depthwise convolution with channels innermost: vectors of channels, four output pixels of a row at a time, so that an
// input value is loaded once for all the taps and pixels that use it. Outside the input, pointers lead to zeros.
#include <algorithm>

#include "base/parallel.h"
#include "base/trim.h"
#include "kernels/conv.h"
#include "kernels/slots.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using F = simd::F32;

constexpr int kStripPixels = 4;

// A strip of output pixels next to each other in a row, and its input: `columns` pixels of each kernel row. Where all
// columns of all rows are inside the input or all of a row outside, `rows` and `steps` say where they are; everywhere,
// the table [kernel row][column] does.
struct Strip {
  const float* const* table;
  const float* const* rows;
  const ptrdiff_t* steps;
  ptrdiff_t kernel_rows, kernel_columns, columns, stride, dilation;
  const float* weights;  // [tap][channel]
  const float* bias;     // or null
  float* y;
  const float* residual;  // laid out as y, or null
  int pixels;             // of this strip, at most kStripPixels
  ptrdiff_t channels;
  float lo, hi;
  bool regular, needs_table, clamp;
};

inline F finish(const Strip& s, F value, ptrdiff_t at) {
  if (s.residual) value = value + F::load(s.residual + at);
  return s.clamp ? tile::clamp(value, F::splat(s.lo), F::splat(s.hi)) : value;
}

// kSize x kSize taps, four channels from c on.
template <int kSize, int kStride, bool kRegular>
inline void vector_of(const Strip& s, ptrdiff_t c) {
  constexpr int kColumns = (kStripPixels - 1) * kStride + kSize;
  F acc[kStripPixels];
  const F bias = s.bias ? F::load(s.bias + c) : F::splat(0);
  for (int p = 0; p < kStripPixels; ++p) acc[p] = bias;
  const float* weights = s.weights + c;
  // A loop on purpose: an engine that sees all rows at once loads all their operands first, more than it has registers.
#pragma GCC unroll 1
  for (int i = 0; i < kSize; ++i) {
    F w[kSize];
    for (int j = 0; j < kSize; ++j, weights += s.channels) w[j] = F::load(weights);
    const auto input = [&](int j) {
      if constexpr (kRegular) {
        return s.rows[i] + c + j * s.steps[i];
      } else {
        return s.table[i * kColumns + j] + c;
      }
    };
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
      const F value = F::load(input(j));
#pragma GCC unroll 4
      for (int p = 0; p < kStripPixels; ++p) {
        const int tap = j - p * kStride;
        if (tap >= 0 && tap < kSize) acc[p] = madd(w[tap], value, acc[p]);
      }
    }
  }
  float* const y = s.y + c;
  const ptrdiff_t step = s.channels;
  if (s.pixels == kStripPixels) {
    // First what changes the values, then the stores, so that nothing is read again in between.
    if (s.residual || s.clamp) {
      for (int p = 0; p < kStripPixels; ++p) acc[p] = finish(s, acc[p], c + p * step);
    }
    for (int p = 0; p < kStripPixels; ++p) acc[p].store(y + p * step);
    return;
  }
  finish(s, acc[0], c).store(y);
  if (s.pixels > 1) finish(s, acc[1], c + step).store(y + step);
  if (s.pixels > 2) finish(s, acc[2], c + 2 * step).store(y + 2 * step);
}

// Any taps, one pixel, `lanes` channels from c on.
inline void pixel_of(const Strip& s, int pixel, ptrdiff_t c, int lanes) {
  const auto fetch = [&](const float* p) { return lanes == F::kLanes ? F::load(p + c) : F::load_n(p + c, lanes); };
  F acc = s.bias ? fetch(s.bias) : F::splat(0);
  const float* weights = s.weights;
  const float* const* taps = s.table + pixel * s.stride;
  for (ptrdiff_t i = 0; i < s.kernel_rows; ++i, taps += s.columns) {
#pragma GCC unroll 1
    for (ptrdiff_t j = 0; j < s.kernel_columns; ++j, weights += s.channels) {
      acc = madd(fetch(weights), fetch(taps[j * s.dilation]), acc);
    }
  }
  const ptrdiff_t row = pixel * s.channels;
  float* y = s.y + row + c;
  if (s.residual) acc = acc + fetch(s.residual + row);
  if (s.clamp) acc = tile::clamp(acc, F::splat(s.lo), F::splat(s.hi));
  lanes == F::kLanes ? acc.store(y) : acc.store_n(y, lanes);
}

template <int kSize, int kStride>
void strip(const Strip& given) {
  const Strip s = given;  // a copy that no store can change
  ptrdiff_t c = 0;
  if constexpr (kSize > 0) {
    if (kSize == 3 && s.regular) {
      for (; c + F::kLanes <= s.channels; c += F::kLanes) vector_of<kSize, kStride, true>(s, c);
    } else {
      for (; c + F::kLanes <= s.channels; c += F::kLanes) vector_of<kSize, kStride, false>(s, c);
    }
  }
  for (int p = 0; p < s.pixels; ++p) {
    for (ptrdiff_t at = c; at < s.channels; at += F::kLanes) {
      pixel_of(s, p, at, static_cast<int>(std::min<ptrdiff_t>(F::kLanes, s.channels - at)));
    }
  }
}

struct Variant {
  void (*run)(const Strip&);
  bool by_table;  // always
  const char* name;
};

Variant choose(const Window& w) {
  const int last = w.rank() - 1;
  const bool square = w.rank() == 2 && w.kernel[0] == w.kernel[1] && w.dilation[1] == 1;
  const int64_t size = square ? w.kernel[1] : 0, stride = w.stride[last];
  constexpr const char* kNames[] = {"conv_f32_depthwise_nhwc_3x3", "conv_f32_depthwise_nhwc_3x3s2",
                                    "conv_f32_depthwise_nhwc_5x5", "conv_f32_depthwise_nhwc_5x5s2"};
  if (trim::keeps_kernel(kNames[0]) && size == 3 && stride == 1) return {strip<3, 1>, false, kNames[0]};
  if (trim::keeps_kernel(kNames[1]) && size == 3 && stride == 2) return {strip<3, 2>, false, kNames[1]};
  if (trim::keeps_kernel(kNames[2]) && size == 5 && stride == 1) return {strip<5, 1>, true, kNames[2]};
  if (trim::keeps_kernel(kNames[3]) && size == 5 && stride == 2) return {strip<5, 2>, true, kNames[3]};
  return {strip<0, 1>, true, "conv_f32_depthwise_nhwc"};
}

// Where the input of an output row and of its strips is. The memory is the thread's slot.
class RowReader {
 public:
  RowReader(const Conv& c, const float* zeros, void* memory)
      : c_(c), w_(c.window), zeros_(zeros), strides_(w_.in.strides()) {
    kernel_rows_ = w_.taps() / w_.kernel[last()];
    rows_ = static_cast<const float**>(memory);
    at_ = rows_ + kernel_rows_;
    table_ = at_ + kernel_rows_;
    steps_ = reinterpret_cast<ptrdiff_t*>(table_ + kernel_rows_ * columns(w_));
  }
  static int64_t columns(const Window& w) {
    const int last = w.rank() - 1;
    return (kStripPixels - 1) * w.stride[last] + (w.kernel[last] - 1) * w.dilation[last] + 1;
  }
  static int64_t bytes(const Window& w) {
    const int64_t rows = w.taps() / w.kernel[w.rank() - 1];
    return (rows * (3 + columns(w)) * static_cast<int64_t>(sizeof(const float*)) + 63) / 64 * 64;
  }

  void row(int64_t image, int64_t out_row) {
    for (int64_t k = 0; k < kernel_rows_; ++k) {
      int64_t at = 0, o = out_row, tap = k;
      bool inside = true;
      for (int d = last() - 1; d >= 0; --d) {
        const int64_t i = o % w_.out[d] * w_.stride[d] - w_.pad[d] + tap % w_.kernel[d] * w_.dilation[d];
        o /= w_.out[d];
        tap /= w_.kernel[d];
        inside = inside && i >= 0 && i < w_.in[d];
        at += i * strides_[d];
      }
      rows_[k] = inside ? c_.x + (image * w_.in.size() + at) * c_.channels : nullptr;
      steps_[k] = inside ? static_cast<ptrdiff_t>(c_.channels) : 0;
    }
  }

  void strip(int64_t ow, Strip* s) const {
    const int64_t first = ow * w_.stride[last()] - w_.pad[last()], columns_here = columns(w_), width = w_.in[last()];
    s->pixels = static_cast<int>(std::min<int64_t>(kStripPixels, w_.out[last()] - ow));
    s->regular = first >= 0 && first + columns_here <= width;
    s->columns = static_cast<ptrdiff_t>(columns_here);
    s->table = table_;
    s->rows = at_;
    s->steps = steps_;
    for (int64_t k = 0; k < kernel_rows_; ++k) {
      at_[k] = rows_[k] ? rows_[k] + static_cast<ptrdiff_t>(first * c_.channels) : zeros_;
    }
    if (s->regular && !s->needs_table) return;
    for (int64_t k = 0; k < kernel_rows_; ++k) {
      for (int64_t j = 0; j < columns_here; ++j) {
        const bool inside = rows_[k] != nullptr && first + j >= 0 && first + j < width;
        table_[k * columns_here + j] = inside ? rows_[k] + static_cast<ptrdiff_t>((first + j) * c_.channels) : zeros_;
      }
    }
  }

 private:
  int last() const { return w_.rank() - 1; }
  const Conv& c_;
  const Window& w_;
  const float* zeros_;
  Shape strides_;
  int64_t kernel_rows_;
  const float **rows_, **at_, **table_;
  ptrdiff_t* steps_;
};

}  // namespace

void pack_conv_depthwise_weights_nhwc(const float* w, int64_t channels, int64_t taps, float* out) {
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t t = 0; t < taps; ++t) out[t * channels + c] = w[c * taps + t];
  }
}

int64_t conv_depthwise_nhwc_scratch(const Conv& c) {
  return RowReader::bytes(c.window) / 4 * Slots::count() + c.channels;
}

const char* conv_depthwise_nhwc(const Conv& c, float* scratch) {
  const Window& w = c.window;
  const Variant variant = choose(w);
  if (c.batch == 0 || w.pixels() == 0) return variant.name;
  const int last = w.rank() - 1;
  const int64_t width = w.out[last], out_rows = w.pixels() / width, slot = RowReader::bytes(w);
  float* zeros = scratch + slot / 4 * Slots::count();
  std::fill_n(zeros, c.channels, 0.0f);
  Slots slots(scratch, static_cast<size_t>(slot));
  parallel_for(c.batch * out_rows, grain_for(width * c.channels * w.taps() / 4), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    RowReader reader(c, zeros, claim.as<void>());
    Strip s{};
    s.kernel_rows = static_cast<ptrdiff_t>(w.taps() / w.kernel[last]);
    s.kernel_columns = static_cast<ptrdiff_t>(w.kernel[last]);
    s.stride = static_cast<ptrdiff_t>(w.stride[last]);
    s.dilation = static_cast<ptrdiff_t>(w.dilation[last]);
    s.weights = c.weights;
    s.bias = c.epilogue.bias;
    s.channels = static_cast<ptrdiff_t>(c.channels);
    s.lo = c.epilogue.lo;
    s.hi = c.epilogue.hi;
    s.needs_table = variant.by_table || c.channels % F::kLanes != 0;
    s.clamp = c.epilogue.clamps();
    for (int64_t task = begin; task < end; ++task) {
      reader.row(task / out_rows, task % out_rows);
      for (int64_t ow = 0; ow < width; ow += kStripPixels) {
        reader.strip(ow, &s);
        const int64_t offset = (task * width + ow) * c.channels;
        s.y = c.y + offset;
        s.residual = c.epilogue.residual ? c.epilogue.residual + offset : nullptr;
        variant.run(s);
      }
    }
  });
  return variant.name;
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
