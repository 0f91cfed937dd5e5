#include "kernels/scatter.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "base/visit.h"

namespace onnxlet {
namespace {

template <class T>
T combine(Scatter op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return op == Scatter::kAdd || op == Scatter::kMax ? a || b : a && b;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    using Wide = std::common_type_t<U, unsigned>;  // 16-bit factors must not multiply as int
    switch (op) {
      case Scatter::kAdd: return static_cast<T>(static_cast<U>(static_cast<Wide>(static_cast<U>(a)) + static_cast<U>(b)));
      case Scatter::kMul: return static_cast<T>(static_cast<U>(static_cast<Wide>(static_cast<U>(a)) * static_cast<U>(b)));
      case Scatter::kMax: return std::max(a, b);
      default: return std::min(a, b);
    }
  } else {
    switch (op) {
      case Scatter::kAdd: return a + b;
      case Scatter::kMul: return a * b;
      case Scatter::kMax: return a != a || a > b ? a : b;  // NaN wins
      default: return a != a || a < b ? a : b;
    }
  }
}

template <class T>
void reduce_runs(Scatter op, const int64_t* offsets, int64_t count, int64_t run, const T* updates, T* dst) {
  using A = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  for (int64_t i = 0; i < count; ++i) {
    T* to = dst + offsets[i];
    const T* from = updates + i * run;
    for (int64_t j = 0; j < run; ++j) to[j] = static_cast<T>(combine<A>(op, static_cast<A>(to[j]), static_cast<A>(from[j])));
  }
}

}  // namespace

void scatter_offsets(const Shape& data_shape, int axis, const Shape& shape, int64_t* indices) {
  if (shape.size() == 0) return;
  Shape dims = shape;
  std::array<Shape, 2> strides{data_shape.strides(), shape.strides()};
  const int64_t axis_stride = strides[0][axis];
  strides[0][axis] = 0;
  collapse_dims(&dims, strides);
  for (StridedIterator it(dims, strides); !it.done(); it.next()) {
    int64_t* row = indices + it.offset(1);
    for (int64_t i = 0; i < it.inner(); ++i) row[i] = it.offset(0) + i * it.inner_stride(0) + row[i] * axis_stride;
  }
}

Status scatter_runs(DType dtype, Scatter op, const int64_t* offsets, int64_t count, int64_t run, const void* updates, void* dst) {
  if (op == Scatter::kNone) {
    visit_size(dtype, [&]<class T>() {
      const T* from = static_cast<const T*>(updates);
      T* to = static_cast<T*>(dst);
      for (int64_t i = 0; i < count; ++i) std::copy_n(from + i * run, run, to + offsets[i]);
    });
    return {};
  }
  return visit<Ieee, Halves, SignedInts, UnsignedInts, Bool>(dtype, [&]<class T>() -> Status {
    reduce_runs(op, offsets, count, run, static_cast<const T*>(updates), static_cast<T*>(dst));
    return {};
  });
}

}  // namespace onnxlet
