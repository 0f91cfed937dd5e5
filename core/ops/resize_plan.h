// What Resize does along each axis, for whatever then does it.
#pragma once

#include <vector>

#include "ops/op.h"

namespace onnxlet {

struct ResizePlan {
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

  // What happens along one axis.
  struct AxisPlan {
    int64_t in = 1, out = 1;
    float scale = 1;
    float length = 1;  // of the resized axis before it is cut to an integer
    float roi_start = 0, roi_end = 1;
    bool identity = true;
  };

  Mode mode;
  Transform transform = Transform::kAsymmetric;
  Nearest nearest = Nearest::kSimple;
  Aspect aspect = Aspect::kStretch;
  bool antialias = false, exclude_outside = false, has_axes = false;
  float cubic_a = -0.75f, extrapolation = 0;
  std::vector<int64_t> axes;
  int scales_input = 1, sizes_input = -1;

  Status init(Attrs& a);
  bool crops() const { return transform == Transform::kCrop; }
  // One of the axes' plans each. `roi` has starts, then ends, where parts are cut out; sizes or scales may be null.
  Status make(const Shape& in, std::span<const float> roi, const Tensor* sizes, const Tensor* scales,
              std::vector<AxisPlan>* plan) const;

  // Where the j-th element comes from, in float as every runtime computes it.
  float source(const AxisPlan& p, int64_t j) const;
  bool outside(const AxisPlan& p, float x) const;
  int64_t nearest_pixel(const AxisPlan& p, float x) const;
  // How many elements of an axis make one, for linear and cubic; which they are, and their weights.
  int64_t tap_count(const AxisPlan& p) const { return 2 - 2 * first_tap(p); }
  void fill_taps(const AxisPlan& p, int32_t* indices, double* weights) const;

 private:
  double stretch(const AxisPlan& p) const;
  int64_t first_tap(const AxisPlan& p) const;
  double kernel(double x) const;
  Status plan_sizes(const Tensor& sizes, const std::vector<int>& which, std::vector<AxisPlan>* plan) const;
  Status plan_scales(const Tensor& scales, const std::vector<int>& which, std::vector<AxisPlan>* plan) const;
};

}  // namespace onnxlet
