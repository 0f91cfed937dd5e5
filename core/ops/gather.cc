// Gather, GatherElements, GatherND: elements and slices picked by index.
#include "kernels/gather.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Gather : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    std::vector<int64_t> dims(x.shape().begin(), x.shape().begin() + at);
    dims.insert(dims.end(), indices.shape().begin(), indices.shape().end());
    dims.insert(dims.end(), x.shape().begin() + at + 1, x.shape().end());
    OL_ASSIGN(const Shape shape, make_shape(dims));
    OL_ASSIGN(const int64_t* at_index, wrap_indices(ctx, indices, x.dim(at)));
    OL_ASSIGN(Tensor* y, ctx.out(0, x.dtype(), shape));
    gather_rows(x.dtype(), x.raw(), split_at(x.shape(), at), at_index, indices.size(), y->mutable_raw());
    return {};
  }
};

struct GatherElements : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    if (indices.rank() != x.rank()) {
      return run_failed("indices must have the rank of data; they have ", indices.shape(), " and ", x.shape());
    }
    for (int i = 0; i < x.rank(); ++i) {
      if (i != at && indices.dim(i) > x.dim(i)) {
        return run_failed("indices ", indices.shape(), " reach beyond data ", x.shape(), " along axis ", i);
      }
    }
    OL_ASSIGN(const int64_t* at_index, wrap_indices(ctx, indices, x.dim(at)));
    OL_ASSIGN(Tensor* y, ctx.out(0, x.dtype(), indices.shape()));
    gather_elements(x.dtype(), x.raw(), x.shape(), at, at_index, indices.shape(), y->mutable_raw());
    return {};
  }
};

struct GatherND : Op {
  int64_t batch_dims;

  Status init(Attrs& a) {
    batch_dims = a.i("batch_dims", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    const int b = static_cast<int>(batch_dims);
    if (indices.rank() < 1 || x.rank() < 1) return run_failed("data and indices need a rank of at least 1");
    if (batch_dims < 0 || b >= std::min(x.rank(), indices.rank())) {
      return run_failed("batch_dims ", batch_dims, " must be below the ranks of data ", x.shape(), " and indices ", indices.shape());
    }
    const int k = static_cast<int>(indices.shape().back());
    if (indices.shape().back() > x.rank() - b) {
      return run_failed("the last axis of indices ", indices.shape(), " is longer than data ", x.shape(), " has axes after batch_dims ", b);
    }
    for (int i = 0; i < b; ++i) {
      if (x.dim(i) != indices.dim(i)) {
        return run_failed("batch axes must agree: data ", x.shape(), ", indices ", indices.shape(), ", batch_dims ", b);
      }
    }
    std::vector<int64_t> dims(indices.shape().begin(), indices.shape().end() - 1);
    dims.insert(dims.end(), x.shape().begin() + b + k, x.shape().end());
    OL_ASSIGN(const Shape shape, make_shape(dims));
    const int64_t run = x.shape().product(b + k, x.rank());
    const int64_t count = indices.shape().product(0, indices.rank() - 1);
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(count));
    OL_TRY(slice_offsets(x.shape(), indices, b, offsets));
    OL_ASSIGN(Tensor* y, ctx.out(0, x.dtype(), shape));
    gather_runs(x.dtype(), x.raw(), offsets, count, run, y->mutable_raw());
    return {};
  }

  static Status slice_offsets(const Shape& x, const Tensor& indices, int b, int64_t* offsets) {
    const int k = static_cast<int>(indices.shape().back());
    const Shape strides = x.strides();
    const int64_t count = indices.shape().product(0, indices.rank() - 1);
    const int64_t batches = x.product(0, b), batch_size = x.product(b, x.rank());
    const int64_t* index = indices.data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = i / (count / batches) * batch_size;
      for (int j = 0; j < k; ++j) {
        const int64_t n = x[b + j], v = index[i * k + j];
        if (v < -n || v >= n) return run_failed("index ", v, " is outside [", -n, ", ", n - 1, "] of axis ", b + j);
        offset += (v < 0 ? v + n : v) * strides[b + j];
      }
      offsets[i] = offset;
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"Gather", 1, make<Gather>},
    {"GatherElements", 11, make<GatherElements>},
    {"GatherND", 11, make<GatherND>},
};

}  // namespace

extern const OpTable kGatherOps{"", kRows};

}  // namespace onnxlet
