#include "kernels/grid.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace onnxlet {
namespace {

// Up to four neighbours along one axis.
template <class T>
struct AxisTaps {
  int count = 0;
  int64_t index[4];
  T weight[4];
};

template <class T>
T reflect(T x, T low, T high) {
  const T range = high - low;
  if (!(range > 0)) return low;
  const T distance = x < low ? low - x : x > high ? x - high : T(0);
  if (distance == 0) return x;
  const T turns = std::floor(distance / range), rest = distance - turns * range;
  const bool even = std::fmod(turns, T(2)) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

template <class T>
struct AxisSampler {
  T n, low, high;
  GridOptions options;

  AxisSampler(int64_t length, const GridOptions& o)
      : n(static_cast<T>(length)),
        low(o.align_corners ? T(0) : T(-0.5)),
        high(o.align_corners ? n - 1 : n - T(0.5)),
        options(o) {}

  T denormalize(T g) const { return options.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2; }

  __attribute__((noinline)) void add(T at, T weight, AxisTaps<T>* taps) const {
    if (options.padding == GridPadding::kReflection) at = std::trunc(reflect(at, low, high));
    if (options.padding == GridPadding::kBorder) at = std::clamp(at, T(0), n - 1);
    if (!(at >= 0 && at < n)) return;  // zeros, and coordinates that are not numbers
    taps->index[taps->count] = static_cast<int64_t>(at);
    taps->weight[taps->count++] = weight;
  }

  __attribute__((noinline)) AxisTaps<T> operator()(T g) const {
    AxisTaps<T> taps;
    T x = denormalize(g);
    if (options.mode == GridMode::kNearest) x = std::nearbyint(x);
    if (x < low || x > high) {
      // Not for cubic: the curve goes on through repeated border pixels, as in PyTorch.
      if (options.padding == GridPadding::kBorder && options.mode != GridMode::kCubic) x = std::clamp(x, T(0), n - 1);
      if (options.padding == GridPadding::kReflection) x = reflect(x, low, high);
    }
    if (options.mode == GridMode::kNearest) {
      add(std::trunc(x), 1, &taps);
      return taps;
    }
    const T left = std::floor(x), r = x - left;
    if (options.mode == GridMode::kLinear) {
      add(left, 1 - r, &taps);
      add(left + 1, r, &taps);
      return taps;
    }
    constexpr T a = T(-0.75);
    const auto near = [](T d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [](T d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    add(left - 1, far(r + 1), &taps);
    add(left, near(r), &taps);
    add(left + 1, near(1 - r), &taps);
    add(left + 2, far(2 - r), &taps);
    return taps;
  }
};

// Offsets and weights of all neighbours of one point: the product of the axes' taps.
template <class T>
int combine_taps(const AxisTaps<T>* axes, int rank, const Shape& strides, int64_t* offsets, T* weights) {
  int count = 1;
  offsets[0] = 0;
  weights[0] = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const AxisTaps<T>& taps = axes[axis];
    for (int k = taps.count - 1; k >= 0; --k) {  // the first tap last: it overwrites its own source
      for (int i = 0; i < count; ++i) {
        offsets[k * count + i] = offsets[i] + taps.index[k] * strides[axis];
        weights[k * count + i] = weights[i] * taps.weight[k];
      }
    }
    count *= taps.count;
  }
  return count;
}

// A block of points: the neighbours of all of them are found first, then used for every channel.
template <class T>
struct PointBlock {
  static constexpr int kTaps = 512;
  int64_t offsets[kTaps];
  T weights[kTaps];
  int counts[kTaps];
};

template <class T>
void sample_channel(const PointBlock<T>& block, int64_t points, int taps, const T* from, T* to) {
  for (int64_t p = 0; p < points; ++p) {
    const int64_t* offset = block.offsets + p * taps;
    const T* w = block.weights + p * taps;
    if (block.counts[p] == 4) {
      to[p] = w[0] * from[offset[0]] + w[1] * from[offset[1]] + w[2] * from[offset[2]] + w[3] * from[offset[3]];
      continue;
    }
    T sum = 0;
    for (int k = 0; k < block.counts[p]; ++k) sum += w[k] * from[offset[k]];
    to[p] = sum;
  }
}

template <class T>
void grid_sample_of(const T* x, int64_t n, int64_t c, const Shape& dims, const T* grid, int64_t points,
                    const GridOptions& options, T* y) {
  const int rank = dims.rank();
  const Shape strides = dims.strides();
  const int64_t plane = dims.size();
  int taps = 1;
  for (int axis = 0; axis < rank; ++axis)
    taps *= options.mode == GridMode::kNearest ? 1 : options.mode == GridMode::kLinear ? 2 : 4;
  const int64_t size = PointBlock<T>::kTaps / taps, blocks = (points + size - 1) / size;
  parallel_for(n * blocks, grain_for(size * (c * taps + 32)), [&](int64_t begin, int64_t end) {
    PointBlock<T> block;
    AxisTaps<T> axes[kMaxGridDims];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / blocks, first = i % blocks * size, count = std::min(size, points - first);
      for (int64_t p = 0; p < count; ++p) {
        const T* at = grid + (image * points + first + p) * rank;
        for (int axis = 0; axis < rank; ++axis) axes[axis] = AxisSampler<T>(dims[axis], options)(at[rank - 1 - axis]);
        block.counts[p] = combine_taps(axes, rank, strides, block.offsets + p * taps, block.weights + p * taps);
      }
      for (int64_t ch = 0; ch < c; ++ch) {
        sample_channel(block, count, taps, x + (image * c + ch) * plane, y + (image * c + ch) * points + first);
      }
    }
  });
}

template <class T>
void affine_grid_of(const T* theta, int64_t n, const Shape& dims, bool align_corners, T* y) {
  const int k = dims.rank();
  const int64_t points = dims.size();
  parallel_for(n * points, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T at[kMaxGridDims + 1];
      at[k] = 1;
      int64_t rest = i % points;
      for (int axis = k - 1; axis >= 0; --axis) {
        const T j = static_cast<T>(rest % dims[axis]), length = static_cast<T>(dims[axis]);
        rest /= dims[axis];
        const T edge = length > 1 ? j * 2 / (length - 1) - 1 : T(-1);
        at[k - 1 - axis] = align_corners ? edge : (2 * j + 1) / length - 1;  // innermost axis first
      }
      const T* m = theta + i / points * k * (k + 1);
      for (int row = 0; row < k; ++row) {
        T sum = 0;
        for (int col = 0; col <= k; ++col) sum += m[row * (k + 1) + col] * at[col];
        y[i * k + row] = sum;
      }
    }
  });
}

template <class T>
void col2im_of(const T* x, int64_t planes, const BlockGeometry& g, T* y) {
  const int rank = g.image.rank();
  const int64_t image = g.image.size(), block = g.block.size(), columns = g.columns.size();
  const Shape strides = g.image.strides();
  parallel_for(planes, grain_for(block * columns * rank * 4), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* to = y + plane * image;
      std::fill_n(to, image, T(0));
      const T* from = x + plane * block * columns;
      for (int64_t b = 0; b < block; ++b) {
        for (int64_t col = 0; col < columns; ++col, ++from) {
          int64_t offset = 0, b_rest = b, c_rest = col;
          for (int axis = rank - 1; axis >= 0 && offset >= 0; --axis) {
            const auto a = static_cast<size_t>(axis);
            const int64_t at =
                c_rest % g.columns[axis] * g.strides[a] - g.pads_begin[a] + b_rest % g.block[axis] * g.dilations[a];
            c_rest /= g.columns[axis];
            b_rest /= g.block[axis];
            offset = at < 0 || at >= g.image[axis] ? -1 : offset + at * strides[axis];
          }
          if (offset >= 0) to[offset] += *from;
        }
      }
    }
  });
}

// Bilinear neighbours of a coordinate inside one feature map axis.
template <class T>
struct Between {
  int64_t low, high;
  T low_weight, high_weight;
};
template <class T>
bool between(T v, int64_t n, Between<T>* out) {
  if (!(v >= T(-1) && v <= static_cast<T>(n))) return false;
  v = std::max(v, T(0));
  out->low = static_cast<int64_t>(v);
  out->high = out->low + 1;
  if (out->low >= n - 1) {
    out->low = out->high = n - 1;
    v = static_cast<T>(n - 1);
  }
  out->high_weight = v - static_cast<T>(out->low);
  out->low_weight = 1 - out->high_weight;
  return true;
}

template <class T>
struct RoiBox {
  T x, y, bin_width, bin_height;
  int64_t grid_width, grid_height;
};

// One output cell of RoiAlign in one channel.
template <class T>
T roi_cell(const T* x, const RoiGeometry& g, const RoiBox<T>& box, int64_t ph, int64_t pw, bool take_max) {
  T sum = 0;
  bool first = true;
  for (int64_t iy = 0; iy < box.grid_height; ++iy) {
    Between<T> v{};
    const T at_y = box.y + static_cast<T>(ph) * box.bin_height +
                   (static_cast<T>(iy) + T(0.5)) * box.bin_height / static_cast<T>(box.grid_height);
    const bool row = between(at_y, g.height, &v);
    for (int64_t ix = 0; ix < box.grid_width; ++ix) {
      Between<T> h{};
      const T at_x = box.x + static_cast<T>(pw) * box.bin_width +
                     (static_cast<T>(ix) + T(0.5)) * box.bin_width / static_cast<T>(box.grid_width);
      T p[4] = {};
      if (between(at_x, g.width, &h) && row) {
        const T *upper = x + v.low * g.width, *lower = x + v.high * g.width;
        p[0] = v.low_weight * h.low_weight * upper[h.low];
        p[1] = v.low_weight * h.high_weight * upper[h.high];
        p[2] = v.high_weight * h.low_weight * lower[h.low];
        p[3] = v.high_weight * h.high_weight * lower[h.high];
      }
      if (take_max) {
        const T best = std::max(std::max(p[0], p[1]), std::max(p[2], p[3]));
        sum = first ? best : std::max(sum, best);
        first = false;
      } else {
        sum += p[0] + p[1] + p[2] + p[3];
      }
    }
  }
  return take_max ? sum : sum / static_cast<T>(std::max<int64_t>(1, box.grid_width * box.grid_height));
}

template <class T>
void roi_align_of(const T* x, const RoiGeometry& g, const T* rois, const int64_t* batch, int64_t count,
                  const RoiAlignOptions& options, T* y) {
  const int64_t cells = g.out_height * g.out_width, plane = g.height * g.width;
  parallel_for(count * g.channels, grain_for(cells * 40), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / g.channels;
      const T scale = static_cast<T>(g.scale), shift = options.half_pixel ? T(0.5) : T(0);
      const T x1 = rois[4 * r] * scale - shift, y1 = rois[4 * r + 1] * scale - shift;
      T width = rois[4 * r + 2] * scale - shift - x1, height = rois[4 * r + 3] * scale - shift - y1;
      if (!options.half_pixel) {
        width = std::max(width, T(1));
        height = std::max(height, T(1));
      }
      RoiBox<T> box{x1, y1, width / static_cast<T>(g.out_width), height / static_cast<T>(g.out_height), 0, 0};
      const auto samples = [&](T bin,
                               int64_t limit) {  // a box far larger than the map is sampled no finer than its pixels
        return options.sampling_ratio > 0
                   ? options.sampling_ratio
                   : (bin > 0 ? static_cast<int64_t>(std::ceil(std::min(bin, static_cast<T>(limit) * 64))) : 0);
      };
      box.grid_width = samples(box.bin_width, g.width + 1);
      box.grid_height = samples(box.bin_height, g.height + 1);
      const T* from = x + (batch[r] * g.channels + i % g.channels) * plane;
      for (int64_t cell = 0; cell < cells; ++cell) {
        y[i * cells + cell] = roi_cell(from, g, box, cell / g.out_width, cell % g.out_width, options.max);
      }
    }
  });
}

template <class T>
void max_roi_pool_of(const T* x, const RoiGeometry& g, const T* rois, int64_t count, T* y) {
  const int64_t cells = g.out_height * g.out_width, plane = g.height * g.width;
  const auto pixel = [&](T v) {
    const T at = std::round(v * static_cast<T>(g.scale));
    return at == at ? static_cast<int64_t>(std::clamp(at, T(-1e9), T(1e9))) : 0;
  };
  parallel_for(count * g.channels, grain_for(cells * 20), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* roi = rois + 5 * (i / g.channels);
      const int64_t x1 = pixel(roi[1]), y1 = pixel(roi[2]);
      const int64_t width = std::max<int64_t>(pixel(roi[3]) - x1 + 1, 1),
                    height = std::max<int64_t>(pixel(roi[4]) - y1 + 1, 1);
      const T bin_h = static_cast<T>(height) / static_cast<T>(g.out_height),
              bin_w = static_cast<T>(width) / static_cast<T>(g.out_width);
      const T* from = x + (static_cast<int64_t>(roi[0]) * g.channels + i % g.channels) * plane;
      for (int64_t cell = 0; cell < cells; ++cell) {
        const T ph = static_cast<T>(cell / g.out_width), pw = static_cast<T>(cell % g.out_width);
        const auto edge = [](T v, int64_t start, int64_t n) {
          return std::clamp<int64_t>(static_cast<int64_t>(v) + start, 0, n);
        };
        const int64_t top = edge(std::floor(ph * bin_h), y1, g.height),
                      bottom = edge(std::ceil((ph + 1) * bin_h), y1, g.height);
        const int64_t left = edge(std::floor(pw * bin_w), x1, g.width),
                      right = edge(std::ceil((pw + 1) * bin_w), x1, g.width);
        bool any = false;
        T best = 0;
        for (int64_t h = top; h < bottom; ++h) {
          for (int64_t w = left; w < right; ++w) {
            const T v = from[h * g.width + w];
            best = any ? std::max(best, v) : v;
            any = true;
          }
        }
        y[i * cells + cell] = best;
      }
    }
  });
}

const float* f32(const void* p) { return static_cast<const float*>(p); }
const double* f64(const void* p) { return static_cast<const double*>(p); }
float* f32(void* p) { return static_cast<float*>(p); }
double* f64(void* p) { return static_cast<double*>(p); }

}  // namespace

void grid_sample(DType type, const void* x, int64_t n, int64_t c, const Shape& dims, const void* grid, int64_t points,
                 const GridOptions& options, void* y) {
  if (type == DType::kDouble) return grid_sample_of(f64(x), n, c, dims, f64(grid), points, options, f64(y));
  grid_sample_of(f32(x), n, c, dims, f32(grid), points, options, f32(y));
}

void affine_grid(DType type, const void* theta, int64_t n, const Shape& dims, bool align_corners, void* y) {
  if (type == DType::kDouble) return affine_grid_of(f64(theta), n, dims, align_corners, f64(y));
  affine_grid_of(f32(theta), n, dims, align_corners, f32(y));
}

void col2im(DType type, const void* x, int64_t planes, const BlockGeometry& g, void* y) {
  if (type == DType::kDouble) return col2im_of(f64(x), planes, g, f64(y));
  if (type == DType::kInt64) {  // wraps as integers do
    return col2im_of(static_cast<const uint64_t*>(x), planes, g, static_cast<uint64_t*>(y));
  }
  col2im_of(f32(x), planes, g, f32(y));
}

void roi_align(DType type, const void* x, const RoiGeometry& g, const void* rois, const int64_t* batch, int64_t count,
               const RoiAlignOptions& options, void* y) {
  if (type == DType::kDouble) return roi_align_of(f64(x), g, f64(rois), batch, count, options, f64(y));
  roi_align_of(f32(x), g, f32(rois), batch, count, options, f32(y));
}

void max_roi_pool(DType type, const void* x, const RoiGeometry& g, const void* rois, int64_t count, void* y) {
  if (type == DType::kDouble) return max_roi_pool_of(f64(x), g, f64(rois), count, f64(y));
  max_roi_pool_of(f32(x), g, f32(rois), count, f32(y));
}

}  // namespace onnxlet
