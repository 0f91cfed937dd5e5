// Pooling over planes ([batch * channels] x spatial), any spatial rank.
#pragma once

#include <cstdint>

#include "kernels/window.h"

namespace onnxlet {

template <class T>
void pool_max(const Window& w, int64_t planes, const T* x, T* y);  // float, double, int8_t, uint8_t
// Also where each maximum is: its index in the whole tensor x, spatial axes counted column-major when asked for.
template <class T>
void pool_max_indices(const Window& w, int64_t planes, const T* x, T* y, int64_t* indices, bool column_major);

// float, double. include_pad: divide by the window's part of the padded input instead of the input.
template <class T>
void pool_average(const Window& w, int64_t planes, const T* x, T* y, bool include_pad);
template <class T>
void pool_lp(const Window& w, int64_t planes, const T* x, T* y, double p);

// The same over x of [batch, w.in, channels] (channels last); y is [batch, w.out, channels].
template <class T>
void pool_max_nhwc(const Window& w, int64_t batch, int64_t channels, const T* x, T* y);  // float, int8_t, uint8_t
void pool_average_nhwc(const Window& w, int64_t batch, int64_t channels, const float* x, float* y, bool include_pad);

// One value per plane of n elements.
template <class T>
void global_max(int64_t planes, int64_t n, const T* x, T* y);
template <class T>
void global_average(int64_t planes, int64_t n, const T* x, T* y);
template <class T>
void global_lp(int64_t planes, int64_t n, const T* x, T* y, double p);

// One value per channel of x [batch, n, channels].
void global_max_nhwc(int64_t batch, int64_t n, int64_t channels, const float* x, float* y);
void global_average_nhwc(int64_t batch, int64_t n, int64_t channels, const float* x, float* y);

}  // namespace onnxlet
