#pragma once

#include "kernels/window.h"

namespace onnxlet {

// The patches that a deformable convolution (2-D) sees: one row of `out` per (channel, tap), one column per output
// pixel of [p0, p1). x: `channels` planes. offset: [offset_groups][taps][2][out pixels] in elements of x; mask:
// [offset_groups][taps][out pixels], or null. Samples are bilinear, zero outside.
struct DeformPatches {
  Window window;
  int64_t channels, offset_groups;
};
template <class T>
void deform_patches(const DeformPatches& d, const T* x, const T* offset, const T* mask, int64_t first_channel,
                    int64_t channels, int64_t p0, int64_t p1, T* out);

}  // namespace onnxlet
