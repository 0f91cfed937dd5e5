// DFT, STFT, the window functions, MelWeightMatrix.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/convert.h"
#include "kernels/fft.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

constexpr double kPi = 3.14159265358979323846;

Result<const double*> doubles_of(OpContext& ctx, const Tensor& t) {
  if (t.dtype() == DType::kDouble) return t.data<double>();
  OL_ASSIGN(double* copy, ctx.scratch_of<double>(t.size()));
  to_double(t.dtype(), t.raw(), copy, t.size());
  return static_cast<const double*>(copy);
}

// Transforms of one length over many rows: `load` fills the row's `length` values, `store` takes them.
template <class Load, class Store>
Status transform_rows(OpContext& ctx, int64_t rows, int64_t length, bool inverse, Load&& load, Store&& store) {
  if (rows == 0 || length == 0) return {};
  constexpr int64_t kChunks = 16;  // each chunk of rows has work memory of its own
  const int64_t grain = (rows + kChunks - 1) / kChunks, work = length + Fft::work_size(length);
  OL_ASSIGN(Complex128 * table, ctx.scratch_of<Complex128>(Fft::table_size(length)));
  OL_ASSIGN(Complex128 * memory, ctx.scratch_of<Complex128>(kChunks * work));
  const Fft fft(length, table);
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    Complex128* row = memory + begin / grain * work;
    for (int64_t r = begin; r < end; ++r) {
      load(r, row);
      fft.run(row, inverse, row + length);
      store(r, row);
    }
  });
  return {};
}

struct Dft : Op {
  int64_t axis = -2;
  bool inverse = false, onesided = false, axis_is_input = true;

  Status init(Attrs& a) {
    axis_is_input = a.since_version() >= 20;
    if (!axis_is_input) axis = a.i("axis", 1);
    inverse = a.i("inverse", 0) != 0;
    onesided = a.i("onesided", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    int64_t given = axis;
    if (axis_is_input && ctx.has(2)) {
      OL_ASSIGN(given, to_int(ctx.in(2), "axis"));
    }
    OL_ASSIGN(const int ax, normalize_axis(given, x.rank()));
    const int64_t parts = x.rank() > 0 ? x.shape().back() : 0;
    if (ax == x.rank() - 1 || (parts != 1 && parts != 2)) {
      return run_failed("the last dimension holds real and imaginary parts (1 or 2) and cannot be transformed; ",
                        "the shape is ", x.shape(), " and the axis ", given);
    }
    const bool to_real = inverse && onesided;
    int64_t length = to_real ? 2 * (x.dim(ax) - 1) : x.dim(ax);
    if (ctx.has(1)) {
      OL_ASSIGN(length, to_int(ctx.in(1), "dft_length"));
    }
    if (length < 1) return run_failed("the transform needs at least one sample; its length is ", length);
    const int64_t used = std::min(x.dim(ax), to_real ? length / 2 + 1 : length);
    const int64_t kept = onesided && !inverse ? length / 2 + 1 : length;
    const int64_t out_parts = to_real ? 1 : 2;
    Shape shape = x.shape();
    shape[ax] = kept;
    shape[x.rank() - 1] = out_parts;
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    OL_ASSIGN(const double* in, doubles_of(ctx, x));
    OL_ASSIGN(double* out, ctx.scratch_of<double>(y->size()));
    const int64_t outer = x.shape().product(0, ax), inner = x.shape().product(ax + 1, x.rank() - 1), n = x.dim(ax);
    const auto load = [&](int64_t r, Complex128* row) {
      const double* p = in + (r / inner * n * inner + r % inner) * parts;
      for (int64_t i = 0; i < used; ++i, p += inner * parts) row[i] = {p[0], parts == 2 ? p[1] : 0.0};
      for (int64_t i = used; i < length; ++i) row[i] = {0, 0};
      if (!to_real) return;
      // A real signal: the ends of the spectrum are real and its other half mirrors the first.
      row[0].im = 0;
      if (length % 2 == 0) row[length / 2].im = 0;
      for (int64_t i = length / 2 + 1; i < length; ++i) row[i] = {row[length - i].re, -row[length - i].im};
    };
    const double scale = inverse ? 1 / static_cast<double>(length) : 1.0;
    const auto store = [&](int64_t r, const Complex128* row) {
      double* p = out + (r / inner * kept * inner + r % inner) * out_parts;
      for (int64_t i = 0; i < kept; ++i, p += inner * out_parts) {
        p[0] = row[i].re * scale;
        if (out_parts == 2) p[1] = row[i].im * scale;
      }
    };
    OL_TRY(transform_rows(ctx, outer * inner, length, inverse, load, store));
    from_double(out, x.dtype(), y->mutable_raw(), y->size());
    return {};
  }
};

struct Stft : Op {
  bool onesided = true;
  Status init(Attrs& a) {
    onesided = a.i("onesided", 1) != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if ((x.rank() != 2 && x.rank() != 3) || (x.rank() == 3 && x.dim(2) != 1 && x.dim(2) != 2)) {
      return run_failed("the signal must have shape [batch, length, 1 or 2]; its shape is ", x.shape());
    }
    const int64_t batch = x.dim(0), n = x.dim(1), parts = x.rank() == 3 ? x.dim(2) : 1;
    OL_ASSIGN(const int64_t step, to_int(ctx.in(1), "frame_step"));
    int64_t length = ctx.has(2) ? ctx.in(2).size() : n;
    if (ctx.has(3)) {
      OL_ASSIGN(length, to_int(ctx.in(3), "frame_length"));
    }
    if (step < 1 || length < 1 || length > n) {
      return run_failed("frames of ", length, " samples every ", step, " do not fit a signal of ", n, " samples");
    }
    const double* window = nullptr;
    if (ctx.has(2)) {
      if (ctx.in(2).size() != length) {
        return run_failed("the window has shape ", ctx.in(2).shape(), "; frame_length is ", length);
      }
      OL_ASSIGN(window, doubles_of(ctx, ctx.in(2)));
    }
    const int64_t frames = (n - length) / step + 1, kept = onesided ? length / 2 + 1 : length;
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), Shape{batch, frames, kept, 2}));
    OL_ASSIGN(const double* in, doubles_of(ctx, x));
    OL_ASSIGN(double* out, ctx.scratch_of<double>(y->size()));
    const auto load = [&](int64_t r, Complex128* row) {
      const double* p = in + (r / frames * n + r % frames * step) * parts;
      for (int64_t i = 0; i < length; ++i, p += parts) {
        const double w = window ? window[i] : 1.0;
        row[i] = {p[0] * w, parts == 2 ? p[1] * w : 0.0};
      }
    };
    const auto store = [&](int64_t r, const Complex128* row) {
      double* p = out + r * kept * 2;
      for (int64_t i = 0; i < kept; ++i) p[2 * i] = row[i].re, p[2 * i + 1] = row[i].im;
    };
    OL_TRY(transform_rows(ctx, batch * frames, length, false, load, store));
    from_double(out, x.dtype(), y->mutable_raw(), y->size());
    return {};
  }
};

// sum over k of coefficient[k] * cos(2 pi k i / N)
struct CosineWindow : Op {
  double coefficients[3] = {0, 0, 0};
  DType type = DType::kFloat;
  bool periodic = true;

  Status init(Attrs& a) {
    type = a.dtype("output_datatype", DType::kFloat);
    periodic = a.i("periodic", 1) != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const int64_t size, to_int(ctx.in(0), "size"));
    if (size < 0) return run_failed("the window's size must not be negative; it is ", size);
    OL_ASSIGN(Tensor * y, ctx.out(0, type, Shape{size}));
    OL_ASSIGN(double* w, ctx.scratch_of<double>(size));
    const double period = static_cast<double>(periodic ? size : size - 1);
    for (int64_t i = 0; i < size; ++i) {
      const double angle = 2 * kPi * static_cast<double>(i) / period;
      w[i] = coefficients[0] + coefficients[1] * std::cos(angle) + coefficients[2] * std::cos(2 * angle);
    }
    from_double(w, type, y->mutable_raw(), size);
    return {};
  }
};
struct HannWindow : CosineWindow {
  Status init(Attrs& a) {
    coefficients[0] = 0.5, coefficients[1] = -0.5;
    return CosineWindow::init(a);
  }
};
struct HammingWindow : CosineWindow {
  Status init(Attrs& a) {
    coefficients[0] = 25.0 / 46.0, coefficients[1] = -21.0 / 46.0;
    return CosineWindow::init(a);
  }
};
struct BlackmanWindow : CosineWindow {
  Status init(Attrs& a) {
    coefficients[0] = 0.42, coefficients[1] = -0.5, coefficients[2] = 0.08;
    return CosineWindow::init(a);
  }
};

struct MelWeightMatrix : Op {
  DType type = DType::kFloat;
  Status init(Attrs& a) {
    type = a.dtype("output_datatype", DType::kFloat);
    return {};
  }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const int64_t bands, to_int(ctx.in(0), "num_mel_bins"));
    OL_ASSIGN(const int64_t dft_length, to_int(ctx.in(1), "dft_length"));
    OL_ASSIGN(const int64_t rate, to_int(ctx.in(2), "sample_rate"));
    OL_ASSIGN(const double low, to_double(ctx.in(3), "lower_edge_hertz"));
    OL_ASSIGN(const double high, to_double(ctx.in(4), "upper_edge_hertz"));
    if (bands < 1 || dft_length < 1 || rate < 1) {
      return run_failed("num_mel_bins, dft_length and sample_rate must be positive; they are ", bands, ", ", dft_length,
                        " and ", rate);
    }
    const int64_t bins = dft_length / 2 + 1;
    OL_ASSIGN(Tensor * y, ctx.out(0, type, Shape{bins, bands}));
    OL_ASSIGN(double* m, ctx.scratch_of<double>(bins * bands));
    std::fill_n(m, bins * bands, 0.0);
    const double low_mel = mel(low), step = (mel(high) - low_mel) / static_cast<double>(bands + 2);
    // Spectrogram bin of the i-th of the bands + 2 edges.
    const auto edge = [&](int64_t i) {
      const double hertz = 700 * (std::pow(10, (low_mel + static_cast<double>(i) * step) / 2595) - 1);
      return static_cast<int64_t>(std::floor(static_cast<double>(dft_length + 1) * hertz / static_cast<double>(rate)));
    };
    if (!(low >= 0 && high >= low && high <= static_cast<double>(rate)) || edge(bands + 1) > bins) {
      return run_failed("the band [", low, ", ", high, "] Hz does not lie within [0, ", rate / 2, "] Hz");
    }
    for (int64_t b = 0; b < bands; ++b) {
      const int64_t left = edge(b), center = edge(b + 1), right = edge(b + 2);
      if (center >= bins) return run_failed("mel band ", b, " lies above the last of ", bins, " spectrogram bins");
      if (left == center) m[center * bands + b] = 1;
      for (int64_t j = left; left != center && j <= center; ++j) m[j * bands + b] = fraction(j - left, center - left);
      for (int64_t j = center; j < right; ++j) m[j * bands + b] = fraction(right - j, right - center);
    }
    from_double(m, type, y->mutable_raw(), bins * bands);
    return {};
  }
  static double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
  static double fraction(int64_t a, int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }
};

const OpRow kRows[] = {
    {"DFT", 17, make<Dft>},
    {"STFT", 17, make<Stft>},
    {"HannWindow", 17, make<HannWindow>},
    {"HammingWindow", 17, make<HammingWindow>},
    {"BlackmanWindow", 17, make<BlackmanWindow>},
    {"MelWeightMatrix", 17, make<MelWeightMatrix>},
};

}  // namespace

extern const OpTable kSignalOps{"", kRows};

}  // namespace onnxlet
