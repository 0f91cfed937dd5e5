// Kernels of the ai.onnx.ml domain.
#pragma once

#include <cstdint>
#include <span>

namespace onnxlet {

float dot_f32(const float* a, const float* b, int64_t n);
float squared_distance_f32(const float* a, const float* b, int64_t n);

// out [rows, classes] = x [rows, features] * coefficients [classes, features]^T + intercepts (or none).
void linear_scores(const float* x, int64_t rows, int64_t features, const float* coefficients, int64_t classes,
                   const float* intercepts, float* out);

enum class SvmKernel : uint8_t { kLinear, kPoly, kRbf, kSigmoid };
struct SvmKernelParams {
  SvmKernel kind;
  float gamma, coef0, degree;
};
// out [rows, vectors] = kernel(x, support vector)
void svm_kernel(const float* x, int64_t rows, int64_t features, const float* vectors, int64_t count,
                const SvmKernelParams& params, float* out);

// ---- tree ensembles: all trees in one array of nodes

enum class TreeMode : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq };

template <class T>
struct TreeNode {
  T value;
  uint32_t feature_mode;  // feature << 4 | missing values follow yes << 3 | TreeMode
  int32_t yes, no;        // a node, or ~leaf
};
struct TreeLeafWeight {
  int32_t target;
  double weight;
};

enum class TreeAggregate : uint8_t { kAverage, kSum, kMin, kMax };

template <class T>
struct TreeForest {
  std::span<const TreeNode<T>> nodes;
  std::span<const int32_t> roots;       // a node, or ~leaf
  std::span<const int32_t> leaf_begin;  // leaf l owns weights [leaf_begin[l], leaf_begin[l + 1])
  std::span<const TreeLeafWeight> weights;
  bool only_leq;  // every node is kLeq and sends missing values to no
};
// out [rows, targets], NaN where no leaf named the target; averages are not divided yet.
template <class T>
void tree_scores(const TreeForest<T>& forest, const T* x, int64_t rows, int64_t features, int64_t targets,
                 TreeAggregate aggregate, double* out);

}  // namespace onnxlet
