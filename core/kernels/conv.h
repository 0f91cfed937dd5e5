// Float convolution on the 4x8 tile, in both layouts: NCHW, where patches are packed a block of output pixels at a
// time, never as a whole matrix, and NHWC, where nothing has to be packed.
#pragma once

#include "kernels/gemm.h"
#include "kernels/window.h"

namespace onnxlet {

struct Conv {
  Window window;
  int64_t batch = 0, channels = 0, out_channels = 0, groups = 1;
  const float* x = nullptr;
  const float* weights = nullptr;  // as packed by pack_conv_weights
  float* y = nullptr;
  Epilogue epilogue;  // bias of out_channels values, clamp, accumulate

  int64_t group_channels() const { return channels / groups; }
  int64_t group_out() const { return out_channels / groups; }
  // One tap over every pixel: matrix products.
  bool pointwise() const {
    for (int i = 0; i < window.rank(); ++i) {
      if (window.kernel[i] != 1 || window.stride[i] != 1 || window.in[i] != window.out[i] || window.pad[i] != 0)
        return false;
    }
    return true;
  }
  bool depthwise() const { return group_channels() == 1 && groups > 1 && window.rank() <= 2; }
};

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

// W is [out_channels, channels / groups, kernel...].
int64_t packed_conv_size(int64_t out_channels, int64_t group_k, int64_t groups);
void pack_conv_weights(const float* w, int64_t out_channels, int64_t group_k, int64_t groups, float* out);

int64_t conv_scratch(const Conv& c);  // floats
const char* conv(const Conv& c, float* scratch);

// The same with channels innermost: x is [batch, pixels, channels], y [batch, pixels, out_channels]. Weights as packed
// by pack_conv_weights_nhwc, packed_conv_size() floats.
void pack_conv_weights_nhwc(const float* w, int64_t out_channels, int64_t group_channels, int64_t taps, int64_t groups,
                            float* out);
int64_t conv_nhwc_scratch(const Conv& c);  // floats
const char* conv_nhwc(const Conv& c, float* scratch);

// 3x3, stride 1, channels innermost, in a quarter of the multiplications. Weights are packed for it alone: whether it
// fits depends on what is known when they are.
bool conv_winograd_fits(const Shape& kernel, const Shape& stride, const Shape& dilation, int64_t channels,
                        int64_t out_channels, int64_t groups);
int64_t packed_winograd_size(int64_t out_channels, int64_t channels);
void pack_conv_winograd_weights(const float* w, int64_t out_channels, int64_t channels, float* out);
int64_t conv_winograd_scratch(const Conv& c);
const char* conv_winograd(const Conv& c, float* scratch);

// One filter per channel (groups == channels). Weights as the model has them: [out_channels, kernel...].
int64_t conv_depthwise_scratch(const Conv& c);
const char* conv_depthwise(const Conv& c, float* scratch);

// The same with channels innermost and one output per channel. Weights as [tap][channel].
void pack_conv_depthwise_weights_nhwc(const float* w, int64_t channels, int64_t taps, float* out);
int64_t conv_depthwise_nhwc_scratch(const Conv& c);
const char* conv_depthwise_nhwc(const Conv& c, float* scratch);

}  // namespace onnxlet::inline ONNXLET_LEVEL

namespace onnxlet {

// Transposed convolution. `window` describes the convolution it reverses: window.out is the size of x, window.in of y.
// W is [channels, out_channels / groups, kernel...]; pack_conv_transpose_weights packs each group's [channels][out *
// taps].
struct ConvTranspose {
  Window window;
  int64_t batch = 0, channels = 0, out_channels = 0, groups = 1;
  const float* x = nullptr;
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;

  int64_t group_channels() const { return channels / groups; }
  int64_t group_out() const { return out_channels / groups; }
};
int64_t packed_conv_transpose_size(int64_t channels, int64_t group_out_taps, int64_t groups);
void pack_conv_transpose_weights(const float* w, int64_t channels, int64_t group_out_taps, int64_t groups, float* out);
int64_t conv_transpose_scratch(const ConvTranspose& c);
const char* conv_transpose(const ConvTranspose& c, float* scratch);

// double: plain loops, NCHW, weights unpacked.
void conv_plain(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups, const double* x,
                const double* weights, const double* bias, double* y);
void conv_transpose_plain(const Window& w, int64_t batch, int64_t channels, int64_t out_channels, int64_t groups,
                          const double* x, const double* weights, const double* bias, double* y);

}  // namespace onnxlet
