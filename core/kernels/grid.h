// Sampling and pooling at places given by data: grids, regions of interest, sliding blocks.
#pragma once

#include <cstdint>
#include <span>

#include "base/shape.h"

namespace onnxlet {

enum class GridMode : uint8_t { kNearest, kLinear, kCubic };
enum class GridPadding : uint8_t { kZeros, kBorder, kReflection };

struct GridOptions {
  GridMode mode;
  GridPadding padding;
  bool align_corners;
};
inline constexpr int kMaxGridDims = 3;

// y [n, c, points] from x [n, c, dims...] at grid [n, points, rank of dims], coordinates innermost axis first.
template <class T>
void grid_sample(const T* x, int64_t n, int64_t c, const Shape& dims, const T* grid, int64_t points, const GridOptions& options, T* y);

// y [n, dims..., k] from theta [n, k, k + 1], k the rank of dims.
template <class T>
void affine_grid(const T* theta, int64_t n, const Shape& dims, bool align_corners, T* y);

struct BlockGeometry {  // per spatial axis
  Shape image, block, columns;
  std::span<const int64_t> strides, dilations, pads_begin;
};
// Sums the columns [planes, block, columns] into images [planes, image].
template <class T>
void col2im(const T* x, int64_t planes, const BlockGeometry& g, T* y);

struct RoiGeometry {
  int64_t channels, height, width, out_height, out_width;
  float scale;
};
struct RoiAlignOptions {
  int64_t sampling_ratio;
  bool max, half_pixel;
};
// y [rois, channels, out_height, out_width]; rois are [x1, y1, x2, y2], batch[i] is already checked.
template <class T>
void roi_align(const T* x, const RoiGeometry& g, const T* rois, const int64_t* batch, int64_t count, const RoiAlignOptions& options, T* y);

// rois are [batch, x1, y1, x2, y2].
template <class T>
void max_roi_pool(const T* x, const RoiGeometry& g, const T* rois, int64_t count, T* y);

}  // namespace onnxlet
