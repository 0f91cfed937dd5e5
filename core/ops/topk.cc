// TopK.
#include "kernels/topk.h"

#include "base/visit.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

struct TopK : Op {
  int64_t axis = -1;
  bool largest = true;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    largest = a.i("largest", 1) != 0;
    a.ignore("sorted");  // unsorted results may come in any order, so in order too
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int ax, normalize_axis(axis, x.rank()));
    OL_ASSIGN(const int64_t k, to_int(ctx.in(1), "K"));
    const Rows r = split_at(x.shape(), ax);
    if (k < 0 || k > r.n) {
      return run_failed("K is ", k, "; axis ", axis, " of shape ", x.shape(), " has ", r.n, " elements");
    }
    Shape shape = x.shape();
    shape[ax] = k;
    OL_ASSIGN(Tensor * values, ctx.out(0, x.dtype(), shape));
    OL_ASSIGN(Tensor * indices, ctx.out(1, DType::kInt64, shape));
    if (values->size() == 0) return {};
    const int64_t rows = r.outer * r.inner;
    int64_t* best = indices->mutable_data<int64_t>();
    if (r.inner != 1) {
      OL_ASSIGN(best, ctx.scratch_of<int64_t>(rows * k));
    }
    OL_TRY(choose(ctx, x, r, k, best));
    visit_size(x.dtype(), [&]<class T>() {
      if constexpr (!std::is_same_v<T, std::string>) {
        const T* in = x.data<T>();
        T* out = values->mutable_data<T>();
        int64_t* out_index = indices->mutable_data<int64_t>();
        for (int64_t row = 0; row < rows; ++row) {
          const int64_t o = row / r.inner, j = row % r.inner;
          for (int64_t i = 0; i < k; ++i) {
            const int64_t at = (o * k + i) * r.inner + j, from = best[row * k + i];
            out_index[at] = from;
            out[at] = in[(o * r.n + from) * r.inner + j];
          }
        }
      }
    });
    return {};
  }

  Status choose(OpContext& ctx, const Tensor& x, const Rows& r, int64_t k, int64_t* best) const {
    const int64_t rows = r.outer * r.inner;
    if (x.dtype() == DType::kDouble) {
      top_k(x.data<double>(), rows, r.n, r.inner, k, largest, best);
    } else if (x.dtype() == DType::kInt64) {
      top_k(x.data<int64_t>(), rows, r.n, r.inner, k, largest, best);
    } else if (is_float(x.dtype())) {
      OL_ASSIGN(const float* values, floats_of(ctx, x));
      top_k(values, rows, r.n, r.inner, k, largest, best);
    } else {
      OL_ASSIGN(int64_t* wide, ctx.scratch_of<int64_t>(x.size()));
      to_int64(x.dtype(), x.raw(), x.size(), wide, true);
      top_k(static_cast<const int64_t*>(wide), rows, r.n, r.inner, k, largest, best);
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"TopK", 1, make<TopK>},
};

}  // namespace

extern const OpTable kTopKOps{"", kRows};

}  // namespace onnxlet
