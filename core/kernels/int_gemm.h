// Products of 8-bit integers with 32-bit sums, exact, with the outputs that quantized operators need.
// int_kernels.inc lists the kernels. Packed operands have a form per kernel.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/window.h"

namespace onnxlet {

enum class IntKernel : uint8_t {
#define INT_KERNEL(kernel, ...) kernel,
#include "kernels/int_kernels.inc"
#undef INT_KERNEL
};
IntKernel int_kernel();  // the fastest that is exact on this machine
bool is_exact_here(IntKernel kernel);
std::span<const IntKernel> int_kernels();  // of this build
const char* name_of(IntKernel kernel);

// Values that are one for all, or one per row or column.
template <class T>
struct PerAxis {
  const T* data = nullptr;
  int64_t stride = 0;
  T at(int64_t i, T missing) const { return data ? data[i * stride] : missing; }
};

// What becomes of a sum. kInt32: the sum plus bias. kFloat: times scale plus float_bias.
// kInt8, kUint8: round(times scale) + zero_point, saturated.
struct IntOutput {
  enum Kind : uint8_t { kInt32, kFloat, kInt8, kUint8 };
  Kind kind = kInt32;
  void* data = nullptr;
  int64_t row_stride = 0, col_stride = 1;
  const int32_t* bias = nullptr;        // per column
  PerAxis<float> row_scale, col_scale;  // the factor is their product
  const float* float_bias = nullptr;    // per column, kFloat only
  int32_t zero_point = 0;
};

struct IntMatrix {
  const void* data = nullptr;
  bool is_signed = false;
  int64_t row_stride = 0, col_stride = 0;
  // B whose rows come in runs: `run_stride` inside a run of `run`, `row_stride` between runs. Packed, a run is padded
  // with zeros to `run_padded`. 0: no runs.
  int64_t run = 0, run_stride = 0, run_padded = 0;
};

struct IntGemm {
  IntKernel kernel = int_kernel();
  int64_t m = 0, n = 0, k = 0;
  IntMatrix a;
  PerAxis<int32_t> a_zero;            // per row
  const uint8_t* packed_b = nullptr;  // pack_int_b()'s result
  const int32_t* b_sums = nullptr;
  bool b_signed = false;
  PerAxis<int32_t> b_zero;  // per column
  IntOutput out;
};

// Bytes of packed B, as many as B has but for what fills up panels; the sums of its columns are int32 of their own.
int64_t packed_int_b_size(int64_t k, int64_t n, IntKernel kernel = int_kernel());
int64_t int_b_sums_size(int64_t n);
void pack_int_b(const IntMatrix& b, int64_t k, int64_t n, uint8_t* out, int32_t* sums, IntKernel kernel = int_kernel());
int64_t int_gemm_scratch(const IntGemm& g);  // bytes
const char* int_gemm(const IntGemm& g, void* scratch);

// Convolution over the same tile. Weights: per group packed as B is; k is [tap][channel].
struct IntConv {
  IntKernel kernel = int_kernel();
  Window window;
  int64_t batch = 0, channels = 0, out_channels = 0, groups = 1;
  bool channels_last = false;
  const uint8_t* x = nullptr;
  bool x_signed = false;
  int32_t x_zero = 0;
  const uint8_t* weights = nullptr;
  const int32_t* w_sums = nullptr;  // not for int_depthwise()
  bool w_signed = false;
  PerAxis<int32_t> w_zero;  // per output channel
  IntOutput out;            // data, bias and scales of all output channels; strides are set here
};
// [out_channels][channels][taps], `channels` of one group.
struct IntFilters {
  int64_t out_channels = 0, channels = 0, taps = 0, groups = 1;
};
int64_t packed_int_conv_size(const IntFilters& f, IntKernel kernel = int_kernel());
int64_t int_conv_sums_size(const IntFilters& f);
void pack_int_conv_weights(const void* w, bool is_signed, const IntFilters& f, uint8_t* out, int32_t* sums,
                           IntKernel kernel = int_kernel());
int64_t int_conv_scratch(const IntConv& c);
const char* int_conv(const IntConv& c, void* scratch);
// One input and one output channel per group. w: [channels][taps], without zero points.
int64_t packed_int_depthwise_size(int64_t channels, int64_t taps, IntKernel kernel = int_kernel());
void pack_int_depthwise_weights(const int8_t* w, int64_t channels, int64_t taps, uint8_t* out,
                                IntKernel kernel = int_kernel());
int64_t int_depthwise_scratch(const IntConv& c);
const char* int_depthwise(const IntConv& c, void* scratch);

}  // namespace onnxlet
