// Dispatches that kernels of several files are made of.
#pragma once

#include "gpu/kernel.h"

namespace onnxlet::gpu {

struct Operand {
  DeviceBufferPtr buffer;
  DType dtype;
  Shape shape;
};
inline Operand operand(Context& ctx, int input) {
  return {ctx.buffer(input), ctx.in(input).dtype(), ctx.in(input).shape()};
}

// out[i] = f(operands[i] ...), with broadcasting to `shape`; map.wgsl knows f by the name of its operator.
struct MapCall {
  std::string_view op;
  std::vector<Operand> operands;
  DType out;
  float alpha = 0, beta = 0;
};
Answer map(Context& ctx, const MapCall& call, const Shape& shape, DeviceBufferPtr out);

// to[index * to_strides] = from[index * from_strides] for every index in `dims`.
struct Copy {
  Shape dims, from_strides, to_strides;
  int64_t from = 0, to = 0;
};
bool can_copy(DType dtype);
// False: there are too many axes.
bool copy(Context& ctx, DType dtype, const DeviceBufferPtr& from, const DeviceBufferPtr& to, const Copy& what);

}  // namespace onnxlet::gpu
