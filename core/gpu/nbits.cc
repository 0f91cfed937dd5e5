// MatMulNBits, whose weights stay packed in the device's memory: nbits.wgsl. GatherBlockQuantized, which gathers
// levels, scales and zero points before it makes numbers of them: pick.wgsl, quantize.wgsl.
#include <algorithm>
#include <cstring>

#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kRowsOfAGroup = 4;
constexpr int64_t kGroupSize = 64, kLanes = 64;  // invocations of a group, and of those that share a column

struct MatMulNBits : Kernel {
  int64_t k = 0, n = 0, bits = 4, block = 32;
  bool usual = true;

  Status init(Attrs& a) {
    k = a.i("K");
    n = a.i("N");
    bits = a.i("bits", 4);
    block = a.i("block_size");
    usual = (bits == 2 || bits == 4 || bits == 8) && block >= 16 && (block & (block - 1)) == 0 && k > 0 && n > 0 &&
            a.i("weight_prepacked") == 0;
    return {};
  }
  bool splits(int input) const override { return input == 1; }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& a = ctx.in(0);
    if (!usual || a.dtype() != DType::kFloat || a.rank() < 1 || a.shape().back() != k || ctx.has(4)) {
      return Answer::kDeclined;
    }
    const int64_t m = a.size() / k, blocks = (k + block - 1) / block, words = blocks * block * bits / 32;
    const int64_t zero_bytes = (blocks * bits + 7) / 8;
    if (m > kMostGroups * kRowsOfAGroup || ctx.in(1).bytes() != static_cast<uint64_t>(n * words * 4) ||
        ctx.in(2).dtype() != DType::kFloat || ctx.in(2).size() != n * blocks || !zeros_fit(ctx, blocks, zero_bytes) ||
        (ctx.has(5) && ctx.in(5).size() != n)) {
      return Answer::kDeclined;
    }
    Shape shape = a.shape();
    shape[shape.rank() - 1] = n;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    OL_ASSIGN(const Parts weights, ctx.parts(1, static_cast<uint64_t>(words * 4)));
    Shader shader("nbits");
    const int64_t lanes = ctx.on_processor() ? 1 : kLanes, rows = m > 1 ? kRowsOfAGroup : 1;
    shader.set("BITS", bits).set("LANES", lanes).set("ROWS", rows).set("STEP", k % 4 == 0 ? 4 : 1);
    shader.set("BIAS", ctx.has(5));
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(0), nullptr, ctx.buffer(2)};
    if (ctx.has(3)) {
      shader.set("ZEROS", wgsl_type(ctx.in(3).dtype()));
      buffers.push_back(ctx.buffer(3));
    }
    if (ctx.has(5)) buffers.push_back(ctx.buffer(5));
    buffers.push_back(std::move(out));
    const int64_t y = (m + rows - 1) / rows, most = kMostGroups * kGroupSize / lanes;
    for (int64_t first = 0, count = 0; first < n; first += count) {
      const int64_t skip = first % weights.units;
      buffers[1] = weights.buffers[static_cast<size_t>(first / weights.units)];
      count = std::min({n - first, weights.units - skip, most});
      Uniforms u;
      u.u(m).u(n).u(k).u(block).u(blocks).u(words).u(zero_bytes).u(first).u(skip).u(count);
      const int64_t x = (count * lanes + kGroupSize - 1) / kGroupSize;
      ctx.dispatch(shader, buffers, u, Groups{static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1});
    }
    return Answer::kDone;
  }

  bool zeros_fit(const Context& ctx, int64_t blocks, int64_t zero_bytes) const {
    if (!ctx.has(3)) return true;
    const Tensor& zeros = ctx.in(3);
    if (zeros.dtype() == DType::kFloat) return zeros.size() == n * blocks;
    return zeros.dtype() == DType::kUint8 && zeros.size() == n * zero_bytes;
  }
};

struct GatherBlockQuantized : Kernel {
  int64_t bits = 4, block = 128, gather_axis = 0, quantize_axis = 1;

  Status init(Attrs& a) {
    bits = a.i("bits", 4);
    block = a.i("block_size", 128);
    gather_axis = a.i("gather_axis", 0);
    quantize_axis = a.i("quantize_axis", 1);
    return {};
  }

  // Of input `i`, along the axis that indices mean.
  static DeviceBufferPtr picked(Context& ctx, int i, DType type, const Shape& shape, int axis) {
    const Rows rows = split_at(shape, axis);
    const int64_t count = rows.outer * ctx.in(1).size() * rows.inner;
    DeviceBufferPtr to = ctx.scratch(static_cast<uint64_t>(count) * element_size(type));
    pick(ctx, type, gathered(rows, operand(ctx, 1)), ctx.buffer(i), to, count);
    return to;
  }

  Result<Answer> run(Context& ctx) const override {
    const Tensor &data = ctx.in(0), &indices = ctx.in(1), &scales = ctx.in(2);
    const bool bytes = data.dtype() == DType::kUint8;
    const DType type = bytes && bits == 4 ? DType::kUint4 : data.dtype();
    const int64_t per_byte = bytes && bits == 4 ? 2 : 1;
    Shape shape = data.shape();
    if (shape.rank() < 2 || scales.dtype() != DType::kFloat || (bytes && bits == 2)) return Answer::kDeclined;
    shape[shape.rank() - 1] *= per_byte;
    OL_ASSIGN(const int at, normalize_axis(gather_axis, shape.rank()));
    OL_ASSIGN(const int along, normalize_axis(quantize_axis, shape.rank()));
    Shape parts = shape;
    parts[along] = (shape[along] + block - 1) / block;
    const bool zeros = ctx.has(3);
    if (at == along || at == shape.rank() - 1 || !(scales.shape() == parts) || !can_gather(ctx, 1, shape[at]) ||
        (zeros && ctx.in(3).size() * per_byte != parts.size())) {
      return Answer::kDeclined;
    }
    Shape out_shape;
    for (int i = 0; i < at; ++i) out_shape.push_back(shape[i]);
    for (int i = 0; i < indices.rank(); ++i) out_shape.push_back(indices.dim(i));
    for (int i = at + 1; i < shape.rank(); ++i) out_shape.push_back(shape[i]);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, out_shape));
    QuantizeCall call{{picked(ctx, 0, type, shape, at), type, out_shape},
                      {picked(ctx, 2, DType::kFloat, parts, at), DType::kFloat, parts}};
    if (zeros) {
      call.zero = Operand{picked(ctx, 3, type, parts, at), type, parts};
    } else if (bytes) {
      const auto count = static_cast<uint64_t>(parts.size() / shape[at] * indices.size());
      OL_ASSIGN(Tensor middle, Tensor::workspace(ctx.pool(), count + 4));
      std::memset(middle.mutable_raw(), bits == 4 ? 0x88 : 0x80, count + 4);
      call.zero = Operand{ctx.upload(std::move(middle)), type, parts};
    }
    const int shifted = along > at ? along + indices.rank() - 1 : along;
    call.layout = scale_blocked(split_at(out_shape, shifted), block);
    quantize(ctx, call, DType::kFloat, std::move(out));
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"com.microsoft", "GatherBlockQuantized", 1, make<GatherBlockQuantized>},
    {"com.microsoft", "MatMulNBits", 1, make<MatMulNBits>},
};

}  // namespace

Table nbits_rows() { return kRows; }

}  // namespace onnxlet::gpu
