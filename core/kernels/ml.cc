#include "kernels/ml.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "simd/f32.h"

namespace onnxlet {

using simd::F32;

float dot_f32(const float* a, const float* b, int64_t n) {
  F32 sum = F32::splat(0);
  int64_t i = 0;
  for (; i + F32::kLanes <= n; i += F32::kLanes) sum = simd::madd(F32::load(a + i), F32::load(b + i), sum);
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    sum = simd::madd(F32::load_n(a + i, rest), F32::load_n(b + i, rest), sum);
  }
  return sum.sum();
}

float squared_distance_f32(const float* a, const float* b, int64_t n) {
  F32 sum = F32::splat(0);
  int64_t i = 0;
  for (; i + F32::kLanes <= n; i += F32::kLanes) {
    const F32 d = F32::load(a + i) - F32::load(b + i);
    sum = simd::madd(d, d, sum);
  }
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    const F32 d = F32::load_n(a + i, rest) - F32::load_n(b + i, rest);
    sum = simd::madd(d, d, sum);
  }
  return sum.sum();
}

void linear_scores(const float* x, int64_t rows, int64_t features, const float* coefficients, int64_t classes,
                   const float* intercepts, float* out) {
  parallel_for(rows, grain_for(features * classes), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t c = 0; c < classes; ++c) {
        out[r * classes + c] = dot_f32(x + r * features, coefficients + c * features, features) +
                               (intercepts != nullptr ? intercepts[c] : 0.0f);
      }
    }
  });
}

void svm_kernel(const float* x, int64_t rows, int64_t features, const float* vectors, int64_t count,
                const SvmKernelParams& p, float* out) {
  parallel_for(rows * count, grain_for(features + 32), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* row = x + i / count * features;
      const float* vector = vectors + i % count * features;
      switch (p.kind) {
        case SvmKernel::kRbf:
          out[i] = std::exp(-p.gamma * squared_distance_f32(row, vector, features));
          break;
        case SvmKernel::kPoly:
          out[i] = std::pow(p.gamma * dot_f32(row, vector, features) + p.coef0, p.degree);
          break;
        case SvmKernel::kSigmoid:
          out[i] = std::tanh(p.gamma * dot_f32(row, vector, features) + p.coef0);
          break;
        case SvmKernel::kLinear:
          out[i] = dot_f32(row, vector, features);
          break;
      }
    }
  });
}

namespace {

template <class T>
bool goes_yes(const TreeNode<T>& n, T v) {
  if (v != v) return (n.feature_mode & 8) != 0 || static_cast<TreeMode>(n.feature_mode & 7) == TreeMode::kNeq;
  switch (static_cast<TreeMode>(n.feature_mode & 7)) {
    case TreeMode::kLeq:
      return v <= n.value;
    case TreeMode::kLt:
      return v < n.value;
    case TreeMode::kGte:
      return v >= n.value;
    case TreeMode::kGt:
      return v > n.value;
    case TreeMode::kEq:
      return v == n.value;
    case TreeMode::kNeq:
      break;
  }
  return v != n.value;
}

template <class T>
int32_t find_leaf(const TreeNode<T>* nodes, int32_t at, const T* x, bool only_leq) {
  if (only_leq) {
    while (at >= 0) {
      const TreeNode<T>& n = nodes[at];
      at = x[n.feature_mode >> 4] <= n.value ? n.yes : n.no;
    }
  } else {
    while (at >= 0) {
      const TreeNode<T>& n = nodes[at];
      at = goes_yes(n, x[n.feature_mode >> 4]) ? n.yes : n.no;
    }
  }
  return ~at;
}

void aggregate_into(double* to, double weight, TreeAggregate aggregate) {
  if (std::isnan(*to)) {
    *to = weight;
  } else if (aggregate == TreeAggregate::kMin) {
    *to = std::min(*to, weight);
  } else if (aggregate == TreeAggregate::kMax) {
    *to = std::max(*to, weight);
  } else {
    *to += weight;
  }
}

}  // namespace

template <class T>
void tree_scores(const TreeForest<T>& forest, const T* x, int64_t rows, int64_t features, int64_t targets,
                 TreeAggregate aggregate, double* out) {
  const int64_t grain =
      std::max<int64_t>(1, std::min<int64_t>(64, grain_for(static_cast<int64_t>(forest.roots.size()) * 16)));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    std::fill(out + begin * targets, out + end * targets, std::nan(""));
    for (const int32_t root : forest.roots) {  // a tree stays in the cache for the whole block of rows
      for (int64_t r = begin; r < end; ++r) {
        const int32_t leaf = find_leaf(forest.nodes.data(), root, x + r * features, forest.only_leq);
        for (int32_t w = forest.leaf_begin[static_cast<size_t>(leaf)];
             w < forest.leaf_begin[static_cast<size_t>(leaf) + 1]; ++w) {
          const TreeLeafWeight& vote = forest.weights[static_cast<size_t>(w)];
          aggregate_into(out + r * targets + vote.target, vote.weight, aggregate);
        }
      }
    }
  });
}

template void tree_scores<float>(const TreeForest<float>&, const float*, int64_t, int64_t, int64_t, TreeAggregate,
                                 double*);
template void tree_scores<double>(const TreeForest<double>&, const double*, int64_t, int64_t, int64_t, TreeAggregate,
                                  double*);

}  // namespace onnxlet
