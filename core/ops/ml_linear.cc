// Linear models and support vector machines of ai.onnx.ml.
#include <algorithm>
#include <cmath>

#include "kernels/ml.h"
#include "ops/ml_scores.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

int64_t argmax(const float* v, int64_t n) { return std::max_element(v, v + n) - v; }

struct LinearClassifier : Op {
  std::vector<float> coefficients, intercepts;
  ClassLabels labels;
  PostTransform transform;

  Status init(Attrs& a) {
    coefficients = a.floats("coefficients");
    intercepts = a.floats("intercepts");
    labels.read(a, "classlabels_ints", "classlabels_strings");
    a.ignore("multi_class");  // a record of the training; scores are computed alike
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    if (coefficients.empty()) return invalid_graph("coefficients must not be empty");
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
    const auto total = static_cast<int64_t>(coefficients.size());
    if (m.columns == 0 || total % m.columns != 0) {
      return run_failed("X has ", m.columns, " features, but the ", total, " coefficients are no multiple of that");
    }
    const int64_t classes = total / m.columns;
    if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != classes) {
      return run_failed("intercepts has ", intercepts.size(), " entries for ", classes, " classes");
    }
    const bool binary = classes == 1 && labels.size() == 2;
    OL_ASSIGN(int64_t* winners, ctx.scratch_of<int64_t>(m.rows));
    OL_ASSIGN(float* scores, ctx.scratch_of<float>(m.rows * classes));
    linear_scores(x, m.rows, m.columns, coefficients.data(), classes, intercepts.empty() ? nullptr : intercepts.data(),
                  scores);
    const int64_t width = binary ? 2 : classes;
    OL_ASSIGN(Tensor * z, ctx.out(1, DType::kFloat, Shape{m.rows, width}));
    for (int64_t r = 0; r < m.rows; ++r) {
      const float* from = scores + r * classes;
      float* to = z->mutable_data<float>() + r * width;
      winners[r] = classes > 1 ? argmax(from, classes) : from[0] > 0 ? 1 : 0;
      if (binary) {
        write_two_scores(transform, true, from[0], to);
        continue;
      }
      std::copy_n(from, classes, to);
      apply_transform(transform, to, width);
    }
    return labels.emit(ctx, winners, m.rows);
  }
};

struct LinearRegressor : Op {
  std::vector<float> coefficients, intercepts;
  int64_t targets;
  PostTransform transform;

  Status init(Attrs& a) {
    coefficients = a.floats("coefficients");
    intercepts = a.floats("intercepts");
    targets = a.i("targets", 1);
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    if (targets < 1 || (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets)) {
      return invalid_graph("targets is ", targets, " but intercepts has ", intercepts.size(), " entries");
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    if (static_cast<int64_t>(coefficients.size()) != targets * m.columns) {
      return run_failed("X has ", m.columns, " features, but there are ", coefficients.size(), " coefficients for ",
                        targets, " targets");
    }
    OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, Shape{m.rows, targets}));
    float* out = y->mutable_data<float>();
    linear_scores(x, m.rows, m.columns, coefficients.data(), targets, intercepts.empty() ? nullptr : intercepts.data(),
                  out);
    for (int64_t r = 0; r < m.rows; ++r) apply_transform(transform, out + r * targets, targets);
    return {};
  }
};

Result<SvmKernelParams> kernel_of(Attrs& a) {
  const std::string_view name = a.s("kernel_type", "LINEAR");
  const std::vector<float> p = a.floats("kernel_params");
  SvmKernelParams params{SvmKernel::kLinear, 0, 0, 0};
  if (!p.empty() && p.size() != 3)
    return invalid_graph("kernel_params must be gamma, coef0 and degree; it has ", p.size(), " entries");
  if (!p.empty()) params = {SvmKernel::kLinear, p[0], p[1], p[2]};
  if (name == "POLY")
    params.kind = SvmKernel::kPoly;
  else if (name == "RBF")
    params.kind = SvmKernel::kRbf;
  else if (name == "SIGMOID")
    params.kind = SvmKernel::kSigmoid;
  else if (name != "LINEAR")
    return invalid_graph("kernel_type must be LINEAR, POLY, RBF or SIGMOID; it is ", name);
  return params;
}

// Class probabilities from pairwise ones: the second method of Wu, Lin and Weng, "Probability estimates for multi-class
// classification by pairwise coupling" (2004), as in LIBSVM. r is [k, k], q scratch of k * k + k.
void couple_probabilities(const float* r, int64_t k, float* q, float* p) {
  float* qp = q + k * k;
  for (int64_t t = 0; t < k; ++t) {
    p[t] = 1.0f / static_cast<float>(k);
    float sum = 0;
    for (int64_t j = 0; j < k; ++j) {
      if (j == t) continue;
      sum += r[j * k + t] * r[j * k + t];
      q[t * k + j] = -r[j * k + t] * r[t * k + j];
    }
    q[t * k + t] = sum;
  }
  const float tolerance = 0.005f / static_cast<float>(k);
  for (int64_t round = 0; round < std::max<int64_t>(100, k); ++round) {
    float pqp = 0, worst = 0;
    for (int64_t t = 0; t < k; ++t) {
      qp[t] = 0;
      for (int64_t j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
      pqp += p[t] * qp[t];
    }
    for (int64_t t = 0; t < k; ++t) worst = std::max(worst, std::abs(qp[t] - pqp));
    if (worst < tolerance) break;
    for (int64_t t = 0; t < k; ++t) {
      const float diff = (-qp[t] + pqp) / q[t * k + t];
      p[t] += diff;
      pqp = (pqp + diff * (diff * q[t * k + t] + 2 * qp[t])) / ((1 + diff) * (1 + diff));
      for (int64_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + diff * q[t * k + j]) / (1 + diff);
        p[j] /= 1 + diff;
      }
    }
  }
}

struct SvmClassifier : Op {
  std::vector<float> coefficients, vectors, rho, prob_a, prob_b;
  std::vector<int64_t> per_class, first;  // support vectors of each class, and where they start
  int64_t vector_count = 0, classes = 0;
  SvmKernelParams kernel;
  ClassLabels labels;
  PostTransform transform;
  bool all_positive;

  Status init(Attrs& a) {
    coefficients = a.floats("coefficients");
    vectors = a.floats("support_vectors");
    rho = a.floats("rho");
    prob_a = a.floats("prob_a");
    prob_b = a.floats("prob_b");
    per_class = a.ints("vectors_per_class");
    labels.read(a, "classlabels_ints", "classlabels_strings");
    OL_ASSIGN(kernel, kernel_of(a));
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    all_positive = std::all_of(coefficients.begin(), coefficients.end(), [](float c) { return c >= 0; });
    for (const int64_t n : per_class) {
      if (n < 0 || n > 1 << 30) return invalid_graph("vectors_per_class holds ", n);
      first.push_back(vector_count);
      vector_count += n;
    }
    classes = vector_count > 0 ? static_cast<int64_t>(per_class.size()) : std::max<int64_t>(1, labels.size());
    return check();
  }

  Status check() const {
    const auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
    if (rho.empty() || coefficients.empty()) return invalid_graph("coefficients and rho must not be empty");
    if (prob_a.size() != prob_b.size()) return invalid_graph("prob_a and prob_b must have one length");
    if (vector_count == 0) return {};
    if (static_cast<int64_t>(coefficients.size()) != (classes - 1) * vector_count || rho.size() < pairs ||
        (!prob_a.empty() && prob_a.size() < pairs) || vectors.size() % static_cast<size_t>(vector_count) != 0) {
      return invalid_graph("the coefficients of a machine of ", classes, " classes and ", vector_count,
                           " vectors do not fit: ", coefficients.size(), " coefficients, ", rho.size(), " rho, ",
                           prob_a.size(), " prob_a");
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
    return vector_count > 0 ? run_vectors(ctx, x, m) : run_linear(ctx, x, m);
  }

  // One linear model per class (liblinear).
  Status run_linear(OpContext& ctx, const float* x, const Matrix& m) const {
    if (static_cast<int64_t>(coefficients.size()) != classes * m.columns) {
      return run_failed("X has ", m.columns, " features, but there are ", coefficients.size(), " coefficients for ",
                        classes, " classes");
    }
    OL_ASSIGN(float* kernels, ctx.scratch_of<float>(m.rows * classes));
    svm_kernel(x, m.rows, m.columns, coefficients.data(), classes, {SvmKernel::kLinear, 0, 0, 0}, kernels);
    for (int64_t i = 0; i < m.rows * classes; ++i) kernels[i] += rho[0];
    return emit(ctx, m.rows, kernels, classes, nullptr, false);
  }

  Status run_vectors(OpContext& ctx, const float* x, const Matrix& m) const {
    if (static_cast<int64_t>(vectors.size()) != vector_count * m.columns) {
      return run_failed("X has ", m.columns, " features, but the support vectors have ",
                        vectors.size() / static_cast<size_t>(vector_count));
    }
    const int64_t pairs = classes * (classes - 1) / 2;
    OL_ASSIGN(float* kernels, ctx.scratch_of<float>(m.rows * vector_count));
    OL_ASSIGN(float* pair_scores, ctx.scratch_of<float>(m.rows * pairs));
    OL_ASSIGN(float* votes, ctx.scratch_of<float>(m.rows * classes));
    svm_kernel(x, m.rows, m.columns, vectors.data(), vector_count, kernel, kernels);
    for (int64_t r = 0; r < m.rows; ++r)
      decide(kernels + r * vector_count, pair_scores + r * pairs, votes + r * classes);
    if (prob_a.empty()) return emit(ctx, m.rows, pair_scores, pairs, votes, false);
    OL_ASSIGN(float* probabilities, ctx.scratch_of<float>(m.rows * classes));
    OL_ASSIGN(float* work, ctx.scratch_of<float>(2 * classes * classes + classes));
    for (int64_t r = 0; r < m.rows; ++r) estimate(pair_scores + r * pairs, work, probabilities + r * classes);
    return emit(ctx, m.rows, probabilities, classes, votes, true);
  }

  // One vote per pair of classes.
  void decide(const float* kernels, float* scores, float* votes) const {
    std::fill_n(votes, classes, 0.0f);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i) {
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        const int64_t at_i = first[static_cast<size_t>(i)], at_j = first[static_cast<size_t>(j)];
        const float score = rho[static_cast<size_t>(pair)] +
                            dot_f32(&coefficients[static_cast<size_t>((j - 1) * vector_count)] + at_i, kernels + at_i,
                                    per_class[static_cast<size_t>(i)]) +
                            dot_f32(&coefficients[static_cast<size_t>(i * vector_count)] + at_j, kernels + at_j,
                                    per_class[static_cast<size_t>(j)]);
        scores[pair] = score;
        votes[score > 0 ? i : j] += 1;
      }
    }
  }

  void estimate(const float* scores, float* work, float* out) const {
    float* pairwise = work + classes * classes + classes;
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i) {
      pairwise[i * classes + i] = 0;
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        const auto at = static_cast<size_t>(pair);
        const float p = std::clamp(1 - logistic(scores[pair] * prob_a[at] + prob_b[at]), 1.0e-7f, 1 - 1.0e-7f);
        pairwise[i * classes + j] = p;
        pairwise[j * classes + i] = 1 - p;
      }
    }
    couple_probabilities(pairwise, classes, work, out);
  }

  Status emit(OpContext& ctx, int64_t rows, const float* scores, int64_t n, const float* votes,
              bool probabilities) const {
    const bool two = n == 1 && labels.size() == 2 && rho.size() == 1;
    const int64_t width = two && transform != PostTransform::kProbit ? 2 : n;
    OL_ASSIGN(int64_t* winners, ctx.scratch_of<int64_t>(rows));
    OL_ASSIGN(Tensor * z, ctx.out(1, DType::kFloat, Shape{rows, width}));
    for (int64_t r = 0; r < rows; ++r) {
      const float* from = scores + r * n;
      float* to = z->mutable_data<float>() + r * width;
      winners[r] = votes != nullptr ? argmax(votes + r * classes, classes) : argmax(from, n);
      if (rho.size() == 1) {
        const bool voted = votes != nullptr;
        const float weight = voted ? votes[r * classes + winners[r]] : from[winners[r]];
        winners[r] = binary_winner(winners[r], weight, voted || probabilities);
      }
      if (width == 2 && n == 1) {
        write_two_scores(transform, false, from[0], to);
      } else {
        std::copy_n(from, n, to);
        apply_transform(transform, to, n);
      }
    }
    return labels.emit(ctx, winners, rows);
  }

  // `decided`: by votes or probabilities. Scores of positive weights alone are taken for probabilities of label 1.
  int64_t binary_winner(int64_t winner, float weight, bool decided) const {
    if (labels.size() == 2 && !decided && all_positive && weight >= 0.5f) return 1;
    if (labels.size() > 1) return winner;
    return weight > 0 ? 1 : 0;
  }
};

struct SvmRegressor : Op {
  std::vector<float> coefficients, vectors, rho;
  int64_t supports;
  bool one_class;
  SvmKernelParams kernel;
  PostTransform transform;

  Status init(Attrs& a) {
    coefficients = a.floats("coefficients");
    vectors = a.floats("support_vectors");
    rho = a.floats("rho");
    supports = a.i("n_supports", 0);
    one_class = a.i("one_class", 0) != 0;
    OL_ASSIGN(kernel, kernel_of(a));
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    if (rho.empty() || supports < 0 || (supports > 0 && static_cast<int64_t>(coefficients.size()) != supports)) {
      return invalid_graph("n_supports is ", supports, " with ", coefficients.size(), " coefficients and ", rho.size(),
                           " rho");
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    const bool linear = supports == 0;
    const auto expected = static_cast<int64_t>(linear ? coefficients.size() : vectors.size());
    if (expected != (linear ? 1 : supports) * m.columns) {
      return run_failed("X has ", m.columns, " features, but the model has ", expected, " values for ", supports,
                        " support vectors");
    }
    OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, Shape{m.rows, 1}));
    float* out = y->mutable_data<float>();
    if (linear) {
      linear_scores(x, m.rows, m.columns, coefficients.data(), 1, nullptr, out);
    } else {
      OL_ASSIGN(float* kernels, ctx.scratch_of<float>(m.rows * supports));
      svm_kernel(x, m.rows, m.columns, vectors.data(), supports, kernel, kernels);
      linear_scores(kernels, m.rows, supports, coefficients.data(), 1, nullptr, out);
    }
    for (int64_t r = 0; r < m.rows; ++r) {
      out[r] += rho[0];
      if (one_class) out[r] = out[r] > 0 ? 1.0f : -1.0f;
      apply_transform(transform, out + r, 1);
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"LinearClassifier", 1, make<LinearClassifier>},
    {"LinearRegressor", 1, make<LinearRegressor>},
    {"SVMClassifier", 1, make<SvmClassifier>},
    {"SVMRegressor", 1, make<SvmRegressor>},
};

}  // namespace

extern const OpTable kMlLinearOps{"ai.onnx.ml", kRows};

}  // namespace onnxlet
