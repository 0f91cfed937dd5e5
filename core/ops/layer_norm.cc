// LayerNormalization, RMSNormalization, GroupNormalization, LpNormalization, MeanVarianceNormalization and the
// skip/embedding variants of com.microsoft.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "kernels/binary.h"
#include "kernels/normalize.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

// Elements of a tensor as T (float, or double where the tensor is double).
template <class T>
Result<const T*> elements(OpContext& ctx, const Tensor& t) {
  if constexpr (std::is_same_v<T, double>) {
    if (t.dtype() == DType::kDouble) return t.data<double>();
    OL_ASSIGN(const float* f, floats_of(ctx, t));
    OL_ASSIGN(double* d, ctx.scratch_of<double>(t.size()));
    std::copy_n(f, t.size(), d);
    return static_cast<const double*>(d);
  } else {
    return floats_of(ctx, t);
  }
}

// An affine operand that broadcasts to `shape`, as one row for all (stride 0) or one per row (stride n).
template <class T>
struct Affine {
  const T* data = nullptr;
  int64_t stride = 0;
};
template <class T>
Result<Affine<T>> affine_of(OpContext& ctx, int input, const Shape& shape, int axis, const char* name) {
  if (input < 0 || !ctx.has(input)) return Affine<T>{};
  const Tensor& t = ctx.in(input);
  const int64_t n = shape.product(axis, shape.rank());
  OL_ASSIGN(const T* values, elements<T>(ctx, t));
  Shape full;
  if (t.rank() > shape.rank() || !broadcast_shapes(t.shape(), shape, &full) || !(full == shape)) {
    return run_failed(name, " of shape ", t.shape(), " does not broadcast to the input's shape ", shape);
  }
  const int lead = shape.rank() - t.rank();
  bool per_row = false;
  for (int i = lead; i < axis; ++i) per_row = per_row || t.dim(i - lead) != 1;
  if (!per_row && t.size() == n) return Affine<T>{values, 0};
  Shape target = shape;
  for (int i = 0; i < axis && !per_row; ++i) target[i] = 1;
  OL_ASSIGN(T * expanded, ctx.scratch_of<T>(target.size()));
  const std::array<Shape, 1> strides{broadcast_strides(t.shape(), target)};
  T* out = expanded;
  if (target.size() != 0) {
    for (StridedIterator it(target, strides); !it.done(); it.next()) {
      for (int64_t i = 0; i < it.inner(); ++i) *out++ = values[it.offset(0) + i * it.inner_stride(0)];
    }
  }
  return Affine<T>{expanded, per_row ? n : 0};
}

// Saved statistics: [leading dims, 1, ...]. Null when the model does not use the output.
template <class T>
struct Saved {
  T* data = nullptr;
  Tensor* tensor = nullptr;
  void finish() const {
    if (!tensor || static_cast<const void*>(data) == tensor->raw()) return;
    for (int64_t i = 0; i < tensor->size(); ++i) {
      const float v = static_cast<float>(data[i]);
      from_floats(tensor->dtype(), &v, 1,
                  static_cast<char*>(tensor->mutable_raw()) + static_cast<size_t>(i) * element_size(tensor->dtype()));
    }
  }
};
template <class T>
Result<Saved<T>> saved_output(OpContext& ctx, int i, DType dtype, const Shape& shape, int axis) {
  if (i < 0 || !ctx.wants(i)) return Saved<T>{};
  Shape s = shape;
  for (int d = axis; d < shape.rank(); ++d) s[d] = 1;
  OL_ASSIGN(Tensor * t, ctx.out(i, dtype, s));
  if (dtype == dtype_of<T>) return Saved<T>{t->mutable_data<T>(), t};
  OL_ASSIGN(T * data, ctx.scratch_of<T>(t->size()));
  return Saved<T>{data, t};
}

// How one of the layer normalizations differs from the others.
struct LayerNormSpec {
  bool center;
  int scale_input, bias_input;  // bias -1: none
  int mean_output, inv_output;  // -1: none
};

template <class T>
Status layer_norm(OpContext& ctx, const LayerNormSpec& spec, const T* x, const Shape& shape, int axis, float epsilon,
                  DType stats_type, T* y) {
  OL_ASSIGN(const Affine<T> scale, affine_of<T>(ctx, spec.scale_input, shape, axis, "Scale"));
  OL_ASSIGN(const Affine<T> bias, affine_of<T>(ctx, spec.bias_input, shape, axis, "B"));
  OL_ASSIGN(const Saved<T> mean, saved_output<T>(ctx, spec.mean_output, stats_type, shape, axis));
  OL_ASSIGN(const Saved<T> inv, saved_output<T>(ctx, spec.inv_output, stats_type, shape, axis));
  normalize_rows(NormalizeRows<T>{x, shape.product(0, axis), shape.product(axis, shape.rank()), epsilon, spec.center,
                                  scale.data, bias.data, scale.stride, bias.stride, y, mean.data, inv.data});
  mean.finish();
  inv.finish();
  return {};
}

constexpr LayerNormSpec kLayerNorm{true, 1, 2, 1, 2};
constexpr LayerNormSpec kRmsNorm{false, 1, -1, -1, -1};
constexpr LayerNormSpec kSimplifiedLayerNorm{false, 1, -1, -1, 1};

template <const LayerNormSpec& kSpec>
struct LayerNorm : Op {
  int64_t axis = -1;
  float epsilon = 1e-5f;
  DType stash = DType::kFloat;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    epsilon = a.f("epsilon", 1e-5f);
    stash = a.dtype("stash_type", DType::kFloat);
    if (!is_float(stash)) return invalid_graph("stash_type must be a float type; it is ", stash);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int ax, normalize_axis(axis, x.rank()));
    const DType out_type = ctx.in(1).dtype();  // V of RMSNormalization; elsewhere the same as x's
    if (x.dtype() == DType::kDouble && out_type == DType::kDouble) {
      OL_ASSIGN(Tensor * y, ctx.out(0, out_type, x.shape()));
      return layer_norm<double>(ctx, kSpec, x.data<double>(), x.shape(), ax, epsilon, stash, y->mutable_data<double>());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, out_type, x.shape()));
    OL_TRY(layer_norm<float>(ctx, kSpec, in, x.shape(), ax, epsilon, stash, y.data));
    y.finish();
    return {};
  }
};

struct GroupNorm : Op {
  int64_t groups = 1;
  float epsilon = 1e-5f;
  bool per_group = false;  // version 18 has one scale and bias per group

  Status init(Attrs& a) {
    groups = a.i("num_groups");
    epsilon = a.f("epsilon", 1e-5f);
    per_group = a.since_version() < 21;
    if (a.since_version() >= 21) a.ignore("stash_type");
    if (groups < 1) return invalid_graph("num_groups must be positive; it is ", groups);
    return {};
  }

  template <class T>
  Status apply(OpContext& ctx, const T* x, const Shape& shape, T* y) const {
    const int64_t c = shape[1];
    // Some exporters of version 18 write one value per channel; the length tells.
    const int64_t given = ctx.in(1).size();
    const bool by_group = per_group && given == groups;
    if ((given != c && !by_group) || ctx.in(2).size() != given) {
      return run_failed("scale and bias have shapes ", ctx.in(1).shape(), " and ", ctx.in(2).shape(), "; ",
                        per_group ? groups : c, " elements each are expected");
    }
    OL_ASSIGN(const T* scale, elements<T>(ctx, ctx.in(1)));
    OL_ASSIGN(const T* bias, elements<T>(ctx, ctx.in(2)));
    normalize_groups(NormalizeGroups<T>{x, shape[0], groups, c / groups, shape.product(2, shape.rank()), epsilon, scale,
                                        bias, by_group, y});
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 2 || x.dim(1) % groups != 0) {
      return run_failed("input of shape ", x.shape(), " needs a channel dimension divisible by num_groups = ", groups);
    }
    if (x.dtype() == DType::kDouble) {
      OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
      return apply<double>(ctx, x.data<double>(), x.shape(), y->mutable_data<double>());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    OL_TRY(apply<float>(ctx, in, x.shape(), y.data));
    y.finish();
    return {};
  }
};

struct LpNormalization : Op {
  int64_t axis = -1, p = 2;
  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    p = a.i("p", 2);
    if (p != 1 && p != 2) return invalid_graph("p must be 1 or 2; it is ", p);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int ax, normalize_axis(axis, x.rank()));
    const Rows r = split_at(x.shape(), ax);
    if (x.dtype() == DType::kDouble) {
      OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
      lp_normalize(static_cast<int>(p), x.data<double>(), r.outer, r.n, r.inner, y->mutable_data<double>());
      return {};
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    lp_normalize(static_cast<int>(p), in, r.outer, r.n, r.inner, y.data);
    y.finish();
    return {};
  }
};

// (x - E[x]) / (sqrt(E[x^2] - E[x]^2) + 1e-9) over any axes, as the operator's function body has it.
struct MeanVarianceNormalization : Op {
  std::vector<int64_t> axes{0, 2, 3};
  Status init(Attrs& a) {
    std::vector<int64_t> given = a.ints("axes");
    if (!given.empty()) axes = std::move(given);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const std::vector<int> reduced, normalize_axes(axes, x.rank()));
    OL_ASSIGN(const double* in, elements<double>(ctx, x));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    if (x.size() == 0) return {};
    Shape kept = x.shape();
    for (int axis : reduced) kept[axis] = 1;
    const int64_t groups = kept.size();
    const double count = static_cast<double>(x.size() / groups);
    OL_ASSIGN(double* mean, ctx.scratch_of<double>(groups));
    OL_ASSIGN(double* scale, ctx.scratch_of<double>(groups));
    OL_ASSIGN(double* out, ctx.scratch_of<double>(x.size()));
    std::fill_n(mean, groups, 0.0);
    std::fill_n(scale, groups, 0.0);
    const std::array<Shape, 2> strides{x.shape().strides(), broadcast_strides(kept, x.shape())};
    const auto each = [&](auto&& body) {
      for (StridedIterator it(x.shape(), strides); !it.done(); it.next()) {
        for (int64_t i = 0; i < it.inner(); ++i) {
          body(it.offset(0) + i * it.inner_stride(0), it.offset(1) + i * it.inner_stride(1));
        }
      }
    };
    each([&](int64_t i, int64_t g) { mean[g] += in[i]; });
    for (int64_t g = 0; g < groups; ++g) mean[g] /= count;
    each([&](int64_t i, int64_t g) { scale[g] += (in[i] - mean[g]) * (in[i] - mean[g]); });
    for (int64_t g = 0; g < groups; ++g) scale[g] = 1 / (std::sqrt(scale[g] / count) + 1e-9);
    each([&](int64_t i, int64_t g) { out[i] = (in[i] - mean[g]) * scale[g]; });
    if (y->dtype() == DType::kDouble) {
      std::copy_n(out, x.size(), y->mutable_data<double>());
    } else {
      OL_ASSIGN(float* f, ctx.scratch_of<float>(x.size()));
      std::copy_n(out, x.size(), f);
      from_floats(y->dtype(), f, x.size(), y->mutable_raw());
    }
    return {};
  }
};

// ---- com.microsoft --------------------------------------------------------------------------------------------

// normalize(input + skip + bias); the sum is an output of its own.
template <bool kCenter>
struct SkipLayerNorm : Op {
  float epsilon = 1e-12f;
  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-12f);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const Tensor& skip = ctx.in(1);
    const int bias_input = kCenter ? 4 : 3;
    const int64_t n = x.rank() > 0 ? x.shape().back() : 1;
    const bool both_empty = x.size() == 0 && skip.size() == 0;
    if (x.rank() < 1 || skip.rank() < 1 || skip.shape().back() != n ||
        (!both_empty && (skip.size() == 0 || x.size() % skip.size() != 0))) {
      return run_failed("skip of shape ", skip.shape(), " does not broadcast to the input's shape ", x.shape());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const float* add, floats_of(ctx, skip));
    OL_ASSIGN(const float* bias, optional_floats(ctx, bias_input));
    if (bias && ctx.in(bias_input).size() != n) {
      return run_failed("bias has ", ctx.in(bias_input).size(), " elements; the last dimension is ", n);
    }
    OL_ASSIGN(const FloatOutput sum, float_output(ctx, 3, x.dtype(), x.shape()));
    const int64_t skip_size = skip.size();
    const int64_t rows = n == 0 ? 0 : x.size() / n;
    parallel_for(rows, grain_for(n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        float* row = sum.data + r * n;
        apply_binary_run(kAddKernel, DType::kFloat, in + r * n, add + r * n % skip_size, row, n);
        if (bias) apply_binary_run(kAddKernel, DType::kFloat, row, bias, row, n);
      }
    });
    sum.finish();
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    static constexpr LayerNormSpec kSpec{kCenter, 2, kCenter ? 3 : -1, 1, 2};
    OL_TRY(layer_norm<float>(ctx, kSpec, sum.data, x.shape(), x.rank() - 1, epsilon, DType::kFloat, y.data));
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"LayerNormalization", 1, make<LayerNorm<kLayerNorm>>},
    {"RMSNormalization", 23, make<LayerNorm<kRmsNorm>>},
    {"SimplifiedLayerNormalization", 1, make<LayerNorm<kSimplifiedLayerNorm>>},
    {"GroupNormalization", 18, make<GroupNorm>},
    {"LpNormalization", 1, make<LpNormalization>},
    {"MeanVarianceNormalization", 1, make<MeanVarianceNormalization>},
};
const OpRow kContribRows[] = {
    {"SkipLayerNormalization", 1, make<SkipLayerNorm<true>>},
    {"SkipSimplifiedLayerNormalization", 1, make<SkipLayerNorm<false>>},
};

}  // namespace

extern const OpTable kLayerNormOps{"", kRows};
extern const OpTable kLayerNormContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
