// Operators that make tensors out of attributes and scalars.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/move.h"
#include "ops/as_float.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Constant : Op {
  Tensor value;

  Status init(Attrs& a) {
    for (const char* name : {"value", "sparse_value"}) {
      if (!a.has(name)) continue;
      OL_ASSIGN(value, a.tensor(name));
      return {};
    }
    Pool& pool = a.pool();
    if (a.has("value_int")) {
      const int64_t v = a.i("value_int");
      return take(Tensor::from<int64_t>(pool, Shape{}, {&v, 1}));
    }
    if (a.has("value_float")) {
      const float v = a.f("value_float");
      return take(Tensor::from<float>(pool, Shape{}, {&v, 1}));
    }
    if (a.has("value_string")) {
      const std::string v(a.s("value_string"));
      return take(Tensor::from<std::string>(pool, Shape{}, {&v, 1}));
    }
    if (a.has("value_ints")) return take(Tensor::of_ints(pool, a.ints("value_ints")));
    if (a.has("value_floats")) {
      const std::vector<float> v = a.floats("value_floats");
      return take(Tensor::from<float>(pool, Shape{static_cast<int64_t>(v.size())}, v));
    }
    if (a.has("value_strings")) {
      const auto views = a.strings("value_strings");
      const std::vector<std::string> v(views.begin(), views.end());
      return take(Tensor::from<std::string>(pool, Shape{static_cast<int64_t>(v.size())}, v));
    }
    return invalid_graph(
        "one of the attributes value, sparse_value, value_int, value_ints, value_float, value_floats, "
        "value_string, value_strings is needed; none is given");
  }

  Status take(Result<Tensor> made) {
    if (!made.ok()) return made.status();
    value = made.take();
    return {};
  }

  Status run(OpContext& ctx) const override {
    ctx.set(0, value);
    return {};
  }
};

struct ConstantOfShape : Op {
  Tensor value;  // one element; not valid: float 0

  Status init(Attrs& a) {
    OL_ASSIGN(value, a.tensor("value"));
    if (!value.valid()) return {};
    if (value.size() != 1) return invalid_graph("value must have one element; it has shape ", value.shape());
    OL_ASSIGN(value, value.unpack(a.pool()));
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const auto dims, to_ints(ctx.in(0), "input"));
    OL_ASSIGN(const Shape shape, make_shape(dims));
    const float zero = 0;
    const DType type = value.valid() ? value.dtype() : DType::kFloat;
    OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
    fill_elements(type, y->mutable_raw(), y->size(), value.valid() ? value.raw() : &zero);
    return {};
  }
};

struct EyeLike : Op {
  DType dtype;
  int64_t k;

  Status init(Attrs& a) {
    dtype = a.dtype("dtype");
    k = a.i("k", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() != 2) return run_failed("the input must be 2-D; it has shape ", x.shape());
    const DType type = dtype == DType::kUndefined ? x.dtype() : dtype;
    alignas(16) unsigned char one[16];
    if (!store_scalar(type, 1, one)) return not_implemented("EyeLike of element type ", type, " is not defined");
    OL_ASSIGN(Tensor * y, ctx.out(0, type, x.shape()));
    clear_elements(type, y->mutable_raw(), y->size());
    const int64_t rows = x.dim(0), cols = x.dim(1);
    if (k >= cols || k <= -rows) return {};
    const int64_t row = std::max<int64_t>(0, -k), col = std::max<int64_t>(0, k);
    const int64_t count = std::min(rows - row, cols - col);
    if (count <= 0) return {};
    copy_strided(type, Shape{count}, one, Shape{0}, element_at(type, y->mutable_raw(), row * cols + col),
                 Shape{cols + 1});
    return {};
  }
};

// max(ceil((limit - start) / delta), 0)
template <class T>
uint64_t range_length(T start, T limit, T delta) {
  if constexpr (std::is_floating_point_v<T>) {
    const double n = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    return n > 0 ? (n < 9e18 ? static_cast<uint64_t>(n) : UINT64_MAX) : 0;
  } else {
    if (delta > 0 ? start >= limit : start <= limit) return 0;
    const uint64_t s = static_cast<uint64_t>(start), l = static_cast<uint64_t>(limit), d = static_cast<uint64_t>(delta);
    const uint64_t span = delta > 0 ? l - s : s - l, step = delta > 0 ? d : 0 - d;
    return (span - 1) / step + 1;
  }
}

struct Range : Op {
  Status init(Attrs& a) {
    // Halves are always computed in float: stash_type may only ask for that or for more.
    a.ignore("stash_type");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &start = ctx.in(0), &limit = ctx.in(1);
    for (const Tensor* t : {&start, &limit, ctx.opt(2)}) {
      if (t && t->size() != 1) return run_failed("start, limit and delta must be scalars; one has shape ", t->shape());
    }
    const DType type = start.dtype();
    if (type == DType::kFloat) return fill<float>(ctx, DType::kFloat);
    if (type == DType::kDouble) return fill<double>(ctx, DType::kDouble);
    if (is_float(type)) return fill<float>(ctx, DType::kFloat);
    return fill<int64_t>(ctx, DType::kInt64);
  }

  template <class T>
  static Status fill(OpContext& ctx, DType type) {
    OL_ASSIGN(const T* start, values_as<T>(ctx, ctx.in(0)));
    OL_ASSIGN(const T* limit, values_as<T>(ctx, ctx.in(1)));
    const T s = *start;
    T d = 1;
    if (ctx.has(2)) {  // optional in com.microsoft
      OL_ASSIGN(const T* delta, values_as<T>(ctx, ctx.in(2)));
      d = *delta;
    }
    if (d == T(0) || d != d) return run_failed("delta must not be 0");
    const uint64_t n = range_length<T>(s, *limit, d);
    if (n > (uint64_t{1} << 48)) return run_failed("the range would have ", n, " elements");
    OL_ASSIGN(Tensor * y, ctx.out(0, ctx.in(0).dtype(), Shape{static_cast<int64_t>(n)}));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    T* out = static_cast<T*>(to);
    for (uint64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>)
        out[i] = static_cast<T>(static_cast<uint64_t>(s) + i * static_cast<uint64_t>(d));
      else
        out[i] = s + static_cast<T>(i) * d;
    }
    store(to, type, y);
    return {};
  }
};

const OpRow kRows[] = {
    {"Constant", 1, make<Constant>, kPackedSubByte},
    {"ConstantOfShape", 9, make<ConstantOfShape>},
    {"EyeLike", 9, make<EyeLike>},
    {"Range", 11, make<Range>},
};

const OpRow kContribRows[] = {{"Range", 1, make<Range>}};

}  // namespace

extern const OpTable kConstantOps{"", kRows};
extern const OpTable kConstantContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
