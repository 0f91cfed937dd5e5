// GridSample: grid.wgsl.
#include "gpu/kernel.h"
#include "ops/window.h"

namespace onnxlet::gpu {
namespace {

struct GridSample : Kernel {
  std::string_view mode, padding;
  bool aligned = false;

  Status init(Attrs& a) {
    mode = a.s("mode", "linear");
    if (mode == "bilinear") mode = "linear";
    if (mode == "bicubic") mode = "cubic";
    padding = a.s("padding_mode", "zeros");
    aligned = a.i("align_corners", 0) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &grid = ctx.in(1);
    const int rank = x.rank() - 2;
    if (x.dtype() != DType::kFloat || grid.dtype() != DType::kFloat || rank < 1 || rank > kMostSpace ||
        grid.rank() != x.rank() || grid.shape().back() != rank || grid.dim(0) != x.dim(0)) {
      return Answer::kDeclined;
    }
    const Shape points(grid.shape().dims().subspan(1, static_cast<size_t>(rank)));
    const Shape shape = with_spatial(x.dim(0), x.dim(1), points);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    Shader shader("grid");
    shader.set("MODE", mode).set("PADDING", padding).set("ALIGNED", aligned).set("RANK", rank);
    Uniforms u;
    u.u(shape.size()).u(points.size()).u(x.dim(1)).dims(with_leading(spatial(x.shape()), kMostSpace, 1), 1);
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), ctx.buffer(1), std::move(out)};
    ctx.dispatch(shader, buffers, u, shape.size());
    return Answer::kDone;
  }
};

const Row kRows[] = {{"", "GridSample", 16, make<GridSample>}};

}  // namespace

Table grid_rows() { return kRows; }

}  // namespace onnxlet::gpu
