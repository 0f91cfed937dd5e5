// Dispatches that kernels of several files are made of.
#pragma once

#include <optional>

#include "gpu/kernel.h"
#include "kernels/quantize.h"
#include "ops/matmul_shape.h"

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

// The name in shaders of elements that are moved and not looked at; "" of those that have none.
std::string_view mover(DType dtype);
// What a kind of pick.wgsl is given beside the elements.
struct Pick {
  Shader shader;
  std::vector<DeviceBufferPtr> others{};
  Uniforms uniforms{};
};
void pick(Context& ctx, DType dtype, Pick what, DeviceBufferPtr from, DeviceBufferPtr to, int64_t count);
// An output from an input.
Result<Answer> pick_output(Context& ctx, const Shape& shape, Pick what, int from = 0, int to = 0);
// Elements of `dims`, in their order, from those at `strides`. None where there are too many axes.
std::optional<Pick> strided(const Shape& dims, const Shape& strides, int64_t from = 0);
// [outer, index, inner] of x seen as `rows`.
Pick gathered(const Rows& rows, const Operand& indices);
// Whether indices are int32 or int64, here, and within [-n, n).
bool can_gather(const Context& ctx, int indices, int64_t n);

// out = levels of x, numbers of levels (DType::kFloat), or levels of the sums of a product: quantize.wgsl.
struct QuantizeCall {
  Operand x, scale;
  std::optional<Operand> zero{};  // of the type of the levels
  ScaleLayout layout{};
  // Of sums: what else they are multiplied and divided by, and what is added to them.
  DeviceBufferPtr input_scale{}, output_scale{}, bias{};
};
void quantize(Context& ctx, const QuantizeCall& call, DType out_type, DeviceBufferPtr out);

// alpha * a b + beta * what is added, of inputs a and b: matmul.wgsl. To output 0, if no buffer is given.
struct Product {
  MatMulShape shape;
  float alpha = 1, beta = 1;
  int added = -1;  // the input that is added, with its strides; -1: none
  int64_t added_row = 0, added_column = 0;
  int a = 0, b = 1;
};
Result<Answer> multiply(Context& ctx, Product product, DeviceBufferPtr to = nullptr);

}  // namespace onnxlet::gpu
