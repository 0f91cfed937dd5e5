// Transposed convolution: a matrix product gives every input pixel's contribution per tap, and these are added up in
// place. Output channels are taken a few at a time, so that the intermediate stays small.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/conv.h"

namespace onnxlet {
namespace {

constexpr int64_t kIntermediateFloats = 1 << 20;

// Output channels per step: whole panels of 8 columns.
int64_t step_channels(const ConvTranspose& c) {
  const int64_t taps = std::max<int64_t>(c.window.taps(), 1);
  int64_t unit = 8;
  while (unit > 1 && unit / 2 * taps % kGemmCols == 0) unit /= 2;
  const int64_t per_channel = taps * std::max<int64_t>(c.window.pixels(), 1);
  return std::min(std::max(kIntermediateFloats / per_channel / unit * unit, unit),
                  (c.group_out() + unit - 1) / unit * unit);
}

Gemm step_gemm(const ConvTranspose& c, int64_t channels) {
  Gemm g;
  g.m = c.window.pixels();
  g.n = channels * c.window.taps();
  g.k = c.group_channels();
  g.a = {c.x, 1, g.m};
  g.packed_b = c.weights;
  g.c_row_stride = 1;
  g.c_col_stride = g.m;
  return g;
}

// y (one plane, window.in) += the contributions of every tap; col is [taps][window.out].
void add_taps(const Window& w, const float* col, float* y) {
  const int64_t pixels = w.pixels();
  each_tap_row(w, [&](int64_t tap, ptrdiff_t from, ptrdiff_t to, ptrdiff_t step, ptrdiff_t n) {
    const float* src = col + tap * pixels + from;
    float* dst = y + to;
    for (ptrdiff_t i = 0; i < n; ++i) dst[i * step] += src[i];
  });
}

}  // namespace

int64_t packed_conv_transpose_size(int64_t channels, int64_t group_out_taps, int64_t groups) {
  return groups * packed_b_size(channels / groups, group_out_taps);
}

void pack_conv_transpose_weights(const float* w, int64_t channels, int64_t group_out_taps, int64_t groups, float* out) {
  const int64_t k = channels / groups;
  for (int64_t g = 0; g < groups; ++g) {
    pack_b({w + g * k * group_out_taps, group_out_taps, 1}, k, group_out_taps,
           out + g * packed_b_size(k, group_out_taps));
  }
}

int64_t conv_transpose_scratch(const ConvTranspose& c) {
  const int64_t channels = step_channels(c);
  return channels * c.window.taps() * c.window.pixels() + gemm_scratch(step_gemm(c, channels));
}

const char* conv_transpose(const ConvTranspose& c, float* scratch) {
  const int64_t step = step_channels(c), taps = c.window.taps(), pixels = c.window.pixels(),
                out_pixels = c.window.in.size();
  const int64_t cg = c.group_channels(), mg = c.group_out();
  float* col = scratch;
  float* gemm_memory = scratch + step * taps * pixels;
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const int64_t image = i / c.groups, group = i % c.groups;
    for (int64_t m = 0; m < mg; m += step) {
      const int64_t channels = std::min(step, mg - m);
      Gemm g = step_gemm(c, channels);
      g.a.data += (image * c.channels + group * cg) * pixels;
      g.packed_b += group * packed_b_size(cg, mg * taps) + m * taps * cg;
      g.c = col;
      gemm(g, gemm_memory);
      parallel_for(channels, grain_for(taps * pixels + out_pixels), [&](int64_t begin, int64_t end) {
        for (int64_t ch = begin; ch < end; ++ch) {
          const int64_t channel = group * mg + m + ch;
          float* y = c.y + (image * c.out_channels + channel) * out_pixels;
          std::fill(y, y + out_pixels, c.bias ? c.bias[channel] : 0.0f);
          add_taps(c.window, col + ch * taps * pixels, y);
        }
      });
    }
  }
  return "conv_transpose_f32";
}

void conv_plain(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups, const double* x,
                const double* weights, const double* bias, double* y) {
  const int64_t cg = channels / groups, mg = out_channels / groups, taps = w.taps(), pixels = w.pixels(),
                in_pixels = w.in.size();
  const Shape strides = w.in.strides();
  parallel_for(batch * out_channels, grain_for(pixels * cg * taps), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t image = plane / out_channels, m = plane % out_channels;
      const double* base = x + (image * channels + m / mg * cg) * in_pixels;
      Odometer pixel(w.out);
      for (int64_t p = 0; p < pixels; ++p, pixel.next()) {
        double sum = bias ? bias[m] : 0;
        Odometer tap(w.kernel);
        for (int64_t t = 0; t < taps; ++t, tap.next()) {
          int64_t at = 0;
          bool inside = true;
          for (int d = 0; d < w.rank() && inside; ++d) {
            const int64_t i = pixel[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
            inside = i >= 0 && i < w.in[d];
            at += i * strides[d];
          }
          if (!inside) continue;
          for (int64_t ch = 0; ch < cg; ++ch) sum += base[ch * in_pixels + at] * weights[(m * cg + ch) * taps + t];
        }
        y[plane * pixels + p] = sum;
      }
    }
  });
}

void conv_transpose_plain(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups,
                          const double* x, const double* weights, const double* bias, double* y) {
  const int64_t cg = channels / groups, mg = out_channels / groups, taps = w.taps(), pixels = w.pixels(),
                out_pixels = w.in.size();
  const Shape strides = w.in.strides();
  parallel_for(batch * out_channels, grain_for(pixels * cg * taps), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t image = plane / out_channels, m = plane % out_channels, group = m / mg;
      double* out = y + plane * out_pixels;
      std::fill(out, out + out_pixels, bias ? bias[m] : 0.0);
      for (int64_t ch = group * cg; ch < (group + 1) * cg; ++ch) {
        const double* in = x + (image * channels + ch) * pixels;
        const double* filter = weights + (ch * mg + m % mg) * taps;
        Odometer pixel(w.out);
        for (int64_t p = 0; p < pixels; ++p, pixel.next()) {
          Odometer tap(w.kernel);
          for (int64_t t = 0; t < taps; ++t, tap.next()) {
            int64_t at = 0;
            bool inside = true;
            for (int d = 0; d < w.rank() && inside; ++d) {
              const int64_t i = pixel[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
              inside = i >= 0 && i < w.in[d];
              at += i * strides[d];
            }
            if (inside) out[at] += in[p] * filter[t];
          }
        }
      }
    }
  });
}

}  // namespace onnxlet
