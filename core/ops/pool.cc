// MaxPool, AveragePool, LpPool, the Global* pools, and NhwcMaxPool of com.microsoft.
#include "kernels/pool.h"

#include "base/parallel.h"
#include "base/visit.h"
#include "ops/channels_last.h"
#include "ops/float_io.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

Status check_planes(const Tensor& x) {
  if (x.rank() < 3)
    return run_failed("pooling needs an input of rank 3 or more (batch, channels, space); got ", x.shape());
  return {};
}

// Runs f(const T* x, T* y) in float or double; halves are widened.
template <class F>
Status run_real(OpContext& ctx, const Shape& out, F&& f) {
  const Tensor& x = ctx.in(0);
  if (x.dtype() == DType::kDouble) {
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, out));
    f(x.data<double>(), y->mutable_data<double>());
    return {};
  }
  OL_ASSIGN(const float* xf, float_input(ctx, x));
  OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), out));
  f(xf, y.data());
  y.finish();
  return {};
}

struct SlidingPool : Op {
  WindowAttrs window;

  Status read(Attrs& a, bool ceil, bool dilated) {
    OL_TRY(window.read(a, dilated));
    if (ceil) window.ceil_mode = a.i("ceil_mode") != 0;
    if (window.kernel_shape.empty()) return invalid_graph("kernel_shape is required");
    return {};
  }
  Result<Window> resolve(const Tensor& x) const {
    OL_TRY(check_planes(x));
    return window.resolve(spatial(x.shape()), Shape(window.kernel_shape));
  }
  static int64_t planes(const Tensor& x) { return x.dim(0) * x.dim(1); }
};

struct MaxPool : SlidingPool {
  bool column_major = false;

  Status init(Attrs& a) {
    column_major = a.i("storage_order") != 0;
    return read(a, true, true);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    const Shape out = with_spatial(x.dim(0), x.dim(1), w.out);
    int64_t* indices = nullptr;
    if (ctx.wants(1)) {
      OL_ASSIGN(Tensor * t, ctx.out(1, DType::kInt64, out));
      indices = t->mutable_data<int64_t>();
    }
    ctx.set_kernel("pool_max");
    auto pool = [&]<class T>(const T* in, T* y) {
      if (indices) {
        pool_max_indices(w, planes(x), in, y, indices, column_major);
      } else {
        pool_max(w, planes(x), in, y);
      }
    };
    if (x.dtype() == DType::kInt8 || x.dtype() == DType::kUint8) {
      OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), out));
      if (x.dtype() == DType::kInt8) {
        pool(x.data<int8_t>(), y->mutable_data<int8_t>());
      } else {
        pool(x.data<uint8_t>(), y->mutable_data<uint8_t>());
      }
      return {};
    }
    return run_real(ctx, out, pool);
  }
};

struct AveragePool : SlidingPool {
  bool include_pad;

  Status init(Attrs& a) {
    include_pad = a.i("count_include_pad") != 0;
    return read(a, true, true);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    ctx.set_kernel("pool_average");
    return run_real(ctx, with_spatial(x.dim(0), x.dim(1), w.out),
                    [&]<class T>(const T* in, T* y) { pool_average(w, planes(x), in, y, include_pad); });
  }
};

double read_p(Attrs& a) {
  return a.since_version() < 2 ? static_cast<double>(a.f("p", 2)) : static_cast<double>(a.i("p", 2));
}

struct LpPool : SlidingPool {
  double p;

  Status init(Attrs& a) {
    p = read_p(a);
    return read(a, true, true);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    ctx.set_kernel("pool_lp");
    return run_real(ctx, with_spatial(x.dim(0), x.dim(1), w.out),
                    [&]<class T>(const T* in, T* y) { pool_lp(w, planes(x), in, y, p); });
  }
};

enum class Global { kMax, kAverage, kLp };

template <Global kKind>
struct GlobalPool : Op {
  double p = 2;

  Status init(Attrs& a) {
    if (kKind == Global::kLp) p = read_p(a);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 2) return run_failed("global pooling needs batch and channels; got shape ", x.shape());
    const int64_t planes = x.dim(0) * x.dim(1), n = x.shape().product(2, x.rank());
    return run_real(ctx, with_spatial(x.dim(0), x.dim(1), Shape::filled(x.rank() - 2, 1)),
                    [&]<class T>(const T* in, T* y) {
                      if constexpr (kKind == Global::kMax) global_max(planes, n, in, y);
                      if constexpr (kKind == Global::kAverage) global_average(planes, n, in, y);
                      if constexpr (kKind == Global::kLp) global_lp(planes, n, in, y, p);
                    });
  }
};

const OpRow kRows[] = {
    {"MaxPool", 1, make<MaxPool>},
    {"AveragePool", 1, make<AveragePool>},
    {"LpPool", 1, make<LpPool>},
    {"GlobalMaxPool", 1, make<GlobalPool<Global::kMax>>},
    {"GlobalAveragePool", 1, make<GlobalPool<Global::kAverage>>},
    {"GlobalLpPool", 1, make<GlobalPool<Global::kLp>>},
};

const OpRow kContribRows[] = {
    {"NhwcMaxPool", 1, make<ChannelsLast<MaxPool, 0>>},
};

}  // namespace

extern const OpTable kPoolOps{"", kRows};
extern const OpTable kPoolContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
