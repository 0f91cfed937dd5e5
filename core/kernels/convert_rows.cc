#include "kernels/convert_rows.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "base/visit.h"

namespace onnxlet {
namespace {

using Narrow = Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, bool>;

template <class T>
float as_float(T v) {
  if constexpr (requires { T::kMask; }) {
    return static_cast<float>(static_cast<int>(v));
  } else {
    return static_cast<float>(v);
  }
}

template <class F>
void for_each(int64_t n, F&& body) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace

void to_floats(DType from, const void* x, int64_t n, float* y) {
  (void)visit<Ieee, Halves, Float8s, SubByteInts, Narrow, Types<int64_t, uint64_t>>(from, [&]<class T>() -> Status {
    const T* p = static_cast<const T*>(x);
    for_each(n, [&](int64_t i) { y[i] = as_float(p[i]); });
    return {};
  });
}

void from_floats(DType to, const float* x, int64_t n, void* y) {
  (void)visit<Ieee, Halves, Float8s>(to, [&]<class T>() -> Status {
    T* p = static_cast<T*>(y);
    for_each(n, [&](int64_t i) { p[i] = T(x[i]); });
    return {};
  });
}

void to_int64(DType from, const void* x, int64_t n, int64_t* y, bool ordered) {
  if (from == DType::kInt64 || from == DType::kUint64) {
    const uint64_t flip = ordered && from == DType::kUint64 ? uint64_t{1} << 63 : 0;
    const uint64_t* p = static_cast<const uint64_t*>(x);
    for_each(n, [&](int64_t i) { y[i] = static_cast<int64_t>(p[i] ^ flip); });
    return;
  }
  (void)visit<Narrow>(from, [&]<class T>() -> Status {
    const T* p = static_cast<const T*>(x);
    for_each(n, [&](int64_t i) { y[i] = static_cast<int64_t>(p[i]); });
    return {};
  });
}

void from_int64(DType to, const int64_t* x, int64_t n, void* y, bool saturate) {
  if (to == DType::kInt64 || to == DType::kUint64) {
    const uint64_t flip = saturate && to == DType::kUint64 ? uint64_t{1} << 63 : 0;
    uint64_t* p = static_cast<uint64_t*>(y);
    for_each(n, [&](int64_t i) { p[i] = static_cast<uint64_t>(x[i]) ^ flip; });
    return;
  }
  (void)visit<Narrow>(to, [&]<class T>() -> Status {
    T* p = static_cast<T*>(y);
    const int64_t lo = saturate ? std::numeric_limits<T>::min() : std::numeric_limits<int64_t>::min();
    const int64_t hi = saturate ? std::numeric_limits<T>::max() : std::numeric_limits<int64_t>::max();
    for_each(n, [&](int64_t i) { p[i] = static_cast<T>(std::clamp(x[i], lo, hi)); });
    return {};
  });
}

}  // namespace onnxlet
