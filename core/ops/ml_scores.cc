#include "ops/ml_scores.h"

#include <algorithm>
#include <cmath>

namespace onnxlet {
namespace {

// Winitzki's approximation of the inverse error function: the formula the specification's runtimes share.
float inverse_erf(float x) {
  const float sign = x < 0 ? -1.0f : 1.0f, product = (1 - x) * (1 + x);
  const float log = std::log(product);
  const float v = 2 / (3.14159f * 0.147f) + 0.5f * log, v2 = 1 / 0.147f * log;
  return sign * std::sqrt(-v + std::sqrt(v * v - v2));
}

void softmax(float* scores, int64_t n, bool keep_zeros) {
  const float top = *std::max_element(scores, scores + n), at_zero = std::exp(-top);
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool zero = keep_zeros && std::abs(scores[i]) <= 0.0000001f;
    scores[i] = zero ? scores[i] * at_zero : std::exp(scores[i] - top);
    sum += scores[i];
  }
  for (int64_t i = 0; i < n; ++i) scores[i] = keep_zeros && sum == 0 ? 0.5f : scores[i] / sum;
}

}  // namespace

Result<PostTransform> post_transform_of(std::string_view name) {
  if (name == "NONE") return PostTransform::kNone;
  if (name == "SOFTMAX") return PostTransform::kSoftmax;
  if (name == "LOGISTIC") return PostTransform::kLogistic;
  if (name == "SOFTMAX_ZERO") return PostTransform::kSoftmaxZero;
  if (name == "PROBIT") return PostTransform::kProbit;
  return invalid_graph("post_transform must be NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT; it is ", name);
}

float logistic(float x) {
  const float v = 1 / (1 + std::exp(-std::abs(x)));
  return x < 0 ? 1 - v : v;
}

void apply_transform(PostTransform transform, float* scores, int64_t n) {
  if (n == 0) return;
  switch (transform) {
    case PostTransform::kNone:
      break;
    case PostTransform::kSoftmax:
      softmax(scores, n, false);
      break;
    case PostTransform::kSoftmaxZero:
      softmax(scores, n, true);
      break;
    case PostTransform::kLogistic:
      for (int64_t i = 0; i < n; ++i) scores[i] = logistic(scores[i]);
      break;
    case PostTransform::kProbit:
      for (int64_t i = 0; i < n; ++i) scores[i] = 1.41421356f * inverse_erf(2 * scores[i] - 1);
      break;
  }
}

void write_two_scores(PostTransform transform, bool probability, float score, float* out) {
  const bool complement = probability && transform == PostTransform::kNone;
  out[0] = complement || transform == PostTransform::kProbit ? 1 - score : -score;
  out[1] = score;
  apply_transform(transform, out, 2);
}

void ClassLabels::read(Attrs& a, const char* ints_name, const char* strings_name) {
  ints = a.ints(ints_name);
  for (const std::string_view s : a.strings(strings_name)) strings.emplace_back(s);
}

Status ClassLabels::emit(OpContext& ctx, const int64_t* indices, int64_t rows) const {
  if (!strings.empty()) {
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, Shape{rows}));
    for (int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<size_t>(indices[i]);
      y->mutable_data<std::string>()[i] = at < strings.size() ? strings[at] : std::string();
    }
    return {};
  }
  OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{rows}));
  for (int64_t i = 0; i < rows; ++i) {
    const auto at = static_cast<size_t>(indices[i]);
    y->mutable_data<int64_t>()[i] = at < ints.size() ? ints[at] : indices[i];
  }
  return {};
}

Result<Matrix> as_matrix(const Tensor& x) {
  if (x.rank() == 1) return Matrix{1, x.dim(0)};
  if (x.rank() == 2) return Matrix{x.dim(0), x.dim(1)};
  return run_failed("X must be [N, features] or [features]; it has shape ", x.shape());
}

}  // namespace onnxlet
