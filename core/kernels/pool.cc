#include "kernels/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/pool_rows.h"
#include "kernels/reduce.h"
#include "kernels/sum_of.h"

namespace onnxlet {
namespace {

// Applies combine(y, x) for every (output, tap) pair inside the input: for windows that PlanePool cannot hold, and rare
// pools.
template <class T, class Combine>
void each_tap(const Window& w, const T* x, T* y, Combine combine) {
  each_tap_row(w, [&](int64_t, ptrdiff_t to, ptrdiff_t from, ptrdiff_t step, ptrdiff_t n) {
    const T* src = x + from;
    T* dst = y + to;
    for (ptrdiff_t i = 0; i < n; ++i, src += step) dst[i] = combine(dst[i], *src);
  });
}

int64_t plane_grain(const Window& w) { return grain_for(w.pixels() * w.taps() / 4); }

constexpr int64_t kLine = 1024;  // elements of an input row worked on at a time
constexpr int64_t kMostPhases = 4;
constexpr int64_t kSlack = 32;  // room behind a line and its phases for whole vectors

// A stretch of a row as `stride` rows of `length` (a multiple of 4): phase p has the elements p, p + stride, ...
template <class T>
void split_phases(const T* line, int64_t stride, ptrdiff_t length, T* phases) {
  ptrdiff_t i = 0;
  if constexpr (std::is_same_v<T, float>) {
    using simd::F32;
    for (; stride == 2 && i < length; i += 4) {
      const F32 a = F32::load(line + 2 * i), b = F32::load(line + 2 * i + 4);
      even_lanes(a, b).store(phases + i);
      odd_lanes(a, b).store(phases + length + i);
    }
  }
  for (; i < length; ++i) {
    for (ptrdiff_t p = 0; p < stride; ++p) phases[p * length + i] = line[i * stride + p];
  }
}

// Pools one plane: the rows of a window are combined first, then the columns of the resulting row. Columns of a strided
// window are neighbours once the row is split into phases.
template <class T, class Combine>
struct PlanePool {
  const Window& w;
  Combine combine;
  Shape strides = w.in.strides();
  int64_t stride = w.stride.back(), kernel = w.kernel.back(), dilation = w.dilation.back();
  int64_t reach = (kernel - 1) * dilation + 1;                       // columns under one window
  int64_t beyond = (reach - 1) / stride;                             // elements of a phase a window reaches ahead
  int64_t block = reach > kLine ? 0 : (kLine - reach) / stride + 1;  // windows that fit a line
  T lines[2][kLine + kSlack], phases[kLine + kSlack];

  PlanePool(const Window& window, Combine c) : w(window), combine(c) {}

  // A line is read from one step after it was written: loads across the ends of stores that are under way wait for
  // them.
  void run(const T* plane, T* y) {
    const int64_t inner = w.out.back(), rows = inner != 0 ? w.pixels() / inner : 0;
    int which = 0;
    T* ready = nullptr;  // where the columns of lines[1 - which] go
    int64_t ready_n = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t o = 0; o < inner; o += block) {
        const int64_t n = std::min(block, inner - o);
        fill_line(plane, row, o * stride - w.pad.back(), (n - 1) * stride + reach, lines[which]);
        if (ready) across(lines[1 - which], ready, ready_n);
        ready = y + row * inner + o;
        ready_n = n;
        which = 1 - which;
      }
    }
    if (ready) across(lines[1 - which], ready, ready_n);
  }

  // line = the window's rows combined, over columns [begin, begin + span) of the padded input.
  void fill_line(const T* plane, int64_t row, int64_t begin, int64_t span, T* line) {
    const int64_t lo = std::clamp<int64_t>(-begin, 0, span), hi = std::clamp(w.in.back() - begin, lo, span);
    constexpr T kNothing = Combine::template identity<T>();
    std::fill_n(line, lo, kNothing);
    std::fill(line + hi, line + span, kNothing);
    RowCollector<T, Combine> collector(line + lo, static_cast<ptrdiff_t>(hi - lo), combine);
    if (hi > lo) each_leading_tap(w, strides, row, [&](int64_t at) { collector.add(plane + at + begin + lo); });
    collector.finish();
  }

  void across(const T* line, T* y, int64_t n) {
    if (stride > kMostPhases) {
      for (int64_t i = 0; i < n; ++i) {
        T v = line[i * stride];
        for (int64_t k = 1; k < kernel; ++k) v = combine(v, line[i * stride + k * dilation]);
        y[i] = v;
      }
      return;
    }
    const int64_t length = (n + beyond + 3) / 4 * 4;
    if (stride > 1) split_phases(line, stride, static_cast<ptrdiff_t>(length), phases);
    const T* from = stride > 1 ? phases : line;
    RowCollector<T, Combine> collector(y, static_cast<ptrdiff_t>(n), combine);
    const ptrdiff_t pitch = static_cast<ptrdiff_t>(length), phases_in = static_cast<ptrdiff_t>(stride);
    ptrdiff_t phase = 0, shift = 0;  // of the tap's column
    for (int64_t k = 0; k < kernel; ++k) {
      collector.add(from + phase * pitch + shift);
      for (phase += static_cast<ptrdiff_t>(dilation); phase >= phases_in; phase -= phases_in) ++shift;
    }
    collector.finish();
  }
};

template <class T, class Combine>
void pool_plane(const Window& w, const T* x, T* y, Combine combine) {
  if constexpr (!std::is_same_v<T, double>) {
    PlanePool<T, Combine> pool(w, combine);
    if (pool.block > 0) return pool.run(x, y);
  }
  std::fill_n(y, w.pixels(), Combine::template identity<T>());
  each_tap(w, x, y, combine);
}

template <class T>
T power(T x, double p) {
  x = x < 0 ? -x : x;
  if (p == 1) return x;
  if (p == 2) return x * x;
  return static_cast<T>(std::pow(static_cast<double>(x), p));
}
template <class T>
T root(T sum, double p) {
  if (p == 1) return sum;
  if (p == 2) return std::sqrt(sum);
  return static_cast<T>(std::pow(static_cast<double>(sum), 1 / p));
}

// Sums of output row `row` become averages. All windows between the outermost ones see the same number of columns.
template <class T>
void divide_row(const Window& w, int64_t row, T* y, bool include_pad) {
  const int last = w.rank() - 1;
  int64_t rows = 1;
  for (int d = last - 1; d >= 0; --d) {
    rows *= taps_counted(w, d, row % w.out[d], include_pad);
    row /= w.out[d];
  }
  const auto n = static_cast<ptrdiff_t>(w.out[last]);
  const auto count = [&](ptrdiff_t i) { return rows * taps_counted(w, last, i, include_pad); };
  const auto divide = [&](ptrdiff_t i) {
    if (count(i) > 0) y[i] /= static_cast<T>(count(i));
  };
  const int64_t whole = rows * w.kernel[last];
  ptrdiff_t begin = 0, end = n;
  while (begin < n && count(begin) != whole) divide(begin++);
  while (end > begin && count(end - 1) != whole) divide(--end);
  if (whole == 0) return;
  const T divisor = static_cast<T>(whole);
  for (ptrdiff_t i = begin; i < end; ++i) y[i] /= divisor;
}

}  // namespace

template <class T>
void pool_max(const Window& w, int64_t planes, const T* x, T* y) {
  const int64_t in = w.in.size(), out = w.pixels();
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) pool_plane(w, x + p * in, y + p * out, PoolMax());
  });
}
template void pool_max(const Window&, int64_t, const float*, float*);
template void pool_max(const Window&, int64_t, const double*, double*);
template void pool_max(const Window&, int64_t, const int8_t*, int8_t*);
template void pool_max(const Window&, int64_t, const uint8_t*, uint8_t*);

template <class T>
void pool_max_indices(const Window& w, int64_t planes, const T* x, T* y, int64_t* indices, bool column_major) {
  const int64_t in = w.in.size(), out = w.pixels(), taps = w.taps();
  const Shape strides = w.in.strides();
  Shape index_strides = strides;
  if (column_major) {
    int64_t step = 1;
    for (int d = 0; d < w.rank(); ++d) {
      index_strides[d] = step;
      step *= w.in[d];
    }
  }
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      Odometer pixel(w.out);
      for (int64_t o = 0; o < out; ++o, pixel.next()) {
        T best = PoolMax::identity<T>();
        int64_t best_index = -1;
        Odometer tap(w.kernel);
        for (int64_t t = 0; t < taps; ++t, tap.next()) {
          int64_t at = 0, index = 0;
          bool inside = true;
          for (int d = 0; d < w.rank() && inside; ++d) {
            const int64_t i = pixel[d] * w.stride[d] - w.pad[d] + tap[d] * w.dilation[d];
            inside = i >= 0 && i < w.in[d];
            at += i * strides[d];
            index += i * index_strides[d];
          }
          if (!inside) continue;
          const T v = x[p * in + at];
          if (best_index < 0 || v > best || (v != v && best == best)) {
            best = v;
            best_index = p * in + index;
          }
        }
        y[p * out + o] = best;
        indices[p * out + o] = best_index;
      }
    }
  });
}
template void pool_max_indices(const Window&, int64_t, const float*, float*, int64_t*, bool);
template void pool_max_indices(const Window&, int64_t, const double*, double*, int64_t*, bool);
template void pool_max_indices(const Window&, int64_t, const int8_t*, int8_t*, int64_t*, bool);
template void pool_max_indices(const Window&, int64_t, const uint8_t*, uint8_t*, int64_t*, bool);

template <class T>
void pool_average(const Window& w, int64_t planes, const T* x, T* y, bool include_pad) {
  const int64_t in = w.in.size(), out = w.pixels(), inner = w.out.back();
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      pool_plane(w, x + p * in, y + p * out, PoolSum());
      for (int64_t at = 0; at < out; at += inner) divide_row(w, at / inner, y + p * out + at, include_pad);
    }
  });
}
template void pool_average(const Window&, int64_t, const float*, float*, bool);
template void pool_average(const Window&, int64_t, const double*, double*, bool);

template <class T>
void pool_lp(const Window& w, int64_t planes, const T* x, T* y, double p) {
  const int64_t in = w.in.size(), out = w.pixels();
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* dst = y + plane * out;
      std::fill(dst, dst + out, T{0});
      each_tap(w, x + plane * in, dst, [p](T a, T b) { return a + power(b, p); });
      for (int64_t i = 0; i < out; ++i) dst[i] = root(dst[i], p);
    }
  });
}
template void pool_lp(const Window&, int64_t, const float*, float*, double);
template void pool_lp(const Window&, int64_t, const double*, double*, double);

template <class T>
void global_max(int64_t planes, int64_t n, const T* x, T* y) {
  std::fill_n(y, n == 0 ? planes : 0, PoolMax::identity<T>());
  if (n > 0) reduce_axis(Reduction::kMax, x, planes, n, 1, n, y);
}
template <class T>
void global_average(int64_t planes, int64_t n, const T* x, T* y) {
  parallel_for(planes, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      y[p] = static_cast<T>(sum_of(x + p * n, n, [](auto v) { return v; }) / static_cast<double>(n));
    }
  });
}
template <class T>
void global_lp(int64_t planes, int64_t n, const T* x, T* y, double p) {
  parallel_for(planes, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      y[i] = static_cast<T>(
          root(sum_of_vectors<Lane<T>>(x + i * n, n, [p](Lane<T> v) { return Lane<T>{power(v.v, p)}; }), p));
    }
  });
}
template void global_max(int64_t, int64_t, const float*, float*);
template void global_max(int64_t, int64_t, const double*, double*);
template void global_average(int64_t, int64_t, const float*, float*);
template void global_average(int64_t, int64_t, const double*, double*);
template void global_lp(int64_t, int64_t, const float*, float*, double);
template void global_lp(int64_t, int64_t, const double*, double*, double);

}  // namespace onnxlet
