// ArgMax, ArgMin and TopK: best.wgsl. CumSum: scan.wgsl.
#include <algorithm>
#include <bit>

#include "gpu/kernel.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kMostSorted = 1024;  // elements that a group shares

bool stands_alone(DType t) { return !wgsl_type(t).empty() && element_size(t) >= 4; }

struct CumSum : Kernel {
  bool exclusive = false, reverse = false;

  Status init(Attrs& a) {
    exclusive = a.i("exclusive", 0) != 0;
    reverse = a.i("reverse", 0) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (!ctx.is_here(1) || !stands_alone(x.dtype())) return Answer::kDeclined;
    OL_ASSIGN(const int64_t axis, to_int(ctx.in(1), "axis"));
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    const Rows rows = split_at(x.shape(), at);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, x.dtype(), x.shape()));
    Shader shader("scan");
    shader.set("T", wgsl_type(x.dtype())).set("EXCLUSIVE", exclusive).set("REVERSE", reverse);
    const int64_t lines = rows.outer * rows.inner;
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(out)};
    ctx.dispatch(shader, buffers, Uniforms().u(lines).u(rows.n).u(rows.inner), lines);
    return Answer::kDone;
  }
};

void dispatch_best(Context& ctx, Shader& shader, const Rows& rows, int64_t k, DeviceBufferPtr out) {
  const DType t = ctx.in(0).dtype();
  shader.set("T", wgsl_type(t)).set("SIGNED", t == DType::kInt64 ? "true" : "false");
  const int64_t lines = rows.outer * rows.inner;
  const DeviceBufferPtr buffers[] = {ctx.buffer(0), std::move(out)};
  ctx.dispatch(shader, buffers, Uniforms().u(lines).u(rows.n).u(rows.inner).u(k), groups_for(lines));
}

struct Arg : Kernel {
  int64_t axis = 0;
  bool smallest = false, keepdims = true, last = false;

  Status init(Attrs& a) {
    smallest = a.op_type() == "ArgMin";
    axis = a.i("axis", 0);
    keepdims = a.i("keepdims", 1) != 0;
    last = a.i("select_last_index", 0) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 1 || wgsl_type(x.dtype()).empty() || !(is_float(x.dtype()) || is_integer(x.dtype()))) {
      return Answer::kDeclined;
    }
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    Shape shape = x.shape();
    shape[at] = 1;
    if (!keepdims) shape.erase(at);
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kInt64, shape));
    Shader shader("best");
    shader.set("KIND", "arg").set("SMALLEST", smallest).set("LAST", last);
    dispatch_best(ctx, shader, split_at(x.shape(), at), 1, std::move(out));
    return Answer::kDone;
  }
};

struct TopK : Kernel {
  int64_t axis = -1;
  bool largest = true;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    largest = a.i("largest", 1) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (!ctx.is_here(1) || !stands_alone(x.dtype())) return Answer::kDeclined;
    OL_ASSIGN(const int64_t k, to_int(ctx.in(1), "K"));
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    const Rows rows = split_at(x.shape(), at);
    if (rows.n > kMostSorted || k < 1 || k > rows.n) return Answer::kDeclined;
    Shape shape = x.shape();
    shape[at] = k;
    const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(rows.n, 2))));
    for (int i = 0; i < 2; ++i) {
      if (!ctx.wants(i)) continue;
      OL_ASSIGN(DeviceBufferPtr out, ctx.out(i, i == 0 ? x.dtype() : DType::kInt64, shape));
      Shader shader("best");
      shader.set("KIND", "top").set("WANT", i == 0 ? "values" : "indices").set("LENGTH", length);
      dispatch_best(ctx, shader.set("SMALLEST", !largest), rows, k, std::move(out));
    }
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"", "CumSum", 11, make<CumSum>},
    {"", "ArgMax", 1, make<Arg>},
    {"", "ArgMin", 1, make<Arg>},
    {"", "TopK", 1, make<TopK>},
};

}  // namespace

Table order_rows() { return kRows; }

}  // namespace onnxlet::gpu
