#include "runtime/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "kernels/convert.h"

namespace onnxlet {
namespace {

constexpr int64_t kMostElements = 10000;

std::string describe_numbers(const Tensor& t, bool all) {
  double least = INFINITY, most = -INFINITY, sum = 0;
  int64_t nans = 0, infinities = 0;
  std::string elements;
  const auto step = static_cast<int64_t>(element_size(t.dtype()));
  for (int64_t i = 0; i < t.size(); ++i) {
    double v;
    to_double(t.dtype(), t.data<char>() + i * step, &v, 1);
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
  const bool numbers = t.dtype() != DType::kString && t.dtype() != DType::kComplex64 &&
                       t.dtype() != DType::kComplex128 && (!is_sub_byte(t.dtype()) || t.unpacked());
  return text(t.dtype(), t.shape(), numbers ? describe_numbers(t, all) : "");
}

}  // namespace onnxlet
