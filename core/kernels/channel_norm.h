// Normalizations that treat a tensor as [outer, channels, inner].
#pragma once

#include <cstdint>

namespace onnxlet {

// float and double each.
// y = (x - mean[c]) * factor[c] + shift[c]
template <class T>
void channel_affine(int64_t outer, int64_t channels, int64_t inner, const T* x, const T* mean, const T* factor,
                    const T* shift, T* y);
// Mean and population variance of every channel, over outer and inner.
template <class T>
void channel_moments(int64_t outer, int64_t channels, int64_t inner, const T* x, T* mean, T* variance);
// x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta
template <class T>
void local_response(int64_t outer, int64_t channels, int64_t inner, const T* x, T* y, int64_t size, float alpha,
                    float beta, float bias);

}  // namespace onnxlet
