// Scatter operators: a copy of the data with updates written into it.
#include "kernels/scatter.h"

#include <algorithm>
#include <string_view>

#include "kernels/move.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

Result<Scatter> reduction_of(Attrs& a) {
  const std::string_view name = a.s("reduction", "none");
  if (name == "none") return Scatter::kNone;
  if (name == "add") return Scatter::kAdd;
  if (name == "mul") return Scatter::kMul;
  if (name == "max") return Scatter::kMax;
  if (name == "min") return Scatter::kMin;
  return invalid_graph("reduction must be none, add, mul, max or min; it is ", name);
}

// Output 0 holding a copy of input 0, which is the same bytes when that input dies here.
Result<Tensor*> copy_of_data(OpContext& ctx) {
  const Tensor& x = ctx.in(0);
  const void* from = x.raw();
  const DType type = x.dtype();
  const Shape shape = x.shape();
  OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
  if (y->raw() != from) copy_elements(type, from, y->mutable_raw(), shape.size());
  return y;
}

struct ScatterElements : Op {
  int64_t axis;
  Scatter reduction;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    OL_ASSIGN(reduction, reduction_of(a));
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Shape data = ctx.in(0).shape();
    const Tensor &indices = ctx.in(1), &updates = ctx.in(2);
    OL_ASSIGN(const int at, normalize_axis(axis, data.rank()));
    if (!(indices.shape() == updates.shape()) || indices.rank() != data.rank()) {
      return run_failed("indices and updates must have one shape, of the rank of data; they have ", indices.shape(),
                        ", ", updates.shape(), ", data has ", data);
    }
    for (int i = 0; i < data.rank(); ++i) {
      if (i != at && indices.dim(i) > data[i]) {
        return run_failed("indices ", indices.shape(), " reach beyond data ", data, " along axis ", i);
      }
    }
    OL_ASSIGN(const int64_t* wrapped, wrap_indices(ctx, indices, data[at]));
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(indices.size()));  // `wrapped` may be the input itself
    std::copy_n(wrapped, indices.size(), offsets);
    scatter_offsets(data, at, indices.shape(), offsets);
    const Tensor values = updates;
    OL_ASSIGN(Tensor * y, copy_of_data(ctx));
    return scatter_runs(y->dtype(), reduction, offsets, values.size(), 1, values.raw(), y->mutable_raw());
  }
};

struct ScatterND : Op {
  Scatter reduction;

  Status init(Attrs& a) {
    OL_ASSIGN(reduction, reduction_of(a));
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Shape data = ctx.in(0).shape();
    const Tensor &indices = ctx.in(1), &updates = ctx.in(2);
    if (indices.rank() < 1 || indices.shape().back() > data.rank()) {
      return run_failed("the last axis of indices ", indices.shape(), " must be at most the rank of data ", data);
    }
    const int k = static_cast<int>(indices.shape().back());
    std::vector<int64_t> dims(indices.shape().begin(), indices.shape().end() - 1);
    dims.insert(dims.end(), data.begin() + k, data.end());
    OL_ASSIGN(const Shape expected, make_shape(dims));
    if (!(updates.shape() == expected)) {
      return run_failed("updates must have shape ", expected, " for data ", data, " and indices ", indices.shape(),
                        "; they have ", updates.shape());
    }
    const int64_t count = indices.shape().product(0, indices.rank() - 1), run = data.product(k, data.rank());
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(count));
    const Shape strides = data.strides();
    const int64_t* index = indices.data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      offsets[i] = 0;
      for (int j = 0; j < k; ++j) {
        const int64_t n = data[j], v = index[i * k + j];
        if (v < -n || v >= n) return run_failed("index ", v, " is outside [", -n, ", ", n - 1, "] of axis ", j);
        offsets[i] += (v < 0 ? v + n : v) * strides[j];
      }
    }
    const Tensor values = updates;
    OL_ASSIGN(Tensor * y, copy_of_data(ctx));
    return scatter_runs(y->dtype(), reduction, offsets, count, run, values.raw(), y->mutable_raw());
  }
};

// Writes a few new rows into a key or value cache.
struct TensorScatter : Op {
  int64_t axis;
  bool circular;

  Status init(Attrs& a) {
    axis = a.i("axis", -2);
    const std::string_view mode = a.s("mode", "linear");
    if (mode != "linear" && mode != "circular") return invalid_graph("mode must be linear or circular; it is ", mode);
    circular = mode == "circular";
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Shape cache = ctx.in(0).shape();
    const Tensor update = ctx.in(1);
    OL_ASSIGN(const int at, normalize_axis(axis, cache.rank()));
    if (at == 0) return run_failed("axis must not be the batch axis 0");
    Shape expected = cache;
    if (update.rank() == cache.rank()) expected[at] = update.dim(at);
    if (!(update.shape() == expected) || update.dim(at) > cache[at]) {
      return run_failed("update ", update.shape(), " must agree with the cache ", cache, " but for a shorter axis ",
                        at);
    }
    const int64_t batches = cache[0], length = update.dim(at), capacity = cache[at];
    std::vector<int64_t> starts(static_cast<size_t>(batches), 0);
    if (ctx.has(2)) {
      OL_ASSIGN(starts, to_ints(ctx.in(2), "write_indices"));
      if (static_cast<int64_t>(starts.size()) != batches) {
        return run_failed("write_indices needs one entry per batch (", batches, "); it has ", starts.size());
      }
    }
    for (int64_t& start : starts) {
      if (start < 0 || (!circular && start > capacity - length)) {
        return run_failed("write index ", start, " with ", length, " new rows leaves the cache of ", capacity);
      }
      if (capacity > 0) start %= circular ? capacity : capacity + 1;
    }
    const Rows rows = split_at(cache, at);
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(rows.outer * length));
    for (int64_t o = 0, i = 0; o < rows.outer; ++o) {
      const int64_t start = starts[static_cast<size_t>(o / (rows.outer / batches))];
      for (int64_t t = 0; t < length; ++t) {
        offsets[i++] = (o * capacity + (circular ? (start + t) % capacity : start + t)) * rows.inner;
      }
    }
    OL_ASSIGN(Tensor * y, copy_of_data(ctx));
    return scatter_runs(y->dtype(), Scatter::kNone, offsets, rows.outer * length, rows.inner, update.raw(),
                        y->mutable_raw());
  }
};

const OpRow kRows[] = {
    {"Scatter", 9, make<ScatterElements>, kInPlace},
    {"ScatterElements", 11, make<ScatterElements>, kInPlace},
    {"ScatterND", 11, make<ScatterND>, kInPlace},
    {"TensorScatter", 24, make<TensorScatter>, kInPlace},
};

}  // namespace

extern const OpTable kScatterOps{"", kRows};

}  // namespace onnxlet
