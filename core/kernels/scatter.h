#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/status.h"

namespace onnxlet {

enum class Scatter : uint8_t { kNone, kAdd, kMul, kMax, kMin };

// offsets[i] = where in data element i of `indices` (already wrapped) points to, the other coordinates being its own.
// In place: the indices become the offsets.
void scatter_offsets(const Shape& data_shape, int axis, const Shape& shape, int64_t* indices);

// dst[offsets[i] ... + run) op= updates[i * run ...), in the order of i.
Status scatter_runs(DType dtype, Scatter op, const int64_t* offsets, int64_t count, int64_t run, const void* updates,
                    void* dst);

}  // namespace onnxlet
