#include "kernels/select.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/move.h"

namespace onnxlet {
namespace {

// 16 bytes of elements and the integers of their size, for masks.
template <class T>
struct Blend {
  static constexpr int kLanes = static_cast<int>(16 / sizeof(T));
  typedef T Raw __attribute__((vector_size(16)));
  typedef std::make_signed_t<T> Mask __attribute__((vector_size(16)));
  typedef int8_t Flags __attribute__((vector_size(kLanes)));

  static Raw load(const T* p) {
    Raw v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  static void store(const bool* c, Raw yes, Raw no, T* to) {
    Flags flags;
    std::memcpy(&flags, c, sizeof(flags));
    const Raw mask = (Raw)(__builtin_convertvector(flags, Mask) != 0);
    const Raw out = (mask & yes) | (~mask & no);
    std::memcpy(to, &out, sizeof(out));
  }
};

// The condition runs along the row; x and y do (a stride of 1) or are one element each (0).
template <class T>
void blend_row(const bool* c, const T* x, int64_t xs, const T* y, int64_t ys, T* dst, int64_t n) {
  using B = Blend<T>;
  T repeated_x[B::kLanes], repeated_y[B::kLanes];
  std::fill_n(repeated_x, B::kLanes, *x);
  std::fill_n(repeated_y, B::kLanes, *y);
  ptrdiff_t i = 0;
  const auto rest = static_cast<ptrdiff_t>(n);
  for (; i + B::kLanes <= rest; i += B::kLanes) {
    B::store(c + i, B::load(xs != 0 ? x + i : repeated_x), B::load(ys != 0 ? y + i : repeated_y), dst + i);
  }
  for (; i < rest; ++i) dst[i] = c[i] ? x[i * xs] : y[i * ys];
}

template <class T>
void where_row(const bool* c, int64_t cs, const T* x, int64_t xs, const T* y, int64_t ys, T* dst, int64_t n) {
  if (n == 0) return;
  if (cs == 0) {
    const T* from = *c ? x : y;
    const int64_t stride = *c ? xs : ys;
    if (stride == 1) {
      std::copy_n(from, n, dst);
    } else {
      for (int64_t i = 0; i < n; ++i) dst[i] = from[i * stride];
    }
    return;
  }
  if constexpr (std::is_integral_v<T>) {
    if (cs == 1 && (xs == 0 || xs == 1) && (ys == 0 || ys == 1)) return blend_row(c, x, xs, y, ys, dst, n);
  }
  for (int64_t i = 0; i < n; ++i) dst[i] = c[i * cs] ? x[i * xs] : y[i * ys];
}

}  // namespace

void where(DType dtype, const Shape& shape, const bool* condition, const Shape& condition_strides, const void* x,
           const Shape& x_strides, const void* y, const Shape& y_strides, void* dst) {
  if (shape.size() == 0) return;
  Shape dims = shape;
  std::array<Shape, 4> strides{condition_strides, x_strides, y_strides, shape.strides()};
  collapse_dims(&dims, strides);
  const StridedIterator first(dims, strides);
  visit_size(dtype, [&]<class T>() {
    const auto body = [&](int64_t begin, int64_t end) {
      StridedIterator it(dims, strides, begin);
      for (int64_t row = begin; row < end; ++row, it.next()) {
        where_row(condition + it.offset(0), it.inner_stride(0), static_cast<const T*>(x) + it.offset(1),
                  it.inner_stride(1), static_cast<const T*>(y) + it.offset(2), it.inner_stride(2),
                  static_cast<T*>(dst) + it.offset(3), it.inner());
      }
    };
    if constexpr (std::is_same_v<T, std::string>) {
      body(0, first.rows());
    } else if (first.rows() == 1) {
      const int64_t cs = first.inner_stride(0), xs = first.inner_stride(1), ys = first.inner_stride(2);
      parallel_for(first.inner(), grain_for(1), [&](int64_t begin, int64_t end) {
        where_row(condition + begin * cs, cs, static_cast<const T*>(x) + begin * xs, xs,
                  static_cast<const T*>(y) + begin * ys, ys, static_cast<T*>(dst) + begin, end - begin);
      });
    } else {
      parallel_for(first.rows(), grain_for(first.inner()), body);
    }
  });
}

void trilu(DType dtype, const void* src, int64_t matrices, int64_t rows, int64_t cols, int64_t k, bool upper,
           void* dst) {
  k = std::clamp(k, -rows, cols);
  if (dtype == DType::kString) {
    const auto* from = static_cast<const std::string*>(src);
    auto* to = static_cast<std::string*>(dst);
    for (int64_t i = 0; i < matrices * rows * cols; ++i) {
      const int64_t above = i % cols - i / cols % rows;
      to[i] = (upper ? above >= k : above <= k) ? from[i] : std::string();
    }
    return;
  }
  const int64_t size = static_cast<int64_t>(element_size(dtype));
  parallel_for(matrices * rows, grain_for(cols * size / 16 + 2), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t diagonal = i % rows + k;
      const int64_t split = std::clamp<int64_t>(upper ? diagonal : diagonal + 1, 0, cols) * size, width = cols * size;
      const char* from = static_cast<const char*>(src) + i * width;
      char* to = static_cast<char*>(dst) + i * width;
      const auto left = static_cast<size_t>(split), right = static_cast<size_t>(width - split);
      if (upper) {
        std::memset(to, 0, left);
        std::memcpy(to + split, from + split, right);
      } else {
        std::memcpy(to, from, left);
        std::memset(to + split, 0, right);
      }
    }
  });
}

void one_hot(DType dtype, const int64_t* indices, const Rows& rows, const void* off_on, void* dst) {
  fill_elements(dtype, dst, rows.outer * rows.n * rows.inner, off_on);
  visit_size(dtype, [&]<class T>() {
    const T& on = static_cast<const T*>(off_on)[1];
    T* to = static_cast<T*>(dst);
    for (int64_t o = 0; o < rows.outer; ++o) {
      for (int64_t i = 0; i < rows.inner; ++i) {
        int64_t at = indices[o * rows.inner + i];
        if (at < 0) at += rows.n;
        if (at >= 0 && at < rows.n) to[(o * rows.n + at) * rows.inner + i] = on;
      }
    }
  });
}

}  // namespace onnxlet
