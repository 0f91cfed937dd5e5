#include "kernels/convert_rows.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/convert.h"

namespace onnxlet {
namespace {

const void* at(const void* p, DType t, int64_t i) {
  return static_cast<const char*>(p) + static_cast<size_t>(i) * element_size(t);
}
void* at(void* p, DType t, int64_t i) { return static_cast<char*>(p) + static_cast<size_t>(i) * element_size(t); }

void cast_all(DType from, const void* x, DType to, int64_t n, void* y) {
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    cast_elements(from, at(x, from, begin), to, at(y, to, begin), end - begin, CastMode{});
  });
}

constexpr uint64_t kSign = uint64_t{1} << 63;

}  // namespace

void to_floats(DType from, const void* x, int64_t n, float* y) { cast_all(from, x, DType::kFloat, n, y); }
void from_floats(DType to, const float* x, int64_t n, void* y) { cast_all(DType::kFloat, x, to, n, y); }

void to_int64(DType from, const void* x, int64_t n, int64_t* y, bool ordered) {
  cast_all(from, x, DType::kInt64, n, y);
  if (ordered && from == DType::kUint64) {
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<int64_t>(static_cast<uint64_t>(y[i]) ^ kSign);
  }
}

void from_int64(DType to, const int64_t* x, int64_t n, void* y, bool saturate) {
  if (!saturate) return cast_all(DType::kInt64, x, to, n, y);
  if (to == DType::kUint64) {
    for (int64_t i = 0; i < n; ++i) static_cast<uint64_t*>(y)[i] = static_cast<uint64_t>(x[i]) ^ kSign;
    return;
  }
  int64_t lo = std::numeric_limits<int64_t>::min(), hi = std::numeric_limits<int64_t>::max();
  (void)visit<Types<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>>(to, [&]<class T>() -> Status {
    lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max();
    return {};
  });
  int64_t clamped[kFloatChunk];
  for (int64_t begin = 0; begin < n; begin += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - begin);
    for (int64_t i = 0; i < count; ++i) clamped[i] = std::clamp(x[begin + i], lo, hi);
    cast_elements(DType::kInt64, clamped, to, at(y, to, begin), count, CastMode{});
  }
}

}  // namespace onnxlet
