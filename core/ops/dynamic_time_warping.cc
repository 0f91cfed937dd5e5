// DynamicTimeWarping of com.microsoft: the cheapest path through a matrix of costs, which aligns words with sound.
#include <algorithm>
#include <limits>

#include "ops/op.h"

namespace onnxlet {
namespace {

struct DynamicTimeWarping : Op {
  Status init(Attrs&) { return {}; }

  // A step goes down, right, or both.
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const bool batched = x.rank() == 3 && x.dim(0) == 1;
    if ((x.rank() != 2 && !batched) || x.size() == 0) {
      return run_failed("a cost matrix with elements is needed, [M,N] or [1,M,N]; the shape is ", x.shape());
    }
    const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1), width = columns + 1;
    OL_ASSIGN(float* cost, ctx.scratch_of<float>((rows + 1) * width));
    OL_ASSIGN(int8_t* from, ctx.scratch_of<int8_t>((rows + 1) * width));
    std::fill_n(cost, (rows + 1) * width, std::numeric_limits<float>::infinity());
    cost[0] = 0;
    for (int64_t r = 1; r <= rows; ++r) {
      for (int64_t c = 1; c <= columns; ++c) {
        const float* at = cost + r * width + c;
        const float both = at[-width - 1], up = at[-width], left = at[-1];
        const int8_t step = both < up && both < left ? 0 : up < both && up < left ? 1 : 2;
        from[r * width + c] = step;
        const float before = step == 0 ? both : step == 1 ? up : left;
        cost[r * width + c] = x.data<float>()[(r - 1) * columns + c - 1] + before;
      }
    }
    std::vector<int32_t> path;  // row, column, from the end
    for (int64_t r = rows, c = columns; r > 0 || c > 0;) {
      path.push_back(static_cast<int32_t>(r - 1));
      path.push_back(static_cast<int32_t>(c - 1));
      const int8_t step = r == 0 ? 2 : c == 0 ? 1 : from[r * width + c];
      r -= step != 2, c -= step != 1;
    }
    const auto length = static_cast<int64_t>(path.size() / 2);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt32, Shape{2, length}));
    for (int64_t i = 0; i < 2 * length; ++i) {
      y->mutable_data<int32_t>()[i % 2 * length + length - 1 - i / 2] = path[static_cast<size_t>(i)];
    }
    return {};
  }
};

const OpRow kRows[] = {{"DynamicTimeWarping", 1, make<DynamicTimeWarping>}};

}  // namespace

extern const OpTable kDynamicTimeWarpingOps{"com.microsoft", kRows};

}  // namespace onnxlet
