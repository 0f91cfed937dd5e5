// What the classifiers and regressors of ai.onnx.ml share: class labels, score transforms, the shape of their input.
#pragma once

#include <string>

#include "ops/as_float.h"
#include "ops/op.h"

namespace onnxlet {

enum class PostTransform : uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };
Result<PostTransform> post_transform_of(std::string_view name);
// The scores of one row, in place.
void apply_transform(PostTransform transform, float* scores, int64_t n);
float logistic(float x);

// Two scores from the one score of a binary classifier: {1 - s, s} for a probability, else {-s, s}, transformed.
void write_two_scores(PostTransform transform, bool probability, float score, float* out);

struct ClassLabels {
  std::vector<int64_t> ints;
  std::vector<std::string> strings;

  void read(Attrs& a, const char* ints_name, const char* strings_name);
  int64_t size() const { return static_cast<int64_t>(strings.empty() ? ints.size() : strings.size()); }
  // Output 0: the label of each row, by its index; indices beyond the labels stand for themselves.
  Status emit(OpContext& ctx, const int64_t* indices, int64_t rows) const;
};

struct Matrix {
  int64_t rows, columns;
};
// [N, F], or [F] read as one row.
Result<Matrix> as_matrix(const Tensor& x);

}  // namespace onnxlet
