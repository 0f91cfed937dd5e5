// MatMulNBits, whose weights stay packed in the device's memory: nbits.wgsl. GatherBlockQuantized: gather_blocks.wgsl.
#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kRowsOfAGroup = 4;
constexpr int64_t kMostGroups = 65535;

struct MatMulNBits : Kernel {
  int64_t k = 0, n = 0, bits = 4, block = 32;
  bool usual = true;

  Status init(Attrs& a) {
    k = a.i("K");
    n = a.i("N");
    bits = a.i("bits", 4);
    block = a.i("block_size");
    usual = (bits == 2 || bits == 4 || bits == 8) && block >= 16 && (block & (block - 1)) == 0 && k > 0 && n > 0 &&
            n <= kMostGroups && a.i("weight_prepacked") == 0;
    return {};
  }
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
    Uniforms u;
    u.u(m).u(n).u(k).u(block).u(blocks).u(words).u(zero_bytes);
    Shader shader("nbits");
    shader.set("BITS", bits).set("BIAS", ctx.has(5));
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(0), ctx.buffer(1), ctx.buffer(2)};
    if (ctx.has(3)) {
      shader.set("ZEROS", wgsl_type(ctx.in(3).dtype()));
      buffers.push_back(ctx.buffer(3));
    }
    if (ctx.has(5)) buffers.push_back(ctx.buffer(5));
    buffers.push_back(std::move(out));
    const int64_t y = (m + kRowsOfAGroup - 1) / kRowsOfAGroup;
    ctx.dispatch(shader, buffers, u, Groups{static_cast<uint32_t>(n), static_cast<uint32_t>(y), 1});
    return Answer::kDone;
  }

  bool zeros_fit(const Context& ctx, int64_t blocks, int64_t zero_bytes) const {
    if (!ctx.has(3)) return true;
    const Tensor& zeros = ctx.in(3);
    if (zeros.dtype() == DType::kFloat) return zeros.size() == n * blocks;
    return zeros.dtype() == DType::kUint8 && zeros.size() == n * zero_bytes;
  }
};

const Row kRows[] = {
    {"com.microsoft", "MatMulNBits", 1, make<MatMulNBits>},
};

}  // namespace

Table nbits_rows() { return kRows; }

}  // namespace onnxlet::gpu
