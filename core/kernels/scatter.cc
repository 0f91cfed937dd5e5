#include "kernels/scatter.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "base/visit.h"
#include "kernels/convert.h"

namespace onnxlet {
namespace {

template <class T>
T combine(Scatter op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {  // wraps; the caller keeps the low bits
    switch (op) {
      case Scatter::kAdd:
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      case Scatter::kMul:
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      case Scatter::kMax:
        return std::max(a, b);
      default:
        return std::min(a, b);
    }
  } else {
    switch (op) {
      case Scatter::kAdd:
        return a + b;
      case Scatter::kMul:
        return a * b;
      case Scatter::kMax:
        return a != a || a > b ? a : b;  // NaN wins
      default:
        return a != a || a < b ? a : b;
    }
  }
}

template <class T>
void reduce_runs(Scatter op, const int64_t* offsets, int64_t count, int64_t run, const T* updates, T* dst) {
  for (int64_t i = 0; i < count; ++i) {
    T* to = dst + offsets[i];
    const T* from = updates + i * run;
    for (int64_t j = 0; j < run; ++j) to[j] = combine<T>(op, to[j], from[j]);
  }
}

// Any other numeric type, a chunk at a time in T. double holds the sum or product of two narrower floats well enough
// that rounding it gives what the narrow type would have given.
template <class T>
void reduce_converted(DType dtype, Scatter op, const int64_t* offsets, int64_t count, int64_t run, const char* updates,
                      char* dst) {
  constexpr int64_t kChunk = 64;
  const auto size = static_cast<int64_t>(element_size(dtype));
  T a[kChunk], b[kChunk];
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < run; j += kChunk) {
      const int64_t n = std::min(kChunk, run - j);
      char* to = dst + (offsets[i] + j) * size;
      cast_elements(dtype, to, dtype_of<T>, a, n, {});
      cast_elements(dtype, updates + (i * run + j) * size, dtype_of<T>, b, n, {});
      for (int64_t k = 0; k < n; ++k) a[k] = combine<T>(op, a[k], b[k]);
      cast_elements(dtype_of<T>, a, dtype, to, n, {});
    }
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

Status scatter_runs(DType dtype, Scatter op, const int64_t* offsets, int64_t count, int64_t run, const void* updates,
                    void* dst) {
  if (op == Scatter::kNone) {
    visit_size(dtype, [&]<class T>() {
      const T* from = static_cast<const T*>(updates);
      T* to = static_cast<T*>(dst);
      for (int64_t i = 0; i < count; ++i) std::copy_n(from + i * run, run, to + offsets[i]);
    });
    return {};
  }
  switch (dtype) {
    case DType::kString:
      return not_implemented("strings cannot be reduced");
    case DType::kFloat:
      reduce_runs(op, offsets, count, run, static_cast<const float*>(updates), static_cast<float*>(dst));
      break;
    case DType::kDouble:
      reduce_runs(op, offsets, count, run, static_cast<const double*>(updates), static_cast<double*>(dst));
      break;
    case DType::kInt64:
      reduce_runs(op, offsets, count, run, static_cast<const int64_t*>(updates), static_cast<int64_t*>(dst));
      break;
    case DType::kUint64:
      reduce_runs(op, offsets, count, run, static_cast<const uint64_t*>(updates), static_cast<uint64_t*>(dst));
      break;
    default: {
      const char* from = static_cast<const char*>(updates);
      char* to = static_cast<char*>(dst);
      if (is_float(dtype))
        reduce_converted<double>(dtype, op, offsets, count, run, from, to);
      else
        reduce_converted<int64_t>(dtype, op, offsets, count, run, from, to);
    }
  }
  return {};
}

}  // namespace onnxlet
