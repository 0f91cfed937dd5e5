// Det, and Inverse and CDist of com.microsoft: small dense matrices, worked on in double.
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/visit.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

Status check_square(const Shape& s) {
  if (s.rank() < 2 || s[s.rank() - 1] != s[s.rank() - 2])
    return run_failed("the last two axes must form square matrices; got shape ", s);
  return {};
}

template <class T>
double to_double(T v) {
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else {
    return static_cast<double>(static_cast<float>(v));
  }
}
template <class T>
T from_double(double v) {
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else {
    return T(static_cast<float>(v));
  }
}

// Brings the row with the largest element of column c to row c. False when the column is zero from there on.
bool pivot(double* a, int64_t n, int64_t width, int64_t c, bool* swapped) {
  int64_t best = c;
  for (int64_t r = c + 1; r < n; ++r) {
    if (std::fabs(a[r * width + c]) > std::fabs(a[best * width + c])) best = r;
  }
  *swapped = best != c;
  for (int64_t j = 0; best != c && j < width; ++j) std::swap(a[c * width + j], a[best * width + j]);
  return a[c * width + c] != 0;
}

double determinant(double* a, int64_t n) {
  double det = 1;
  for (int64_t c = 0; c < n; ++c) {
    bool swapped;
    if (!pivot(a, n, n, c, &swapped)) return 0;
    det *= swapped ? -a[c * n + c] : a[c * n + c];
    for (int64_t r = c + 1; r < n; ++r) {
      const double f = a[r * n + c] / a[c * n + c];
      for (int64_t j = c; j < n; ++j) a[r * n + j] -= f * a[c * n + j];
    }
  }
  return det;
}

// Gauss-Jordan on [A | I], 2n wide. A singular matrix gives infinities and NaN, as division by zero does.
void invert(double* a, int64_t n) {
  const int64_t width = 2 * n;
  for (int64_t c = 0; c < n; ++c) {
    bool swapped;
    (void)pivot(a, n, width, c, &swapped);
    const double diagonal = a[c * width + c];
    for (int64_t j = 0; j < width; ++j) a[c * width + j] /= diagonal;
    for (int64_t r = 0; r < n; ++r) {
      const double f = a[r * width + c];
      if (r == c || f == 0) continue;
      for (int64_t j = 0; j < width; ++j) a[r * width + j] -= f * a[c * width + j];
    }
  }
}

struct Det : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_TRY(check_square(x.shape()));
    const int64_t n = x.shape().back();
    Shape out = x.shape();
    out.erase(out.rank() - 1);
    out.erase(out.rank() - 1);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), out));
    OL_ASSIGN(double* work, ctx.scratch_of<double>(n * n));
    return visit<Ieee, Halves>(x.dtype(), [&]<class T>() -> Status {
      for (int64_t m = 0; m < y->size(); ++m) {
        for (int64_t i = 0; i < n * n; ++i) work[i] = to_double(x.data<T>()[m * n * n + i]);
        y->mutable_data<T>()[m] = from_double<T>(determinant(work, n));
      }
      return {};
    });
  }
};

struct Inverse : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_TRY(check_square(x.shape()));
    const int64_t n = x.shape().back(), matrices = x.shape().product(0, x.rank() - 2);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    OL_ASSIGN(double* work, ctx.scratch_of<double>(2 * n * n));
    return visit<Ieee, Halves>(x.dtype(), [&]<class T>() -> Status {
      for (int64_t m = 0; m < matrices; ++m) {
        for (int64_t r = 0; r < n; ++r) {
          for (int64_t j = 0; j < n; ++j) {
            work[r * 2 * n + j] = to_double(x.data<T>()[(m * n + r) * n + j]);
            work[r * 2 * n + n + j] = r == j ? 1 : 0;
          }
        }
        invert(work, n);
        for (int64_t r = 0; r < n; ++r) {
          for (int64_t j = 0; j < n; ++j)
            y->mutable_data<T>()[(m * n + r) * n + j] = from_double<T>(work[r * 2 * n + n + j]);
        }
      }
      return {};
    });
  }
};

// Distances between the rows of A and those of B.
struct CDist : Op {
  bool root = false;

  Status init(Attrs& a) {
    const std::string_view metric = a.s("metric", "sqeuclidean");
    if (metric != "sqeuclidean" && metric != "euclidean")
      return not_implemented("CDist with the metric '", metric, "'");
    root = metric == "euclidean";
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor &a = ctx.in(0), &b = ctx.in(1);
    if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(1)) {
      return run_failed("A and B must be matrices with rows of one length; their shapes are ", a.shape(), " and ",
                        b.shape());
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, a.dtype(), Shape{a.dim(0), b.dim(0)}));
    return visit<Ieee>(a.dtype(), [&]<class T>() -> Status {
      const int64_t n = b.dim(0), k = a.dim(1);
      T* out = y->mutable_data<T>();
      parallel_for(a.dim(0), grain_for(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin * n; i < end * n; ++i) {
          const T *left = a.data<T>() + i / n * k, *right = b.data<T>() + i % n * k;
          double sum = 0;
          for (int64_t j = 0; j < k; ++j) {
            const double d = to_double(left[j]) - to_double(right[j]);
            sum += d * d;
          }
          out[i] = static_cast<T>(root ? std::sqrt(sum) : sum);
        }
      });
      return {};
    });
  }
};

const OpRow kRows[] = {{"Det", 11, make<Det>}};
const OpRow kContribRows[] = {
    {"CDist", 1, make<CDist>},
    {"Inverse", 1, make<Inverse>},
};

}  // namespace

extern const OpTable kLinearAlgebraOps{"", kRows};
extern const OpTable kLinearAlgebraContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
