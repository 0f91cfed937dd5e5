// Sampling and pooling at places given by data: grids, regions of interest, sliding blocks. `type` is float or double,
// and that of all floating-point arguments.
#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
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
void grid_sample(DType type, const void* x, int64_t n, int64_t c, const Shape& dims, const void* grid, int64_t points,
                 const GridOptions& options, void* y);

// y [n, dims..., k] from theta [n, k, k + 1], k the rank of dims.
void affine_grid(DType type, const void* theta, int64_t n, const Shape& dims, bool align_corners, void* y);

struct BlockGeometry {  // per spatial axis
  Shape image, block, columns;
  std::span<const int64_t> strides, dilations, pads_begin;
};
// Sums the columns [planes, block, columns] into images [planes, image].
void col2im(DType type, const void* x, int64_t planes, const BlockGeometry& g, void* y);

struct RoiGeometry {
  int64_t channels, height, width, out_height, out_width;
  float scale;
};
struct RoiAlignOptions {
  int64_t sampling_ratio;
  bool max, half_pixel;
};
// y [rois, channels, out_height, out_width]; rois are [x1, y1, x2, y2], batch[i] is already checked.
void roi_align(DType type, const void* x, const RoiGeometry& g, const void* rois, const int64_t* batch, int64_t count,
               const RoiAlignOptions& options, void* y);

// rois are [batch, x1, y1, x2, y2].
void max_roi_pool(DType type, const void* x, const RoiGeometry& g, const void* rois, int64_t count, void* y);

}  // namespace onnxlet
