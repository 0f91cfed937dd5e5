#include "runtime/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/visit.h"

namespace onnxlet {
namespace {

constexpr int64_t kMostElements = 10000;

template <class T>
std::string describe_numbers(const Tensor& t, bool all) {
  double least = INFINITY, most = -INFINITY, sum = 0;
  int64_t nans = 0, infinities = 0;
  std::string elements;
  const T* x = t.data<T>();
  for (int64_t i = 0; i < t.size(); ++i) {
    double v;
    if constexpr (std::is_arithmetic_v<T>) v = static_cast<double>(x[i]);
    else v = static_cast<double>(static_cast<float>(x[i]));
    if (all && i < kMostElements) append(elements, text(i == 0 ? "" : " ", v));
    if (std::isnan(v)) {
      ++nans;
    } else if (std::isinf(v)) {
      ++infinities;
    } else {
      least = std::min(least, v);
      most = std::max(most, v);
      sum += v;
    }
  }
  const int64_t finite = t.size() - nans - infinities;
  std::string out;
  if (finite > 0) out = text(" min ", least, " max ", most, " mean ", sum / static_cast<double>(finite));
  append(out, text(" nan ", nans, " inf ", infinities));
  if (all) append(out, text(" [", elements, "]"));
  return out;
}

}  // namespace

std::string describe_tensor(const Tensor& t, bool all) {
  std::string numbers;
  const Status status = visit<Ieee, SignedInts, UnsignedInts, Bool, Halves>(t.dtype(), [&]<class T>() -> Status {
    numbers = describe_numbers<T>(t, all);
    return {};
  });
  return text(t.dtype(), t.shape(), status.ok() ? numbers : "");
}

}  // namespace onnxlet
