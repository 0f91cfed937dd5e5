// MaxPool, AveragePool, LpPool, the Global* pools, and NhwcMaxPool of com.microsoft.
#include "kernels/pool.h"

#include "base/parallel.h"
#include "base/visit.h"
#include "ops/float_io.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

Status check_planes(const Tensor& x) {
  if (x.rank() < 3)
    return run_failed("pooling needs an input of rank 3 or more (batch, channels, space); got ", x.shape());
  return {};
}

// Runs f(const float* x, float* y); halves are widened. The channels-last kernels are float's alone: the layout pass
// keeps double away from them.
template <class F>
Status run_float(OpContext& ctx, const Shape& out, F&& f) {
  const Tensor& x = ctx.in(0);
  if (x.dtype() == DType::kDouble) return not_implemented("double with the channels last");
  OL_ASSIGN(const float* xf, float_input(ctx, x));
  OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), out));
  f(xf, y.data());
  y.finish();
  return {};
}

// The same in float or double: f(const T* x, T* y).
template <class F>
Status run_real(OpContext& ctx, const Shape& out, F&& f) {
  const Tensor& x = ctx.in(0);
  if (x.dtype() != DType::kDouble) return run_float(ctx, out, f);
  OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, out));
  f(x.data<double>(), y->mutable_data<double>());
  return {};
}

struct SlidingPool : Op {
  WindowAttrs window;
  bool channels_last = false;

  Status read(Attrs& a) {
    channels_last = a.channels_last();
    OL_TRY(window.read(a));
    window.ceil_mode = a.i("ceil_mode") != 0;
    if (window.kernel_shape.empty()) return invalid_graph("kernel_shape is required");
    return {};
  }
  Result<Window> resolve(const Tensor& x) const {
    OL_TRY(check_planes(x));
    return window.resolve(spatial(x.shape(), channels_last), Shape(window.kernel_shape));
  }
  int64_t channels(const Tensor& x) const { return channels_of(x.shape(), channels_last); }
  Shape out_shape(const Tensor& x, const Window& w) const {
    return with_spatial(x.dim(0), channels(x), w.out, channels_last);
  }
  static int64_t planes(const Tensor& x) { return x.dim(0) * x.dim(1); }
};

struct MaxPool : SlidingPool {
  bool column_major = false;

  Status init(Attrs& a) {
    column_major = a.i("storage_order") != 0;
    return read(a);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    const Shape out = out_shape(x, w);
    int64_t* indices = nullptr;
    if (ctx.wants(1)) {
      if (channels_last) return not_implemented("Indices with the channels last");
      OL_ASSIGN(Tensor * t, ctx.out(1, DType::kInt64, out));
      indices = t->mutable_data<int64_t>();
    }
    ctx.set_kernel(channels_last ? "pool_max_nhwc" : "pool_max");
    auto pool = [&]<class T>(const T* in, T* y) {
      if constexpr (!std::is_same_v<T, double>) {
        if (channels_last) return pool_max_nhwc(w, x.dim(0), channels(x), in, y);
      }
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
    return channels_last ? run_float(ctx, out, pool) : run_real(ctx, out, pool);
  }
};

struct AveragePool : SlidingPool {
  bool include_pad;

  Status init(Attrs& a) {
    include_pad = a.i("count_include_pad") != 0;
    return read(a);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    if (channels_last) {
      ctx.set_kernel("pool_average_nhwc");
      return run_float(ctx, out_shape(x, w), [&](const float* in, float* y) {
        pool_average_nhwc(w, x.dim(0), channels(x), in, y, include_pad);
      });
    }
    ctx.set_kernel("pool_average");
    return run_real(ctx, out_shape(x, w),
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
    return read(a);
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Window w, resolve(x));
    ctx.set_kernel("pool_lp");
    return run_real(ctx, out_shape(x, w), [&]<class T>(const T* in, T* y) { pool_lp(w, planes(x), in, y, p); });
  }
};

enum class Global { kMax, kAverage, kLp };

template <Global kKind>
struct GlobalPool : Op {
  double p = 2;
  bool channels_last = false;

  Status init(Attrs& a) {
    channels_last = a.channels_last();
    if (kKind == Global::kLp) p = read_p(a);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 2) return run_failed("global pooling needs batch and channels; got shape ", x.shape());
    if constexpr (kKind != Global::kLp) {
      if (channels_last) return run_nhwc(ctx);
    }
    const int64_t planes = x.dim(0) * x.dim(1), n = x.shape().product(2, x.rank());
    return run_real(ctx, with_spatial(x.dim(0), x.dim(1), Shape::filled(x.rank() - 2, 1)),
                    [&]<class T>(const T* in, T* y) {
                      if constexpr (kKind == Global::kMax) global_max(planes, n, in, y);
                      if constexpr (kKind == Global::kAverage) global_average(planes, n, in, y);
                      if constexpr (kKind == Global::kLp) global_lp(planes, n, in, y, p);
                    });
  }

  Status run_nhwc(OpContext& ctx) const {
    const Tensor& x = ctx.in(0);
    const int64_t channels = x.shape().back(), n = x.shape().product(1, x.rank() - 1);
    const Shape out = with_spatial(x.dim(0), channels, Shape::filled(x.rank() - 2, 1), true);
    return run_float(ctx, out, [&](const float* in, float* y) {
      kKind == Global::kMax ? global_max_nhwc(x.dim(0), n, channels, in, y)
                            : global_average_nhwc(x.dim(0), n, channels, in, y);
    });
  }
};

const OpRow kRows[] = {
    {"MaxPool", 1, make<MaxPool>, kChannelsLast},
    {"AveragePool", 1, make<AveragePool>, kChannelsLast},
    {"LpPool", 1, make<LpPool>},
    {"GlobalMaxPool", 1, make<GlobalPool<Global::kMax>>, kChannelsLast},
    {"GlobalAveragePool", 1, make<GlobalPool<Global::kAverage>>, kChannelsLast},
    {"GlobalLpPool", 1, make<GlobalPool<Global::kLp>>},
};

struct NhwcMaxPool : MaxPool {
  Status init(Attrs& a) {
    OL_TRY(MaxPool::init(a));
    channels_last = true;
    return {};
  }
};

const OpRow kContribRows[] = {
    {"NhwcMaxPool", 1, make<NhwcMaxPool>},
};

}  // namespace

extern const OpTable kPoolOps{"", kRows};
extern const OpTable kPoolContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
