// Axis permutations, plain and of blocks.
#include <algorithm>
#include <string_view>

#include "kernels/move.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct Transpose : Op {
  std::vector<int64_t> perm;  // empty: reversed

  Status init(Attrs& a) {
    perm = a.ints("perm");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int rank = x.rank();
    std::vector<int> order(static_cast<size_t>(rank));
    if (perm.empty()) {
      for (int i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = rank - 1 - i;
    } else {
      if (perm.size() != order.size()) {
        return run_failed("perm has ", perm.size(), " entries but the input has shape ", x.shape());
      }
      uint32_t seen = 0;
      for (size_t i = 0; i < order.size(); ++i) {
        OL_ASSIGN(order[i], normalize_axis(perm[i], rank));
        if (seen & (1u << order[i])) return run_failed("perm names axis ", order[i], " twice");
        seen |= 1u << order[i];
      }
    }
    Shape shape;
    for (const int axis : order) shape.push_back(x.dim(axis));
    if (keeps_order(x.shape(), order)) {
      ctx.set(0, x.reshaped(shape));
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    permute(x.dtype(), x.raw(), x.shape(), order, y->mutable_raw());
    return {};
  }

  // Only axes of length 1 move: the elements stay where they are.
  static bool keeps_order(const Shape& shape, std::span<const int> order) {
    int last = -1;
    for (const int axis : order) {
      if (shape[axis] == 1) continue;
      if (axis < last) return false;
      last = axis;
    }
    return true;
  }
};

// DepthToSpace and SpaceToDepth: view the input with rank 6, permute, view the result with rank 4.
Status permute_blocks(OpContext& ctx, const Shape& view, std::span<const int> perm, const Shape& shape) {
  const Tensor& x = ctx.in(0);
  OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
  permute(x.dtype(), x.raw(), view, perm, y->mutable_raw());
  return {};
}

struct BlockOp : Op {
  int64_t block;
  bool column_first;  // mode CRD

  Status init(Attrs& a) {
    block = a.i("blocksize");
    const std::string_view mode = a.s("mode", "DCR");
    if (mode != "DCR" && mode != "CRD") return invalid_graph("mode must be DCR or CRD; it is ", mode);
    column_first = mode == "CRD";
    if (block < 1 || block > 1 << 20) return invalid_graph("blocksize must be positive; it is ", block);
    return {};
  }
};

struct DepthToSpace : BlockOp {
  Status run(OpContext& ctx) const override {
    const Shape& in = ctx.in(0).shape();
    if (in.rank() != 4) return run_failed("the input must be [N,C,H,W]; it has shape ", in);
    const int64_t n = in[0], depth = in[1] / (block * block), h = in[2], w = in[3];
    if (in[1] % (block * block) != 0) {
      return run_failed("the channels must be a multiple of blocksize squared; ", in, " with blocksize ", block);
    }
    const Shape shape{n, depth, h * block, w * block};
    if (column_first) {
      static constexpr int kPerm[] = {0, 1, 4, 2, 5, 3};
      return permute_blocks(ctx, Shape{n, depth, block, block, h, w}, kPerm, shape);
    }
    static constexpr int kPerm[] = {0, 3, 4, 1, 5, 2};
    return permute_blocks(ctx, Shape{n, block, block, depth, h, w}, kPerm, shape);
  }
};

struct SpaceToDepth : BlockOp {
  Status run(OpContext& ctx) const override {
    const Shape& in = ctx.in(0).shape();
    if (in.rank() != 4) return run_failed("the input must be [N,C,H,W]; it has shape ", in);
    if (in[2] % block != 0 || in[3] % block != 0) {
      return run_failed("height and width must be multiples of blocksize; ", in, " with blocksize ", block);
    }
    const int64_t n = in[0], c = in[1], h = in[2] / block, w = in[3] / block;
    static constexpr int kDepthFirst[] = {0, 3, 5, 1, 2, 4}, kColumnFirst[] = {0, 1, 3, 5, 2, 4};
    const Shape shape{n, c * block * block, h, w};
    return permute_blocks(ctx, Shape{n, c, h, block, w, block}, column_first ? kColumnFirst : kDepthFirst, shape);
  }
};

const OpRow kRows[] = {
    {"Transpose", 1, make<Transpose>},
    {"DepthToSpace", 1, make<DepthToSpace>},
    {"SpaceToDepth", 1, make<SpaceToDepth>},
};

}  // namespace

extern const OpTable kTransposeOps{"", kRows};

}  // namespace onnxlet
