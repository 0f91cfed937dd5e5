// 3x3 convolution of stride 1 with channels innermost by Winograd's minimal filtering F(4x4, 3x3): 36 products for the
// 16 outputs of a tile where the definition takes 144 (Lavin and Gray, https://arxiv.org/abs/1509.09308; the matrices
// are theirs, for the points 0, 1, -1, 2, -2). Rounding errors are a few times those of the plain sum.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/slots.h"
#include "kernels/tile.h"

namespace onnxlet::inline ONNXLET_LEVEL {
namespace {

using simd::F32;
using simd::F32x4;

constexpr int kIn = 6, kOut = 4, kPoints = kIn * kIn;
constexpr int64_t kBlockTiles = 16;        // of one task: rows of its matrix products
constexpr int64_t kBlockColumns = 64;      // output channels at a time
constexpr int64_t kMostWeights = 1 << 14;  // per tap: the transformed ones take four times the memory

struct Tiles {
  int64_t down, across;      // of an image
  int64_t block;             // tiles of one task
  int64_t inputs, products;  // floats of a slot
  int64_t blocks(int64_t batch) const { return (batch * down * across + block - 1) / block; }
};

Tiles tiles_of(const Conv& c) {
  Tiles t{};
  t.down = (c.window.out[0] + kOut - 1) / kOut;
  t.across = (c.window.out[1] + kOut - 1) / kOut;
  t.block = std::min(kBlockTiles, std::max<int64_t>(1, c.batch * t.down * t.across));
  t.inputs = kPoints * t.block * c.channels;
  t.products = kPoints * t.block * kBlockColumns;
  return t;
}

// One row or column of the input transform (B^T), of the output transform (A^T).
template <class F>
inline void transform_input(const F (&d)[kIn], F (&out)[kIn]) {
  const F two = F::splat(2), four = F::splat(4), five = F::splat(5);
  const F a = d[4] - four * d[2], b = d[3] - four * d[1], e = d[4] - d[2], f = two * (d[3] - d[1]);
  out[0] = four * d[0] - five * d[2] + d[4];
  out[1] = a + b;
  out[2] = a - b;
  out[3] = e + f;
  out[4] = e - f;
  out[5] = four * d[1] - five * d[3] + d[5];
}
template <class F>
inline void transform_output(const F (&m)[kIn], F (&out)[kOut]) {
  const F two = F::splat(2), four = F::splat(4), eight = F::splat(8);
  const F a = m[1] + m[2], b = m[1] - m[2], e = m[3] + m[4], f = m[3] - m[4];
  out[0] = m[0] + a + e;
  out[1] = b + two * f;
  out[2] = a + four * e;
  out[3] = b + eight * f + m[5];
}

// A vector of channels of one tile. `pixels` are its 36 input pixels; point i goes to out + i * step.
template <class F>
inline void input_vector(const float* const* pixels, ptrdiff_t c, float* out, ptrdiff_t step) {
  F half[kIn][kIn];
  // Loops on purpose: with everything in sight an engine runs out of registers.
#pragma GCC unroll 1
  for (int j = 0; j < kIn; ++j) {
    F d[kIn], t[kIn];
    for (int i = 0; i < kIn; ++i) d[i] = F::load(pixels[i * kIn + j] + c);
    transform_input(d, t);
    for (int i = 0; i < kIn; ++i) half[i][j] = t[i];
  }
#pragma GCC unroll 1
  for (int i = 0; i < kIn; ++i, out += kIn * step) {
    F t[kIn];
    transform_input(half[i], t);
    for (int j = 0; j < kIn; ++j) t[j].store(out + j * step);
  }
}

// Where a tile's results go.
struct Target {
  float* y;               // its first pixel
  const float* residual;  // likewise, or null
  ptrdiff_t row, pixel;   // floats from one to the next
  int rows, columns;      // that lie inside the output
};

template <class F>
inline void output_vector(const float* products, ptrdiff_t step, const Target& to, ptrdiff_t c, const Epilogue& e) {
  F half[kOut][kIn];
#pragma GCC unroll 1
  for (int j = 0; j < kIn; ++j) {
    F m[kIn], t[kOut];
    for (int i = 0; i < kIn; ++i) m[i] = F::load(products + (i * kIn + j) * step);
    transform_output(m, t);
    for (int i = 0; i < kOut; ++i) half[i][j] = t[i];
  }
  const F bias = e.bias ? F::load(e.bias + c) : F::splat(0);
  const bool clamps = e.clamps();
#pragma GCC unroll 1
  for (int i = 0; i < to.rows; ++i) {
    F t[kOut];
    transform_output(half[i], t);
    const ptrdiff_t at = i * to.row + c;
    for (int j = 0; j < kOut; ++j) {
      t[j] = t[j] + bias;
      if (to.residual && j < to.columns) t[j] = t[j] + F::load(to.residual + at + j * to.pixel);
      if (clamps) t[j] = tile::clamp(t[j], F::splat(e.lo), F::splat(e.hi));
    }
    t[0].store(to.y + at);
    if (to.columns > 1) t[1].store(to.y + at + to.pixel);
    if (to.columns > 2) t[2].store(to.y + at + 2 * to.pixel);
    if (to.columns > 3) t[3].store(to.y + at + 3 * to.pixel);
  }
}

// body.template operator()<F>(c) for the vectors of `channels` channels, a multiple of four.
template <class Body>
inline void each_vector(ptrdiff_t channels, Body body) {
  ptrdiff_t c = 0;
  for (; c + F32::kLanes <= channels; c += F32::kLanes) body.template operator()<F32>(c);
  if constexpr (F32::kLanes > F32x4::kLanes) {
    for (; c < channels; c += F32x4::kLanes) body.template operator()<F32x4>(c);
  }
}

// Some tiles of a convolution, all of their channels.
class Task {
 public:
  Task(const Conv& c, const Tiles& tiles, const float* zeros, float* memory)
      : c_(c), tiles_(tiles), zeros_(zeros), inputs_(memory), products_(memory + tiles.inputs) {}

  void run(int64_t first, int64_t count) const {
    const auto channels = static_cast<ptrdiff_t>(c_.channels);
    for (int64_t i = 0; i < count; ++i) {
      const float* pixels[kPoints];
      locate(first + i, pixels);
      const ptrdiff_t step = static_cast<ptrdiff_t>(count) * channels;
      each_vector(channels,
                  [&]<class F>(ptrdiff_t ch) { input_vector<F>(pixels, ch, inputs_ + i * channels + ch, step); });
    }
    for (int64_t j = 0; j < c_.out_channels; j += kBlockColumns) {
      multiply(count, j, std::min(kBlockColumns, c_.out_channels - j));
      for (int64_t i = 0; i < count; ++i) finish(first + i, i, count, j);
    }
  }

 private:
  struct Place {
    int64_t image, row, column;  // of the tile's first output pixel
  };
  Place place(int64_t tile) const {
    const int64_t in_image = tile % (tiles_.down * tiles_.across);
    return {tile / (tiles_.down * tiles_.across), in_image / tiles_.across * kOut, in_image % tiles_.across * kOut};
  }

  void locate(int64_t tile, const float* (&pixels)[kPoints]) const {
    const Place p = place(tile);
    const int64_t height = c_.window.in[0], width = c_.window.in[1];
    const float* image = c_.x + p.image * height * width * c_.channels;
    for (int64_t i = 0; i < kIn; ++i) {
      const int64_t row = p.row - c_.window.pad[0] + i;
      for (int64_t j = 0; j < kIn; ++j) {
        const int64_t column = p.column - c_.window.pad[1] + j;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        pixels[i * kIn + j] = inside ? image + (row * width + column) * c_.channels : zeros_;
      }
    }
  }

  // The products of all points for output channels [j, j + columns): products[point][tile][channel].
  void multiply(int64_t count, int64_t j, int64_t columns) const {
    const int64_t weights_step = packed_b_size(c_.channels, c_.out_channels);
    for (int64_t point = 0; point < kPoints; ++point) {
      tile::Finish f(Epilogue{}, products_, point * count * kBlockColumns, nullptr, true, true);
      f.row_stride = kBlockColumns;
      tile::block<F32>({nullptr, inputs_ + point * count * c_.channels, c_.channels}, count,
                       c_.weights + point * weights_step + j * c_.channels, c_.channels * kGemmCols, kGemmCols, columns,
                       c_.channels, f);
    }
  }

  void finish(int64_t tile, int64_t i, int64_t count, int64_t j) const {
    const Place p = place(tile);
    const int64_t height = c_.window.out[0], width = c_.window.out[1];
    const int64_t offset = ((p.image * height + p.row) * width + p.column) * c_.out_channels + j;
    Target to{};
    to.y = c_.y + offset;
    to.residual = c_.epilogue.residual ? c_.epilogue.residual + offset : nullptr;
    to.row = static_cast<ptrdiff_t>(width * c_.out_channels);
    to.pixel = static_cast<ptrdiff_t>(c_.out_channels);
    to.rows = static_cast<int>(std::min<int64_t>(kOut, height - p.row));
    to.columns = static_cast<int>(std::min<int64_t>(kOut, width - p.column));
    Epilogue e = c_.epilogue;
    if (e.bias) e.bias += j;
    const ptrdiff_t columns = static_cast<ptrdiff_t>(std::min(kBlockColumns, c_.out_channels - j));
    const float* products = products_ + i * kBlockColumns;
    each_vector(columns, [&]<class F>(ptrdiff_t ch) {
      output_vector<F>(products + ch, static_cast<ptrdiff_t>(count * kBlockColumns), to, ch, e);
    });
  }

  const Conv& c_;
  const Tiles& tiles_;
  const float* zeros_;
  float *inputs_, *products_;
};

}  // namespace

bool conv_winograd_fits(const Shape& kernel, const Shape& stride, const Shape& dilation, int64_t channels,
                        int64_t out_channels, int64_t groups) {
  return groups == 1 && kernel == Shape{3, 3} && stride == Shape{1, 1} && dilation == Shape{1, 1} &&
         channels % F32x4::kLanes == 0 && out_channels % F32x4::kLanes == 0 && channels >= 16 && out_channels >= 16 &&
         channels * out_channels <= kMostWeights;
}

int64_t packed_winograd_size(int64_t out_channels, int64_t channels) {
  return kPoints * packed_b_size(channels, out_channels);
}

// G g G^T of every filter, as 36 packed matrices [channels][out_channels].
void pack_conv_winograd_weights(const float* w, int64_t out_channels, int64_t channels, float* out) {
  constexpr float kG[kIn][3] = {{1.0f / 4, 0, 0},
                                {-1.0f / 6, -1.0f / 6, -1.0f / 6},
                                {-1.0f / 6, 1.0f / 6, -1.0f / 6},
                                {1.0f / 24, 1.0f / 12, 1.0f / 6},
                                {1.0f / 24, -1.0f / 12, 1.0f / 6},
                                {0, 0, 1}};
  const int64_t step = packed_b_size(channels, out_channels);
  parallel_for((out_channels + kGemmCols - 1) / kGemmCols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin * kGemmCols; j < end * kGemmCols; ++j) {
      float* column = out + j / kGemmCols * kGemmCols * channels + j % kGemmCols;
      for (int64_t ch = 0; ch < channels; ++ch, column += kGemmCols) {
        float half[kIn][3] = {};
        const float* g = j < out_channels ? w + (j * channels + ch) * 9 : nullptr;
        for (int i = 0; g && i < kIn; ++i) {
          for (int k = 0; k < 3; ++k) half[i][k] = kG[i][0] * g[k] + kG[i][1] * g[3 + k] + kG[i][2] * g[6 + k];
        }
        for (int i = 0; i < kPoints; ++i) {
          const float* h = half[i / kIn];
          column[i * step] = h[0] * kG[i % kIn][0] + h[1] * kG[i % kIn][1] + h[2] * kG[i % kIn][2];
        }
      }
    }
  });
}

int64_t conv_winograd_scratch(const Conv& c) {
  const Tiles t = tiles_of(c);
  return (t.inputs + t.products) * Slots::count() + c.channels;
}

const char* conv_winograd(const Conv& c, float* scratch) {
  const Tiles t = tiles_of(c);
  const int64_t slot = t.inputs + t.products, tiles = c.batch * t.down * t.across;
  float* zeros = scratch + slot * Slots::count();
  std::fill_n(zeros, c.channels, 0.0f);
  Slots slots(scratch, static_cast<size_t>(slot) * sizeof(float));
  parallel_for(t.blocks(c.batch), grain_for(t.block * kPoints * c.channels * c.out_channels / 16),
               [&](int64_t begin, int64_t end) {
                 Slots::Claim claim(slots);
                 const Task task(c, t, zeros, claim.as<float>());
                 for (int64_t i = begin; i < end; ++i) {
                   task.run(i * t.block, std::min(t.block, tiles - i * t.block));
                 }
               });
  return "conv_f32_winograd_4x4_3x3";
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
