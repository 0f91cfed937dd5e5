// Sampling on grids, regions of interest, and the inverses of sliding windows.
#include "kernels/grid.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/convert.h"
#include "kernels/move.h"
#include "kernels/scatter.h"
#include "ops/as_float.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct GridSample : Op {
  GridOptions options;

  Status init(Attrs& a) {
    const std::string_view mode = a.s("mode", "linear"), padding = a.s("padding_mode", "zeros");
    if (mode == "linear" || mode == "bilinear")
      options.mode = GridMode::kLinear;
    else if (mode == "nearest")
      options.mode = GridMode::kNearest;
    else if (mode == "cubic" || mode == "bicubic")
      options.mode = GridMode::kCubic;
    else
      return invalid_graph("mode must be linear, nearest or cubic; it is ", mode);
    if (padding == "zeros")
      options.padding = GridPadding::kZeros;
    else if (padding == "border")
      options.padding = GridPadding::kBorder;
    else if (padding == "reflection")
      options.padding = GridPadding::kReflection;
    else
      return invalid_graph("padding_mode must be zeros, border or reflection; it is ", padding);
    options.align_corners = a.i("align_corners", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &grid = ctx.in(1);
    const int rank = x.rank() - 2;
    if (rank < 1 || grid.rank() != x.rank() || grid.shape().back() != rank || grid.dim(0) != x.dim(0)) {
      return run_failed("X [N,C,d...] needs a grid [N,d...,", rank, "]; they have shapes ", x.shape(), " and ",
                        grid.shape());
    }
    if (rank > kMaxGridDims)
      return not_implemented("GridSample over ", rank, " spatial axes is not supported; at most ", kMaxGridDims);
    Shape shape{x.dim(0), x.dim(1)}, dims;
    for (int i = 0; i < rank; ++i) {
      shape.push_back(grid.dim(i + 1));
      dims.push_back(x.dim(i + 2));
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    if (y->size() == 0) return {};
    if (dims.size() == 0) return run_failed("X has no pixels to sample: ", x.shape());
    const bool floats = is_float_like(x.dtype()) || x.dtype() == DType::kDouble;
    if (options.mode == GridMode::kNearest && !floats) return pick(ctx, dims, y);
    const DType type = compute_type(x.dtype());
    OL_ASSIGN(const void* from, values_as(ctx, x, type));
    OL_ASSIGN(const void* at, values_as(ctx, grid, type));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    grid_sample(type, from, x.dim(0), x.dim(1), dims, at, grid.shape().product(1, rank + 1), options, to);
    store(to, type, y);
    return {};
  }

  // The nearest pixels of any type: their places, counted from 1, are sampled, and the pixels are taken from there.
  Status pick(OpContext& ctx, const Shape& dims, Tensor* y) const {
    const Tensor &x = ctx.in(0), &grid = ctx.in(1);
    const int64_t plane = dims.size(), n = x.dim(0), c = x.dim(1), points = grid.size() / (n * dims.rank());
    OL_ASSIGN(double* places, ctx.scratch_of<double>(n * (plane + points)));
    for (int64_t i = 0; i < n * plane; ++i) places[i] = static_cast<double>(i % plane + 1);
    double* found = places + n * plane;
    OL_ASSIGN(const double* at, values_as<double>(ctx, grid));
    grid_sample(DType::kDouble, places, n, 1, dims, at, points, options, found);
    clear_elements(x.dtype(), y->mutable_raw(), y->size());
    visit_size(x.dtype(), [&]<class T>() {
      T* to = y->mutable_data<T>();
      for (int64_t i = 0; i < n * c; ++i) {
        const T* from = x.data<T>() + i * plane;
        for (int64_t p = 0; p < points; ++p) {
          const double place = found[i / c * points + p];
          if (place > 0) to[i * points + p] = from[static_cast<int64_t>(place) - 1];
        }
      }
    });
    return {};
  }
};

struct AffineGrid : Op {
  bool align_corners;

  Status init(Attrs& a) {
    align_corners = a.i("align_corners", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& theta = ctx.in(0);
    OL_ASSIGN(const auto size, to_ints(ctx.in(1), "size"));
    const int64_t k = static_cast<int64_t>(size.size()) - 2;
    if (k < 2 || k > kMaxGridDims)
      return run_failed("size must be [N,C,H,W] or [N,C,D,H,W]; it has ", size.size(), " entries");
    if (!(theta.shape() == Shape{size[0], k, k + 1})) {
      return run_failed("theta must have shape ", Shape{size[0], k, k + 1}, "; it has ", theta.shape());
    }
    OL_ASSIGN(const Shape dims, make_shape(std::span(size).subspan(2)));
    Shape shape{size[0]};
    for (const int64_t d : dims) shape.push_back(d);
    shape.push_back(k);
    OL_ASSIGN(Tensor * y, ctx.out(0, theta.dtype(), shape));
    const DType type = compute_type(theta.dtype());
    OL_ASSIGN(const void* from, values_as(ctx, theta, type));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    affine_grid(type, from, size[0], dims, align_corners, to);
    store(to, type, y);
    return {};
  }
};

struct Col2Im : Op {
  std::vector<int64_t> strides, dilations, pads;

  Status init(Attrs& a) {
    strides = a.ints("strides");
    dilations = a.ints("dilations");
    pads = a.ints("pads");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const auto image, to_ints(ctx.in(1), "image_shape"));
    OL_ASSIGN(const auto block, to_ints(ctx.in(2), "block_shape"));
    const size_t rank = image.size();
    std::vector<int64_t> step = strides.empty() ? std::vector<int64_t>(rank, 1) : strides;
    std::vector<int64_t> dilation = dilations.empty() ? std::vector<int64_t>(rank, 1) : dilations;
    std::vector<int64_t> pad = pads.empty() ? std::vector<int64_t>(2 * rank, 0) : pads;
    if (rank == 0 || rank + 2 > static_cast<size_t>(Shape::kMaxRank) || block.size() != rank || step.size() != rank ||
        dilation.size() != rank || pad.size() != 2 * rank) {
      return run_failed(
          "image_shape, block_shape, strides and dilations need one entry per axis, pads two; image_shape has ", rank);
    }
    BlockGeometry g{Shape(image), Shape(block), {}, step, dilation, pad};
    for (size_t i = 0; i < rank; ++i) {
      constexpr int64_t kLimit = 1 << 30;
      for (const int64_t v : {std::max<int64_t>(image[i], 1), block[i], step[i], dilation[i]}) {
        if (image[i] < 0 || v < 1 || v > kLimit)
          return run_failed("axis ", i,
                            " of Col2Im has a size, stride or dilation that is not positive, or far too large");
      }
      if (std::max(std::abs(pad[i] / 2), std::abs(pad[i + rank] / 2)) > 1 << 30)
        return run_failed("the pads of axis ", i, " are too large");
      const int64_t room = image[i] + pad[i] + pad[i + rank] - dilation[i] * (block[i] - 1) - 1;
      g.columns.push_back(room < 0 ? 0 : room / step[i] + 1);
    }
    const int64_t cells = g.block.size();
    if (x.rank() != 3 || x.dim(1) % cells != 0 || x.dim(2) != g.columns.size()) {
      return run_failed("the input must be [N, C*", cells, ", ", g.columns.size(), "]; it has shape ", x.shape());
    }
    Shape shape{x.dim(0), x.dim(1) / cells};
    for (const int64_t d : image) shape.push_back(d);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    DType type = compute_type(x.dtype());
    if (x.dtype() == DType::kString) return run_failed("Col2Im adds elements; it cannot add strings");
    if (x.dtype() == DType::kComplex64 || x.dtype() == DType::kComplex128) {  // the two parts are one more axis
      g.image.push_back(2);
      g.block.push_back(1);
      g.columns.push_back(2);
      step.push_back(1);
      dilation.push_back(1);
      pad[rank] = 0;
      g.strides = step;
      g.dilations = dilation;
      type = x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
      col2im(type, x.raw(), shape[0] * shape[1], g, y->mutable_raw());
      return {};
    }
    if (!is_float_like(x.dtype()) && x.dtype() != DType::kDouble) type = DType::kInt64;
    OL_ASSIGN(const void* from, values_as(ctx, x, type));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    col2im(type, from, shape[0] * shape[1], g, to);
    store(to, type, y);
    return {};
  }
};

struct RoiAlign : Op {
  RoiAlignOptions options;
  int64_t out_height, out_width;
  float scale;

  Status init(Attrs& a) {
    const std::string_view mode = a.s("mode", "avg");
    const std::string_view transform = a.s("coordinate_transformation_mode", "output_half_pixel");
    if (mode != "avg" && mode != "max") return invalid_graph("mode must be avg or max; it is ", mode);
    options = {a.i("sampling_ratio", 0), mode == "max", transform == "half_pixel"};
    out_height = a.i("output_height", 1);
    out_width = a.i("output_width", 1);
    scale = a.f("spatial_scale", 1);
    if (out_height < 1 || out_width < 1 || options.sampling_ratio > 1 << 16) {
      return invalid_graph("output_height and output_width must be positive; they are ", out_height, " and ",
                           out_width);
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &rois = ctx.in(1);
    if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || ctx.in(2).size() != rois.dim(0)) {
      return run_failed("X [N,C,H,W], rois [R,4] and batch_indices [R] are needed; they have shapes ", x.shape(), ", ",
                        rois.shape(), ", ", ctx.in(2).shape());
    }
    OL_ASSIGN(const int64_t* batch, wrap_indices(ctx, ctx.in(2), x.dim(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), Shape{rois.dim(0), x.dim(1), out_height, out_width}));
    const DType type = compute_type(x.dtype());
    OL_ASSIGN(const void* from, values_as(ctx, x, type));
    OL_ASSIGN(const void* boxes, values_as(ctx, rois, type));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    const RoiGeometry g{x.dim(1), x.dim(2), x.dim(3), out_height, out_width, scale};
    roi_align(type, from, g, boxes, batch, rois.dim(0), options, to);
    store(to, type, y);
    return {};
  }
};

// Boxes cut out of [N, C, H, W] and resized to one size, corners on corners; coordinates are relative, [y1, x1, y2,
// x2].
struct CropAndResize : Op {
  bool nearest = false;
  float outside = 0;

  Status init(Attrs& a) {
    const std::string_view mode = a.s("mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") return invalid_graph("mode must be bilinear or nearest; it is ", mode);
    nearest = mode == "nearest";
    outside = a.f("extrapolation_value", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &rois = ctx.in(1);
    OL_ASSIGN(const std::vector<int64_t> size, to_ints(ctx.in(3), "crop_size"));
    if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || ctx.in(2).size() != rois.dim(0) || size.size() != 2 ||
        size[0] < 1 || size[1] < 1) {
      return run_failed("X [N,C,H,W], rois [R,4], batch_indices [R] and two positive sizes are needed; the shapes are ",
                        x.shape(), ", ", rois.shape(), ", ", ctx.in(2).shape(), ", the sizes ", Shape(size));
    }
    OL_ASSIGN(const int64_t* batch, wrap_indices(ctx, ctx.in(2), x.dim(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), Shape{rois.dim(0), x.dim(1), size[0], size[1]}));
    if (x.dtype() == DType::kDouble) return sample<double>(ctx, batch, y);
    return sample<float>(ctx, batch, y);
  }

  template <class T>
  Status sample(OpContext& ctx, const int64_t* batch, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const T* from, values_as<T>(ctx, x));
    OL_ASSIGN(const T* boxes, values_as<T>(ctx, ctx.in(1)));
    OL_ASSIGN(void* staged, staging_for(ctx, y, dtype_of<T>));
    T* to = static_cast<T*>(staged);
    const int64_t c = x.dim(1), h = x.dim(2), w = x.dim(3), rows = y->dim(2), columns = y->dim(3);
    parallel_for(y->dim(0) * rows, grain_for(c * columns * 8), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t r = t / rows, i = t % rows;
        const T *box = boxes + 4 * r, *image = from + batch[r] * c * h * w;
        const T at_y = place(box[0], box[2], h, i, rows);
        for (int64_t j = 0; j < columns; ++j) {
          const T at_x = place(box[1], box[3], w, j, columns);
          for (int64_t k = 0; k < c; ++k) {
            to[((r * c + k) * rows + i) * columns + j] = value(image + k * h * w, h, w, at_y, at_x);
          }
        }
      }
    });
    store(staged, dtype_of<T>, y);
    return {};
  }

  template <class T>
  static T place(T low, T high, int64_t extent, int64_t i, int64_t n) {
    const T last = static_cast<T>(extent - 1);
    if (n == 1) return T(0.5) * (low + high) * last;
    return low * last + static_cast<T>(i) * ((high - low) * last / static_cast<T>(n - 1));
  }

  template <class T>
  T value(const T* plane, int64_t h, int64_t w, T y, T x) const {
    if (!(y >= 0 && y <= static_cast<T>(h - 1) && x >= 0 && x <= static_cast<T>(w - 1))) return static_cast<T>(outside);
    if (nearest) return plane[static_cast<int64_t>(std::round(y)) * w + static_cast<int64_t>(std::round(x))];
    const auto top = static_cast<int64_t>(y), left = static_cast<int64_t>(x);
    const int64_t bottom = std::min(top + 1, h - 1), right = std::min(left + 1, w - 1);
    const T dy = y - static_cast<T>(top), dx = x - static_cast<T>(left);
    const T above = plane[top * w + left] + (plane[top * w + right] - plane[top * w + left]) * dx;
    const T below = plane[bottom * w + left] + (plane[bottom * w + right] - plane[bottom * w + left]) * dx;
    return above + (below - above) * dy;
  }
};

struct MaxRoiPool : Op {
  std::vector<int64_t> pooled;
  float scale;

  Status init(Attrs& a) {
    pooled = a.ints("pooled_shape");
    scale = a.f("spatial_scale", 1);
    if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
      return invalid_graph("pooled_shape must be two positive numbers");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &rois = ctx.in(1);
    if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 5) {
      return run_failed("X [N,C,H,W] and rois [R,5] are needed; they have shapes ", x.shape(), ", ", rois.shape());
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), Shape{rois.dim(0), x.dim(1), pooled[0], pooled[1]}));
    const DType type = compute_type(x.dtype());
    OL_ASSIGN(const void* from, values_as(ctx, x, type));
    OL_ASSIGN(const void* boxes, values_as(ctx, rois, type));
    OL_ASSIGN(void* to, staging_for(ctx, y, type));
    for (int64_t r = 0; r < rois.dim(0); ++r) {
      double b;
      to_double(type, element_at(type, boxes, 5 * r), &b, 1);
      if (!(b >= 0 && b < static_cast<double>(x.dim(0))))
        return run_failed("roi ", r, " names image ", b, " of ", x.dim(0));
    }
    max_roi_pool(type, from, {x.dim(1), x.dim(2), x.dim(3), pooled[0], pooled[1], scale}, boxes, rois.dim(0), to);
    store(to, type, y);
    return {};
  }
};

struct MaxUnpool : Op {
  std::vector<int64_t> kernel, strides, pads;

  Status init(Attrs& a) {
    kernel = a.ints("kernel_shape");
    strides = a.ints("strides");
    pads = a.ints("pads");
    if (strides.empty()) strides.assign(kernel.size(), 1);
    if (pads.empty()) pads.assign(2 * kernel.size(), 0);
    if (strides.size() != kernel.size() || pads.size() != 2 * kernel.size()) {
      return invalid_graph("kernel_shape has ", kernel.size(), " entries, strides ", strides.size(), ", pads ",
                           pads.size());
    }
    for (const auto* list : {&kernel, &strides, &pads}) {
      for (const int64_t v : *list) {
        if (v < 0 || v > 1 << 20) return invalid_graph("kernel_shape, strides or pads hold ", v);
      }
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    const int rank = static_cast<int>(kernel.size());
    if (x.rank() != rank + 2 || !(indices.shape() == x.shape())) {
      return run_failed("X and I must have one shape of rank ", rank + 2, "; they have ", x.shape(), " and ",
                        indices.shape());
    }
    Shape inner = x.shape();  // what the indices count in
    for (const int64_t d : inner) {
      if (d > int64_t{1} << 40) return run_failed("X has an axis of length ", d, ", which is too large");
    }
    for (int i = 0; i < rank; ++i) {
      const auto a = static_cast<size_t>(i);
      inner[i + 2] = (x.dim(i + 2) - 1) * strides[a] - pads[a] - pads[a + kernel.size()] + kernel[a];
    }
    OL_TRY(checked_size(inner).status());
    Shape shape = inner;
    if (ctx.has(2)) {
      OL_ASSIGN(const auto dims, to_ints(ctx.in(2), "output_shape"));
      OL_ASSIGN(shape, make_shape(dims));
      if (shape.rank() != inner.rank())
        return run_failed("output_shape must have ", inner.rank(), " entries; it has ", shape.rank());
      OL_TRY(checked_size(shape).status());
    }
    const Shape to = shape.strides(), from = inner.strides();
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(x.size()));
    for (int64_t i = 0; i < x.size(); ++i) {
      int64_t rest = indices.data<int64_t>()[i];
      if (rest < 0 || rest >= inner.size()) return run_failed("index ", rest, " is outside the unpooled ", inner);
      offsets[i] = 0;
      for (int axis = 0; axis < inner.rank(); ++axis) {
        const int64_t at = rest / from[axis];
        rest %= from[axis];
        if (at >= shape[axis])
          return run_failed("index ", indices.data<int64_t>()[i], " is outside output_shape ", shape);
        offsets[i] += at * to[axis];
      }
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    clear_elements(x.dtype(), y->mutable_raw(), y->size());
    return scatter_runs(x.dtype(), Scatter::kNone, offsets, x.size(), 1, x.raw(), y->mutable_raw());
  }
};

const OpRow kRows[] = {
    {"GridSample", 16, make<GridSample>},
    {"AffineGrid", 20, make<AffineGrid>},
    {"Col2Im", 18, make<Col2Im>, kPlain, dtype_bit(DType::kString)},
    {"RoiAlign", 10, make<RoiAlign>},
    {"MaxRoiPool", 1, make<MaxRoiPool>},
    {"MaxUnpool", 9, make<MaxUnpool>},
};

const OpRow kContribRows[] = {
    {"CropAndResize", 1, make<CropAndResize>},
    {"GridSample", 1, make<GridSample>, kPlain,
     dtype_bit(DType::kString) | dtype_bit(DType::kComplex64) | dtype_bit(DType::kComplex128)},
};

}  // namespace

extern const OpTable kGridOps{"", kRows};
extern const OpTable kGridContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
