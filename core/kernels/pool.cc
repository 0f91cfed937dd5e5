#include "kernels/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"

namespace onnxlet {
namespace {

// Applies combine(y, x) for every (output, tap) pair inside the input.
template <class T, class Combine>
void each_tap(const Window& w, const T* x, T* y, Combine combine) {
  each_tap_row(w, [&](int64_t, ptrdiff_t to, ptrdiff_t from, ptrdiff_t step, ptrdiff_t n) {
    const T* src = x + from;
    T* dst = y + to;
    if (step == 1) {
      for (ptrdiff_t i = 0; i < n; ++i) dst[i] = combine(dst[i], src[i]);
    } else {
      for (ptrdiff_t i = 0; i < n; ++i, src += step) dst[i] = combine(dst[i], *src);
    }
  });
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::numeric_limits<T>::has_infinity) {
    return b > a || b != b ? b : a;  // NaN stays
  } else {
    return b > a ? b : a;
  }
}

template <class T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

int64_t plane_grain(const Window& w) { return grain_for(w.pixels() * w.taps()); }

// Elements of one axis that output o sees.
int64_t seen(const Window& w, int d, int64_t o, bool include_pad) {
  const int64_t begin = o * w.stride[d] - w.pad[d];
  int64_t count = 0;
  for (int64_t k = 0; k < w.kernel[d]; ++k) {
    const int64_t i = begin + k * w.dilation[d];
    if (include_pad ? i < w.in[d] + w.pad_end[d] : i >= 0 && i < w.in[d]) ++count;
  }
  return count;
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

// Sum of f(x): four partial sums per 4096 elements, collected in double.
template <class T, class F>
double sum_of(const T* x, int64_t n, F f) {
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += 4096) {
    const ptrdiff_t count = static_cast<ptrdiff_t>(std::min<int64_t>(4096, n - begin));
    T part[8] = {};
    ptrdiff_t i = 0;
    for (; i + 8 <= count; i += 8) {
      for (int j = 0; j < 8; ++j) part[j] += f(x[begin + i + j]);
    }
    for (; i < count; ++i) part[0] += f(x[begin + i]);
    for (const T v : part) total += static_cast<double>(v);
  }
  return total;
}

}  // namespace

template <class T>
void pool_max(const Window& w, int64_t planes, const T* x, T* y) {
  const int64_t in = w.in.size(), out = w.pixels();
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      std::fill(y + p * out, y + (p + 1) * out, lowest<T>());
      each_tap(w, x + p * in, y + p * out, [](T a, T b) { return larger(a, b); });
    }
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
        T best = lowest<T>();
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
  const int64_t in = w.in.size(), out = w.pixels();
  const int last = w.rank() - 1;
  const int64_t inner = w.out[last];
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T* plane = y + p * out;
      std::fill(plane, plane + out, T{0});
      each_tap(w, x + p * in, plane, [](T a, T b) { return a + b; });
      for (int64_t row = 0; row * inner < out; ++row) {
        int64_t count = 1, rest = row;
        for (int d = last - 1; d >= 0; --d) {
          count *= seen(w, d, rest % w.out[d], include_pad);
          rest /= w.out[d];
        }
        for (int64_t i = 0; i < inner; ++i) {
          const int64_t n = count * seen(w, last, i, include_pad);
          if (n > 0) plane[row * inner + i] /= static_cast<T>(n);
        }
      }
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
  parallel_for(planes, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T best = lowest<T>();
      for (int64_t i = 0; i < n; ++i) best = larger(best, x[p * n + i]);
      y[p] = best;
    }
  });
}
template <class T>
void global_average(int64_t planes, int64_t n, const T* x, T* y) {
  parallel_for(planes, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      y[p] = static_cast<T>(sum_of(x + p * n, n, [](T v) { return v; }) / static_cast<double>(n));
    }
  });
}
template <class T>
void global_lp(int64_t planes, int64_t n, const T* x, T* y, double p) {
  parallel_for(planes, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      y[i] = static_cast<T>(root(sum_of(x + i * n, n, [p](T v) { return power(v, p); }), p));
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
