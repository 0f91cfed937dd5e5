// Depthwise convolution, NCHW: one plane at a time, vectorised along the width. A band of input rows is copied into
// work memory with its padding, so that the inner loops have no borders.
#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/slots.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32x4;

// The window as two dimensions; a 1-D one gets a height of 1.
struct Plane {
  int64_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
  int64_t band;         // output rows per task
  int64_t rows, width;  // of the padded copy: a row is stride_w phases of `width` (column c in phase c % stride_w)
};

constexpr int64_t kBandRows = 16;

Plane make_plane(const Window& w) {
  auto dim = [&](const Shape& s, int axis, int64_t missing) {
    return w.rank() == 2 ? s[axis] : axis == 0 ? missing : s[0];
  };
  Plane p{dim(w.in, 0, 1),
          dim(w.in, 1, 1),
          dim(w.out, 0, 1),
          dim(w.out, 1, 1),
          dim(w.kernel, 0, 1),
          dim(w.kernel, 1, 1),
          dim(w.stride, 0, 1),
          dim(w.stride, 1, 1),
          dim(w.dilation, 0, 1),
          dim(w.dilation, 1, 1),
          dim(w.pad, 0, 0),
          dim(w.pad, 1, 0),
          0,
          0,
          0};
  p.band = std::min(kBandRows, p.out_h);
  p.rows = (p.band - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1;
  // The last vector of a row may begin at its last element.
  p.width = p.out_w + 3 + (p.kernel_w - 1) * p.dilation_w / p.stride_w;
  return p;
}

struct RowJob {
  const float* x;  // padded copy, at the first input row of this output row
  const float* weights;
  const int32_t* taps;  // offset of each tap in the copy
  ptrdiff_t tap_count;
  float* y;
  const float* residual;  // laid out as y; y itself where nothing is added
  ptrdiff_t out_w;
  ptrdiff_t row_step, phase_step;  // between kernel rows, and between phases
  float bias, lo, hi;
  bool add, clamp;
};

inline F32x4 finish(const RowJob& r, F32x4 value, F32x4 previous) {
  if (r.add) value = value + previous;
  return r.clamp ? tile::clamp(value, F32x4::splat(r.lo), F32x4::splat(r.hi)) : value;
}

// Only the last vector may be cut off by the row's end.
template <int kVectors>
inline void put(const RowJob& r, ptrdiff_t ow, const F32x4 (&acc)[kVectors]) {
  float* y = r.y + ow;
  const float* before = r.residual + ow;
  const ptrdiff_t left = r.out_w - ow - (kVectors - 1) * 4;
  for (size_t v = 0; v + 1 < kVectors; ++v) finish(r, acc[v], F32x4::load(before + v * 4)).store(y + v * 4);
  y += (kVectors - 1) * 4;
  before += (kVectors - 1) * 4;
  if (left >= 4) {
    finish(r, acc[kVectors - 1], F32x4::load(before)).store(y);
    return;
  }
  // Lanes by constant numbers: a lane chosen at run time goes through memory.
  F32x4 previous = F32x4::splat(0);
  if (r.add) previous = {F32x4::Raw{before[0], left > 1 ? before[1] : 0, left > 2 ? before[2] : 0, 0}};
  const F32x4 value = finish(r, acc[kVectors - 1], previous);
  y[0] = value[0];
  if (left > 1) y[1] = value[1];
  if (left > 2) y[2] = value[2];
}

// Square kernels of size kSize, stride kStride, no dilation: everything but the row's place is known here. Indices are
// unsigned, so that they become the constant offsets of loads.
template <size_t kSize, size_t kStride, int kVectors>
inline void vectors(const RowJob& r, ptrdiff_t ow) {
  F32x4 acc[kVectors];
  for (size_t v = 0; v < kVectors; ++v) acc[v] = F32x4::splat(r.bias);
  const float* row = r.x + ow;
  const float* weights = r.weights;
#pragma GCC unroll 1
  for (size_t i = 0; i < kSize; ++i, row += r.row_step, weights += kSize) {
    const float* odd = row + r.phase_step;
#pragma GCC unroll 8
    for (size_t j = 0; j < kSize; ++j) {
      const F32x4 w = F32x4::splat(weights[j]);
      const float* p = (j % kStride == 0 ? row : odd) + j / kStride;
      for (size_t v = 0; v < kVectors; ++v) acc[v] = madd(w, F32x4::load(p + v * 4), acc[v]);
    }
  }
  put(r, ow, acc);
}

template <int kVectors>
inline void vectors_any(const RowJob& r, ptrdiff_t ow) {
  F32x4 acc[kVectors];
  for (int v = 0; v < kVectors; ++v) acc[v] = F32x4::splat(r.bias);
#pragma GCC unroll 1
  for (ptrdiff_t t = 0; t < r.tap_count; ++t) {
    const F32x4 w = F32x4::splat(r.weights[t]);
    const float* p = r.x + ow + r.taps[t];
    for (size_t v = 0; v < kVectors; ++v) acc[v] = madd(w, F32x4::load(p + v * 4), acc[v]);
  }
  put(r, ow, acc);
}

template <size_t kSize, size_t kStride>
void row(const RowJob& r) {
  ptrdiff_t ow = 0;
  const ptrdiff_t n = r.out_w;
  auto run = [&]<int kVectors>() {
    if constexpr (kSize > 0) {
      vectors<kSize, kStride, kVectors>(r, ow);
    } else {
      vectors_any<kVectors>(r, ow);
    }
  };
  for (; ow + 16 <= n; ow += 16) run.template operator()<4>();
  if (ow + 4 < n) {
    for (; ow + 4 < n; ow += 8) run.template operator()<2>();
  }
  if (ow < n) run.template operator()<1>();
}

using RowFunction = void (*)(const RowJob&);

RowFunction choose(const Plane& p) {
  if (p.kernel_h == p.kernel_w && p.dilation_w == 1) {
    if (p.kernel_h == 3 && p.stride_w == 1) return row<3, 1>;
    if (p.kernel_h == 3 && p.stride_w == 2) return row<3, 2>;
    if (p.kernel_h == 5 && p.stride_w == 1) return row<5, 1>;
    if (p.kernel_h == 5 && p.stride_w == 2) return row<5, 2>;
  }
  return row<0, 0>;
}

// Vectors rather than memset and memcpy: rows are often shorter than what a call costs.
void zero(float* p, ptrdiff_t n) {
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) F32x4::splat(0).store(p + i);
  for (; i < n; ++i) p[i] = 0;
}
void copy(const float* from, float* to, ptrdiff_t n) {
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) F32x4::load(from + i).store(to + i);
  for (; i < n; ++i) to[i] = from[i];
}

// Elements [first, end) of one phase of an input row, `shift` being the column of element 0; zeros around them.
struct Phase {
  ptrdiff_t first, end, shift;

  Phase(const Plane& p, int64_t phase) {
    const int64_t s = p.stride_w, begin = phase - p.pad_w;
    const int64_t inside = std::clamp<int64_t>(begin < 0 ? (-begin + s - 1) / s : 0, 0, p.width);
    first = static_cast<ptrdiff_t>(inside);
    end =
        static_cast<ptrdiff_t>(std::clamp<int64_t>(p.in_w > begin ? (p.in_w - begin + s - 1) / s : 0, inside, p.width));
    shift = static_cast<ptrdiff_t>(begin);
  }
};

void copy_phase(const Plane& p, const Phase& f, const float* row, float* out) {
  const float* src = row + f.shift;
  const ptrdiff_t stride = static_cast<ptrdiff_t>(p.stride_w);
  zero(out, f.first);
  if (stride == 1) {
    copy(src + f.first, out + f.first, f.end - f.first);
  } else {
    ptrdiff_t i = f.first;
    if (stride == 2) {
      for (; i + 4 <= f.end; i += 4) {
        const F32x4 a = F32x4::load(src + 2 * i),
                    b = F32x4::load(src + 2 * i + 3);  // not one element beyond the last used
        F32x4{__builtin_shufflevector(a.v, b.v, 0, 2, 5, 7)}.store(out + i);
      }
    }
    for (; i < f.end; ++i) out[i] = src[stride * i];
  }
  zero(out + f.end, static_cast<ptrdiff_t>(p.width) - f.end);
}

// Copies the input rows that output rows [oh0, oh1) need, zeros around them.
void copy_band(const Plane& p, std::span<const Phase> phases, const float* plane, int64_t oh0, int64_t oh1,
               float* out) {
  const ptrdiff_t rows = static_cast<ptrdiff_t>((oh1 - oh0 - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1);
  const ptrdiff_t row_floats = static_cast<ptrdiff_t>(p.width * p.stride_w),
                  top = static_cast<ptrdiff_t>(oh0 * p.stride_h - p.pad_h);
  const ptrdiff_t in_h = static_cast<ptrdiff_t>(p.in_h), in_w = static_cast<ptrdiff_t>(p.in_w);
  for (int64_t phase = 0; phase < p.stride_w; ++phase) {
    const Phase f = phase < static_cast<int64_t>(phases.size()) ? phases[static_cast<size_t>(phase)] : Phase(p, phase);
    float* to = out + phase * p.width;
    for (ptrdiff_t ih = top; ih < top + rows; ++ih, to += row_floats) {
      if (ih < 0 || ih >= in_h) {
        zero(to, static_cast<ptrdiff_t>(p.width));
      } else {
        copy_phase(p, f, plane + ih * in_w, to);
      }
    }
  }
}

int64_t slot_floats(const Plane& p) {
  // A vector of two and more may reach 12 elements further than the copy's end.
  return (p.rows * p.width * p.stride_w + 16 + p.kernel_h * p.kernel_w + 15) / 16 * 16;
}

}  // namespace

int64_t conv_depthwise_scratch(const Conv& c) { return slot_floats(make_plane(c.window)) * Slots::count(); }

const char* conv_depthwise(const Conv& c, float* scratch) {
  const Plane p = make_plane(c.window);
  const int64_t multiplier = c.group_out(), taps = p.kernel_h * p.kernel_w;
  const int64_t pixels = p.out_h * p.out_w;
  if (pixels == 0) return "conv_f32_depthwise";
  const int64_t bands = (p.out_h + p.band - 1) / p.band;
  const RowFunction run_row = choose(p);
  const Phase phases[2] = {Phase(p, 0), Phase(p, 1)};
  Slots slots(scratch, static_cast<size_t>(slot_floats(p)) * sizeof(float));
  parallel_for(
      c.batch * c.out_channels * bands, grain_for(p.band * p.out_w * taps / 4), [&](int64_t begin, int64_t end) {
        Slots::Claim claim(slots);
        float* copy = claim.as<float>();
        const int64_t row_floats = p.width * p.stride_w;
        int32_t* offsets = reinterpret_cast<int32_t*>(copy + p.rows * row_floats + 16);
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t column = t % p.kernel_w * p.dilation_w;
          offsets[t] = static_cast<int32_t>(t / p.kernel_w * p.dilation_h * row_floats + column % p.stride_w * p.width +
                                            column / p.stride_w);
        }
        int64_t plane = begin / bands, band = begin % bands;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t oh0 = band * p.band, oh1 = std::min(oh0 + p.band, p.out_h);
          const int64_t channel = plane % c.out_channels;
          // Input planes follow each other as the output planes do, `multiplier` outputs to one.
          copy_band(p, phases, c.x + (multiplier == 1 ? plane : plane / multiplier) * p.in_h * p.in_w, oh0, oh1, copy);
          RowJob r{};
          r.weights = c.weights + channel * taps;
          r.taps = offsets;
          r.tap_count = static_cast<ptrdiff_t>(taps);
          r.out_w = static_cast<ptrdiff_t>(p.out_w);
          r.row_step = static_cast<ptrdiff_t>(p.dilation_h * row_floats);
          r.phase_step = static_cast<ptrdiff_t>(p.width);
          r.bias = c.epilogue.bias ? c.epilogue.bias[channel] : 0;
          r.lo = c.epilogue.lo;
          r.hi = c.epilogue.hi;
          r.add = c.epilogue.residual != nullptr;
          r.clamp = c.epilogue.clamps();
          for (int64_t oh = oh0; oh < oh1; ++oh) {
            r.x = copy + (oh - oh0) * p.stride_h * row_floats;
            r.y = c.y + plane * pixels + oh * p.out_w;
            r.residual = r.add ? c.epilogue.residual + plane * pixels + oh * p.out_w : r.y;
            run_row(r);
          }
          if (++band == bands) {
            band = 0;
            ++plane;
          }
        }
      });
  return "conv_f32_depthwise";
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
