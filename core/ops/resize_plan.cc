#include "ops/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace onnxlet {
namespace {

using Mode = ResizePlan::Mode;
using Transform = ResizePlan::Transform;
using Nearest = ResizePlan::Nearest;
using Aspect = ResizePlan::Aspect;

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

}  // namespace

Status ResizePlan::init(Attrs& a) {
  OL_TRY(pick(kModes, "mode", a.s("mode", "nearest"), &mode));
  if (a.op_type() == "Upsample" || a.since_version() < 11) return {};
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

Status ResizePlan::make(const Shape& in, std::span<const float> roi, const Tensor* sizes, const Tensor* scales,
                        std::vector<AxisPlan>* plan) const {
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
  const size_t n = which.size();
  if (crops() && roi.size() != 2 * n) {
    return run_failed("tf_crop_and_resize needs a roi of ", 2 * n, " numbers; it has ", roi.size());
  }
  for (size_t i = 0; crops() && i < n; ++i) {
    AxisPlan& p = (*plan)[static_cast<size_t>(which[i])];
    p.roi_start = roi[i];
    p.roi_end = roi[i + n];
  }
  if (sizes != nullptr && sizes->size() > 0) {
    OL_TRY(plan_sizes(*sizes, which, plan));
  } else {
    if (scales == nullptr) return run_failed("one of scales and sizes must be given");
    OL_TRY(plan_scales(*scales, which, plan));
  }
  for (AxisPlan& p : *plan) {
    if (crops()) p.length = static_cast<float>(p.out);
    p.identity = p.in == p.out && p.scale == 1 && p.roi_start == 0 && p.roi_end == 1;
  }
  return {};
}

Status ResizePlan::plan_sizes(const Tensor& sizes, const std::vector<int>& which, std::vector<AxisPlan>* plan) const {
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

Status ResizePlan::plan_scales(const Tensor& scales, const std::vector<int>& which, std::vector<AxisPlan>* plan) const {
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

float ResizePlan::source(const AxisPlan& p, int64_t j) const {
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

bool ResizePlan::outside(const AxisPlan& p, float x) const {
  return transform == Transform::kCrop && !p.identity && (x < 0 || x > static_cast<float>(p.in - 1));
}

int64_t ResizePlan::nearest_pixel(const AxisPlan& p, float x) const {
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

double ResizePlan::kernel(double x) const {
  const double d = std::abs(x);
  if (mode != Mode::kCubic) return std::max(0.0, 1 - d);
  const double a = static_cast<double>(cubic_a);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

double ResizePlan::stretch(const AxisPlan& p) const {
  return antialias ? std::min(1.0, static_cast<double>(p.scale)) : 1.0;
}

// The window of an even number of taps starts there relative to the pixel left of the source coordinate (strictly left,
// so that the distance is in (0, 1]).
int64_t ResizePlan::first_tap(const AxisPlan& p) const {
  const double reach = mode == Mode::kCubic ? 2 : 1;
  return static_cast<int64_t>(std::floor(-reach / stretch(p))) + 1;
}

void ResizePlan::fill_taps(const AxisPlan& p, int32_t* indices, double* weights) const {
  const int64_t first = first_tap(p), n = tap_count(p);
  for (int64_t j = 0; j < p.out; ++j) {
    const double x = static_cast<double>(source(p, j)), left = std::ceil(x) - 1;
    double sum = 0;
    for (int pass = 0; pass < 2; ++pass) {  // the second pass stores what the first has added up
      for (int64_t k = 0; k < n; ++k) {
        const double at = left + static_cast<double>(first + k);
        double w = kernel(stretch(p) * (at - x));
        if (exclude_outside && (at < 0 || at > static_cast<double>(p.in - 1))) w = 0;
        if (pass == 0) {
          sum += w;
          continue;
        }
        if (antialias || exclude_outside) w = sum != 0 ? w / sum : 0;
        indices[j * n + k] = at > 0 ? static_cast<int32_t>(std::min(at, static_cast<double>(p.in - 1))) : 0;
        weights[j * n + k] = w;
      }
    }
  }
}

}  // namespace onnxlet
