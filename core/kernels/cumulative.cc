#include "kernels/cumulative.h"

#include "base/parallel.h"
#include "base/visit.h"

namespace onnxlet {
namespace {

template <class T, class Carry, bool kProduct>
void rows(const CumulativeSpec& spec, const T* x, int64_t outer, int64_t n, int64_t inner, T* y) {
  parallel_for(outer * inner, grain_for(2 * n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t base = r / inner * n * inner + r % inner;
      Carry carry = kProduct ? 1 : 0;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = base + (spec.reverse ? n - 1 - i : i) * inner;
        const Carry before = carry, v = static_cast<Carry>(x[at]);
        carry = kProduct ? carry * v : carry + v;
        y[at] = static_cast<T>(spec.exclusive ? before : carry);
      }
    }
  });
}

template <class T, class Carry>
void run(const CumulativeSpec& spec, const void* x, int64_t outer, int64_t n, int64_t inner, void* y) {
  if (spec.product) {
    rows<T, Carry, true>(spec, static_cast<const T*>(x), outer, n, inner, static_cast<T*>(y));
  } else {
    rows<T, Carry, false>(spec, static_cast<const T*>(x), outer, n, inner, static_cast<T*>(y));
  }
}

}  // namespace

void cumulative(const CumulativeSpec& spec, DType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* y) {
  switch (t) {
    case DType::kFloat:
      return run<float, double>(spec, x, outer, n, inner, y);
    case DType::kDouble:
      return run<double, double>(spec, x, outer, n, inner, y);
    case DType::kInt32:
    case DType::kUint32:
      return run<uint32_t, uint32_t>(spec, x, outer, n, inner, y);
    default:
      return run<uint64_t, uint64_t>(spec, x, outer, n, inner, y);
  }
}

}  // namespace onnxlet
