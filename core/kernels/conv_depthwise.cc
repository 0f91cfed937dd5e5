// Depthwise convolution, NCHW: one plane at a time, vectorised along the width. A band of input rows is copied into work
// memory with its padding, so that the inner loops have no borders.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/slots.h"
#include "kernels/tile.h"

namespace onnxlet {
namespace {

using simd::F32x4;

// The window as two dimensions; a 1-D one gets a height of 1.
struct Plane {
  int64_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
  int64_t band;                  // output rows per task
  int64_t rows, width;           // of the padded copy
};

constexpr int64_t kBandRows = 16;

Plane make_plane(const Window& w) {
  auto dim = [&](const Shape& s, int axis, int64_t missing) { return w.rank() == 2 ? s[axis] : axis == 0 ? missing : s[0]; };
  Plane p{dim(w.in, 0, 1),     dim(w.in, 1, 1),     dim(w.out, 0, 1),      dim(w.out, 1, 1),      dim(w.kernel, 0, 1), dim(w.kernel, 1, 1),
          dim(w.stride, 0, 1), dim(w.stride, 1, 1), dim(w.dilation, 0, 1), dim(w.dilation, 1, 1), dim(w.pad, 0, 0),    dim(w.pad, 1, 0),
          0, 0, 0};
  p.band = std::min(kBandRows, p.out_h);
  p.rows = (p.band - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1;
  // The last vector of a row may begin at its last element, and a stride of 2 reads one element more.
  p.width = (p.out_w + 3) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 8;
  return p;
}

// Four outputs' inputs, kStride apart (0: any stride).
template <int kStride>
inline F32x4 gather(const float* p, ptrdiff_t stride) {
  if constexpr (kStride == 1) {
    return F32x4::load(p);
  } else if constexpr (kStride == 2) {
    return {__builtin_shufflevector(F32x4::load(p).v, F32x4::load(p + 4).v, 0, 2, 4, 6)};
  } else {
    return {F32x4::Raw{p[0], p[stride], p[2 * stride], p[3 * stride]}};
  }
}

struct RowJob {
  const float* x;                // padded copy, at the first input row of this output row
  const float* weights;
  const int32_t* taps;           // offset of each tap in the copy
  int64_t tap_count;
  float* y;
  int64_t out_w, stride;
  float bias, lo, hi;
  bool add, clamp;
};

template <int kStride, int kVectors>
inline void row_vectors(const RowJob& r, ptrdiff_t ow) {
  const ptrdiff_t stride = kStride ? kStride : static_cast<ptrdiff_t>(r.stride);
  F32x4 acc[kVectors];
  for (int v = 0; v < kVectors; ++v) acc[v] = F32x4::splat(r.bias);
  const float* x = r.x + ow * stride;
#pragma GCC unroll 1
  for (ptrdiff_t t = 0; t < static_cast<ptrdiff_t>(r.tap_count); ++t) {
    const F32x4 w = F32x4::splat(r.weights[t]);
    const float* p = x + r.taps[t];
    for (int v = 0; v < kVectors; ++v) acc[v] = madd(w, gather<kStride>(p + v * 4 * stride, stride), acc[v]);
  }
  for (int v = 0; v < kVectors; ++v) {
    float* y = r.y + ow + v * 4;
    const int n = static_cast<int>(std::min<int64_t>(4, r.out_w - ow - v * 4));
    if (n <= 0) return;
    F32x4 value = acc[v];
    if (r.add) value = value + (n == 4 ? F32x4::load(y) : F32x4::load_n(y, n));
    if (r.clamp) value = tile::clamp(value, F32x4::splat(r.lo), F32x4::splat(r.hi));
    if (n == 4) {
      value.store(y);
    } else {
      value.store_n(y, n);
    }
  }
}

template <int kStride>
void row(const RowJob& r) {
  ptrdiff_t ow = 0;
  const ptrdiff_t n = static_cast<ptrdiff_t>(r.out_w);
  for (; ow + 16 <= n; ow += 16) row_vectors<kStride, 4>(r, ow);
  for (; ow + 8 <= n; ow += 8) row_vectors<kStride, 2>(r, ow);
  for (; ow < n; ow += 4) row_vectors<kStride, 1>(r, ow);
}

// Copies the input rows that output rows [oh0, oh1) need, zeros around them.
void copy_band(const Plane& p, const float* plane, int64_t oh0, int64_t oh1, float* out) {
  const int64_t rows = (oh1 - oh0 - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1;
  const int64_t skip = std::max<int64_t>(-p.pad_w, 0);  // negative padding crops
  const int64_t left = std::clamp<int64_t>(p.pad_w, 0, p.width), body = std::clamp<int64_t>(p.in_w - skip, 0, p.width - left);
  for (int64_t i = 0; i < rows; ++i, out += p.width) {
    const int64_t ih = oh0 * p.stride_h - p.pad_h + i;
    if (ih < 0 || ih >= p.in_h) {
      std::fill(out, out + p.width, 0.0f);
      continue;
    }
    std::fill(out, out + left, 0.0f);
    std::memcpy(out + left, plane + ih * p.in_w + skip, static_cast<size_t>(body) * sizeof(float));
    std::fill(out + left + body, out + p.width, 0.0f);
  }
}

int64_t slot_floats(const Plane& p) { return (p.rows * p.width + p.kernel_h * p.kernel_w + 15) / 16 * 16; }

}  // namespace

int64_t conv_depthwise_scratch(const Conv& c) { return slot_floats(make_plane(c.window)) * Slots::count(); }

const char* conv_depthwise(const Conv& c, float* scratch) {
  const Plane p = make_plane(c.window);
  const int64_t multiplier = c.group_out(), taps = p.kernel_h * p.kernel_w;
  const int64_t pixels = p.out_h * p.out_w;
  if (pixels == 0) return "conv_f32_depthwise";
  const int64_t bands = (p.out_h + p.band - 1) / p.band;
  Slots slots(scratch, static_cast<size_t>(slot_floats(p)) * sizeof(float));
  parallel_for(c.batch * c.out_channels * bands, grain_for(p.band * p.out_w * taps / 4), [&](int64_t begin, int64_t end) {
    Slots::Claim claim(slots);
    float* copy = claim.as<float>();
    int32_t* offsets = reinterpret_cast<int32_t*>(copy + p.rows * p.width);
    for (int64_t t = 0; t < taps; ++t) {
      offsets[t] = static_cast<int32_t>(t / p.kernel_w * p.dilation_h * p.width + t % p.kernel_w * p.dilation_w);
    }
    for (int64_t task = begin; task < end; ++task) {
      const int64_t plane = task / bands, oh0 = task % bands * p.band, oh1 = std::min(oh0 + p.band, p.out_h);
      const int64_t image = plane / c.out_channels, channel = plane % c.out_channels;
      copy_band(p, c.x + (image * c.channels + channel / multiplier) * p.in_h * p.in_w, oh0, oh1, copy);
      RowJob r{};
      r.weights = c.weights + channel * taps;
      r.taps = offsets;
      r.tap_count = taps;
      r.out_w = p.out_w;
      r.stride = p.stride_w;
      r.bias = c.epilogue.bias ? c.epilogue.bias[channel] : 0;
      r.lo = c.epilogue.lo;
      r.hi = c.epilogue.hi;
      r.add = c.epilogue.accumulate;
      r.clamp = c.epilogue.clamps();
      for (int64_t oh = oh0; oh < oh1; ++oh) {
        r.x = copy + (oh - oh0) * p.stride_h * p.width;
        r.y = c.y + plane * pixels + oh * p.out_w;
        if (p.stride_w == 1) {
          row<1>(r);
        } else if (p.stride_w == 2) {
          row<2>(r);
        } else {
          row<0>(r);
        }
      }
    }
  });
  return "conv_f32_depthwise";
}

}  // namespace onnxlet
