// Resize and Upsample. Interpolation is separable: one axis after the other, each through a table of taps.
#include "kernels/resize.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/visit.h"
#include "kernels/move.h"
#include "ops/as_float.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

enum class Mode : uint8_t { kNearest, kLinear, kCubic };
enum class Transform : uint8_t {
  kHalfPixel,
  kSymmetric,
  kPytorch,
  kAlignCorners,
  kAsymmetric,
  kHalfPixelForNearest,
  kCrop
};
enum class Nearest : uint8_t { kPreferFloor, kPreferCeil, kFloor, kCeil, kSimple };
enum class Aspect : uint8_t { kStretch, kNotLarger, kNotSmaller };

template <class E>
struct Name {
  std::string_view name;
  E value;
};
constexpr Name<Mode> kModes[] = {
    {"nearest", Mode::kNearest}, {"linear", Mode::kLinear}, {"bilinear", Mode::kLinear}, {"cubic", Mode::kCubic}};
constexpr Name<Transform> kTransforms[] = {
    {"half_pixel", Transform::kHalfPixel},
    {"half_pixel_symmetric", Transform::kSymmetric},
    {"pytorch_half_pixel", Transform::kPytorch},
    {"align_corners", Transform::kAlignCorners},
    {"asymmetric", Transform::kAsymmetric},
    {"tf_crop_and_resize", Transform::kCrop},
    {"tf_half_pixel_for_nn", Transform::kHalfPixelForNearest},
};
constexpr Name<Nearest> kNearests[] = {{"round_prefer_floor", Nearest::kPreferFloor},
                                       {"round_prefer_ceil", Nearest::kPreferCeil},
                                       {"floor", Nearest::kFloor},
                                       {"ceil", Nearest::kCeil}};
constexpr Name<Aspect> kAspects[] = {
    {"stretch", Aspect::kStretch}, {"not_larger", Aspect::kNotLarger}, {"not_smaller", Aspect::kNotSmaller}};

template <class E, size_t N>
Status pick(const Name<E> (&names)[N], std::string_view attribute, std::string_view value, E* out) {
  for (const Name<E>& n : names) {
    if (n.name != value) continue;
    *out = n.value;
    return {};
  }
  return invalid_graph(attribute, " has the unknown value ", value);
}

// What happens along one axis.
struct AxisPlan {
  int64_t in = 1, out = 1;
  float scale = 1;
  float length = 1;  // of the resized axis before it is cut to an integer
  float roi_start = 0, roi_end = 1;
  bool identity = true;
};

struct Resize : Op {
  Mode mode;
  Transform transform = Transform::kAsymmetric;
  Nearest nearest = Nearest::kSimple;
  Aspect aspect = Aspect::kStretch;
  bool antialias = false, exclude_outside = false, has_axes = false;
  float cubic_a = -0.75f, extrapolation = 0;
  std::vector<int64_t> axes;
  int scales_input = 1, sizes_input = -1, roi_input = -1;

  Status init(Attrs& a) {
    OL_TRY(pick(kModes, "mode", a.s("mode", "nearest"), &mode));
    if (a.op_type() == "Upsample" || a.since_version() < 11) return {};
    roi_input = 1;
    scales_input = 2;
    sizes_input = 3;
    OL_TRY(pick(kTransforms, "coordinate_transformation_mode", a.s("coordinate_transformation_mode", "half_pixel"),
                &transform));
    OL_TRY(pick(kNearests, "nearest_mode", a.s("nearest_mode", "round_prefer_floor"), &nearest));
    OL_TRY(pick(kAspects, "keep_aspect_ratio_policy", a.s("keep_aspect_ratio_policy", "stretch"), &aspect));
    antialias = a.i("antialias", 0) != 0;
    exclude_outside = a.i("exclude_outside", 0) != 0;
    cubic_a = a.f("cubic_coeff_a", -0.75f);
    extrapolation = a.f("extrapolation_value", 0);
    axes = a.ints("axes");
    has_axes = a.has("axes");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    std::vector<AxisPlan> plan;
    OL_TRY(make_plan(ctx, &plan));
    Shape shape;
    bool identity = true;
    for (const AxisPlan& p : plan) {
      shape.push_back(p.out);
      identity = identity && p.identity;
    }
    OL_ASSIGN(const Shape checked, make_shape(shape.dims()));
    if (identity) {
      ctx.set(0, x);
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), checked));
    if (y->size() == 0) return {};
    if (x.size() == 0) return run_failed("an input without elements, ", x.shape(), ", cannot be resized to ", shape);
    if (mode == Mode::kNearest) return run_nearest(ctx, plan, y);
    return interpolate(ctx, plan, y);
  }

  // ---- what each axis does

  Status make_plan(OpContext& ctx, std::vector<AxisPlan>* plan) const {
    const Shape& in = ctx.in(0).shape();
    std::vector<int> which;
    for (const int64_t axis : axes) {
      OL_ASSIGN(const int at, normalize_axis(axis, in.rank()));
      which.push_back(at);
    }
    if (!has_axes) {
      for (int i = 0; i < in.rank(); ++i) which.push_back(i);
    }
    plan->resize(static_cast<size_t>(in.rank()));
    for (int i = 0; i < in.rank(); ++i) {
      AxisPlan& p = (*plan)[static_cast<size_t>(i)];
      p.in = p.out = in[i];
      p.length = static_cast<float>(in[i]);
    }
    if (transform == Transform::kCrop) {
      OL_TRY(read_roi(ctx, which, plan));
    }
    const Tensor* sizes = sizes_input >= 0 ? ctx.opt(sizes_input) : nullptr;
    if (sizes != nullptr && sizes->size() > 0) {
      OL_TRY(plan_sizes(*sizes, which, plan));
    } else {
      const Tensor* scales = ctx.opt(scales_input);
      if (scales == nullptr) return run_failed("one of scales and sizes must be given");
      OL_TRY(plan_scales(*scales, which, plan));
    }
    for (AxisPlan& p : *plan) {
      if (transform == Transform::kCrop) p.length = static_cast<float>(p.out);
      p.identity = p.in == p.out && p.scale == 1 && p.roi_start == 0 && p.roi_end == 1;
    }
    return {};
  }

  static Status read_roi(OpContext& ctx, const std::vector<int>& which, std::vector<AxisPlan>* plan) {
    const Tensor* roi = ctx.opt(1);
    const size_t n = which.size();
    if (roi == nullptr || roi->size() != static_cast<int64_t>(2 * n)) {
      return run_failed("tf_crop_and_resize needs a roi of ", 2 * n, " numbers; it has ",
                        roi == nullptr ? 0 : roi->size());
    }
    OL_ASSIGN(const float* edges, values_as<float>(ctx, *roi));
    for (size_t i = 0; i < n; ++i) {
      AxisPlan& p = (*plan)[static_cast<size_t>(which[i])];
      p.roi_start = edges[i];
      p.roi_end = edges[i + n];
    }
    return {};
  }

  Status plan_sizes(const Tensor& sizes, const std::vector<int>& which, std::vector<AxisPlan>* plan) const {
    OL_ASSIGN(const auto wanted, to_ints(sizes, "sizes"));
    if (wanted.size() != which.size())
      return run_failed("sizes needs ", which.size(), " entries; it has ", wanted.size());
    double common = aspect == Aspect::kNotLarger ? HUGE_VAL : 0;
    for (size_t i = 0; i < which.size(); ++i) {
      AxisPlan& p = (*plan)[static_cast<size_t>(which[i])];
      if (wanted[i] < 0 || p.in == 0)
        return run_failed("sizes must not be negative and the input not empty: ", p.in, " to ", wanted[i]);
      const double ratio = static_cast<double>(wanted[i]) / static_cast<double>(p.in);
      common = aspect == Aspect::kNotLarger ? std::min(common, ratio) : std::max(common, ratio);
      p.out = wanted[i];
      p.scale = static_cast<float>(wanted[i]) / static_cast<float>(p.in);
      p.length = static_cast<float>(wanted[i]);
    }
    if (aspect == Aspect::kStretch) return {};
    for (const int axis : which) {
      AxisPlan& p = (*plan)[static_cast<size_t>(axis)];
      if (!(common * static_cast<double>(p.in) < 1e15))
        return run_failed("an axis of ", p.in, " cannot be scaled by ", common);
      p.out = static_cast<int64_t>(std::floor(common * static_cast<double>(p.in) + 0.5));
      p.scale = static_cast<float>(common);
      p.length = static_cast<float>(common * static_cast<double>(p.in));
    }
    return {};
  }

  Status plan_scales(const Tensor& scales, const std::vector<int>& which, std::vector<AxisPlan>* plan) const {
    if (scales.dtype() != DType::kFloat) return run_failed("scales must be tensor(float)");
    const size_t n = static_cast<size_t>(scales.size());
    const bool trailing = scales_input == 1 && n < which.size();  // Upsample-1 scales height and width only
    if (n != which.size() && !trailing) return run_failed("scales needs ", which.size(), " entries; it has ", n);
    for (size_t i = 0; i < n; ++i) {
      AxisPlan& p = (*plan)[static_cast<size_t>(which[which.size() - n + i])];
      const float scale = scales.data<float>()[i];
      if (!(scale > 0)) return run_failed("scales must be positive; entry ", i, " is ", static_cast<double>(scale));
      const float part = transform == Transform::kCrop ? p.roi_end - p.roi_start : 1.0f;
      p.scale = scale;
      p.length = static_cast<float>(p.in) * scale * part;
      if (!(p.length >= 0 && p.length < 1e12f))
        return run_failed("an axis of ", p.in, " cannot be scaled by ", static_cast<double>(scale));
      p.out = static_cast<int64_t>(p.length);
    }
    return {};
  }

  // ---- coordinates, in float as every runtime computes them

  float source(const AxisPlan& p, int64_t j) const {
    const float x = static_cast<float>(j), in = static_cast<float>(p.in);
    switch (transform) {
      case Transform::kHalfPixel:
        return (x + 0.5f) / p.scale - 0.5f;
      case Transform::kSymmetric: {
        const float adjustment = static_cast<float>(p.out) / p.length;
        return in / 2 * (1 - adjustment) + (x + 0.5f) / p.scale - 0.5f;
      }
      case Transform::kPytorch:
        return p.length > 1 ? (x + 0.5f) / p.scale - 0.5f : 0.0f;
      case Transform::kAlignCorners:
        return p.length == 1 ? 0.0f : x * (in - 1) / (p.length - 1);
      case Transform::kAsymmetric:
        return x / p.scale;
      case Transform::kHalfPixelForNearest:
        return (x + 0.5f) / p.scale;
      default:
        if (p.out <= 1) return 0.5f * (p.roi_start + p.roi_end) * (in - 1);
        return p.roi_start * (in - 1) + x * (p.roi_end - p.roi_start) * (in - 1) / (p.length - 1);
    }
  }

  bool outside(const AxisPlan& p, float x) const {
    return transform == Transform::kCrop && !p.identity && (x < 0 || x > static_cast<float>(p.in - 1));
  }

  // ---- nearest

  int64_t nearest_pixel(const AxisPlan& p, float x) const {
    float at = 0;
    switch (nearest) {
      case Nearest::kPreferFloor:
        at = std::ceil(x - 0.5f);
        break;
      case Nearest::kPreferCeil:
        at = std::floor(x + 0.5f);
        break;
      case Nearest::kFloor:
        at = std::floor(x);
        break;
      case Nearest::kCeil:
        at = std::ceil(x);
        break;
      case Nearest::kSimple:
        at = p.scale < 1 ? std::ceil(x) : std::floor(x);
        break;
    }
    if (!(at > 0)) return 0;  // a region of interest that is not a number ends here too
    return std::min(at < 1e18f ? static_cast<int64_t>(at) : p.in, p.in - 1);
  }

  Status run_nearest(OpContext& ctx, const std::vector<AxisPlan>& plan, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    int64_t total = 0;
    for (const AxisPlan& p : plan) total += p.out;
    OL_ASSIGN(int64_t* table, ctx.scratch_of<int64_t>(total));
    const int64_t* tables[Shape::kMaxRank];
    const Shape strides = x.shape().strides();
    for (int axis = 0; axis < x.rank(); ++axis) {
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      tables[axis] = table;
      for (int64_t j = 0; j < p.out; ++j) *table++ = (p.identity ? j : nearest_pixel(p, source(p, j))) * strides[axis];
    }
    gather_axes(x.dtype(), y->shape(), x.raw(), tables, y->mutable_raw());
    extrapolate(plan, y);
    return {};
  }

  // tf_crop_and_resize: whatever lies outside the input becomes extrapolation_value.
  void extrapolate(const std::vector<AxisPlan>& plan, Tensor* y) const {
    if (transform != Transform::kCrop) return;
    alignas(16) unsigned char value[16];
    if (!store_scalar(y->dtype(), static_cast<double>(extrapolation), value)) return;
    for (int axis = 0; axis < y->rank(); ++axis) {
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      const Rows rows = split_at(y->shape(), axis);
      for (int64_t j = 0; j < p.out; ++j) {
        if (!outside(p, source(p, j))) continue;
        copy_strided(y->dtype(), Shape{rows.outer, rows.inner}, value, Shape{0, 0},
                     element_at(y->dtype(), y->mutable_raw(), j * rows.inner), Shape{rows.n * rows.inner, 1});
      }
    }
  }

  // ---- linear and cubic

  double cubic(double x) const {
    const double a = static_cast<double>(cubic_a), d = std::abs(x);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
  }

  double kernel(double x) const { return mode == Mode::kCubic ? cubic(x) : std::max(0.0, 1 - std::abs(x)); }

  // Taps of one axis. The window of an even number of taps starts at `first` relative to the pixel left of the source
  // coordinate (strictly left, so that the distance is in (0, 1]).
  Result<Taps> make_taps(OpContext& ctx, const AxisPlan& p) const {
    const double stretch = antialias ? std::min(1.0, static_cast<double>(p.scale)) : 1.0;
    const double reach = mode == Mode::kCubic ? 2 : 1;
    const int64_t first = static_cast<int64_t>(std::floor(-reach / stretch)) + 1, n = 2 - 2 * first;
    OL_ASSIGN(int32_t* indices, ctx.scratch_of<int32_t>(p.out * n));
    OL_ASSIGN(double* weights, ctx.scratch_of<double>(p.out * n));
    OL_ASSIGN(float* narrow, ctx.scratch_of<float>(p.out * n));
    for (int64_t j = 0; j < p.out; ++j) {
      const double x = static_cast<double>(source(p, j)), left = std::ceil(x) - 1;
      double sum = 0;
      for (int pass = 0; pass < 2; ++pass) {  // the second pass stores what the first has added up
        for (int64_t k = 0; k < n; ++k) {
          const double at = left + static_cast<double>(first + k);
          double w = kernel(stretch * (at - x));
          if (exclude_outside && (at < 0 || at > static_cast<double>(p.in - 1))) w = 0;
          if (pass == 0) {
            sum += w;
            continue;
          }
          if (antialias || exclude_outside) w = sum != 0 ? w / sum : 0;
          indices[j * n + k] = at > 0 ? static_cast<int32_t>(std::min(at, static_cast<double>(p.in - 1))) : 0;
          weights[j * n + k] = w;
          narrow[j * n + k] = static_cast<float>(w);
        }
      }
    }
    return Taps{n, indices, narrow, weights};
  }

  Status interpolate(OpContext& ctx, const std::vector<AxisPlan>& plan, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    const DType type = compute_type(x.dtype());
    OL_ASSIGN(const void* current, values_as(ctx, x, type));
    std::vector<int> order;  // shrinking axes first, the innermost first among equals
    for (const bool shrinking : {true, false}) {
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        const AxisPlan& p = plan[static_cast<size_t>(axis)];
        if (!p.identity && (p.scale < 1) == shrinking) order.push_back(axis);
      }
    }
    Shape shape = x.shape();
    const bool direct = y->dtype() == type;
    for (size_t i = 0; i < order.size(); ++i) {
      const int axis = order[i];
      const AxisPlan& p = plan[static_cast<size_t>(axis)];
      if (p.in > INT32_MAX) return not_implemented("an axis of length ", p.in, " is too long for Resize");
      OL_ASSIGN(const Taps taps, make_taps(ctx, p));
      const Rows rows = split_at(shape, axis);
      shape[axis] = p.out;
      void* next = y->mutable_raw();
      if (!direct || i + 1 < order.size()) {
        OL_ASSIGN(next, ctx.scratch(static_cast<size_t>(shape.size()) * element_size(type)));
      }
      resample_axis(type, current, rows, p.out, taps, next);
      current = next;
    }
    if (!direct) round_into(current, type, y);
    extrapolate(plan, y);
    return {};
  }

  // Integers are rounded, to even, and saturate.
  static void round_into(const void* from, DType type, Tensor* y) {
    if (is_float(y->dtype())) return store(from, type, y);
    const auto step = static_cast<int64_t>(element_size(y->dtype()));
    for (int64_t i = 0; i < y->size(); ++i) {
      double v;
      to_double(type, element_at(type, from, i), &v, 1);
      store_scalar(y->dtype(), std::nearbyint(v), y->mutable_data<char>() + i * step);
    }
  }
};

const OpRow kRows[] = {
    {"Resize", 10, make<Resize>},
    {"Upsample", 1, make<Resize>},
};

}  // namespace

extern const OpTable kResizeOps{"", kRows};

}  // namespace onnxlet
