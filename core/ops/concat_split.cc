// Concat and Split: runs of one tensor placed in, or taken from, the rows of another.
#include <algorithm>

#include "kernels/move.h"
#include "ops/concat.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// A 1-D tensor without elements is skipped whatever the rank of the others: exporters of torch.cat rely on it.
bool skipped(const Tensor& t, int rank) { return t.rank() != rank && t.rank() == 1 && t.size() == 0; }

// The shape of the concatenation; *at becomes the axis counted from the front.
Result<Shape> concat_shape(std::span<const Tensor* const> inputs, int64_t axis, int* at) {
  size_t first = 0;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i]->rank() > inputs[first]->rank() && skipped(*inputs[first], inputs[i]->rank())) first = i;
  }
  Shape shape = inputs[first]->shape();
  OL_ASSIGN(*at, normalize_axis(axis, shape.rank()));
  shape[*at] = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = *inputs[i];
    if (skipped(x, shape.rank())) continue;
    Shape other = x.shape();
    if (other.rank() == shape.rank()) other[*at] = shape[*at];
    if (!(other == shape)) {
      return run_failed("inputs may differ only along axis ", *at, "; input ", i, " has shape ", x.shape(), ", input ",
                        first, " has ", inputs[first]->shape());
    }
    if (x.dtype() != inputs[0]->dtype()) {
      return run_failed("inputs must have one element type; input ", i, " is ", x.dtype(), ", the first is ",
                        inputs[0]->dtype());
    }
    if (__builtin_add_overflow(shape[*at], x.dim(*at), &shape[*at])) return run_failed("the result is too large");
  }
  return shape;
}

}  // namespace

Status concat(OpContext& ctx, std::span<const Tensor* const> inputs, int64_t axis) {
  int at = 0;
  OL_ASSIGN(const Shape shape, concat_shape(inputs, axis, &at));
  const DType type = inputs[0]->dtype();
  OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
  const Rows rows = split_at(shape, at);
  int64_t done = 0;
  for (const Tensor* x : inputs) {
    if (skipped(*x, shape.rank())) continue;
    const int64_t run = x->dim(at) * rows.inner;
    copy_strided(type, Shape{rows.outer, run}, x->raw(), Shape{run, 1}, element_at(type, y->mutable_raw(), done),
                 Shape{rows.n * rows.inner, 1});
    done += run;
  }
  return {};
}

namespace {

struct Concat : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 1);
    return {};
  }

  Status run(OpContext& ctx) const override {
    std::vector<const Tensor*> inputs;
    for (int i = 0; i < ctx.input_count(); ++i) inputs.push_back(&ctx.in(i));
    return concat(ctx, inputs, axis);
  }
};

struct Split : Op {
  int64_t axis, num_outputs = 0;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    num_outputs = a.i("num_outputs", 0);
    if (a.has("num_outputs") && num_outputs != a.output_count()) {
      return invalid_graph("num_outputs is ", num_outputs, " but the node has ", a.output_count(), " outputs");
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    OL_ASSIGN(const auto sizes, lengths(ctx, x.dim(at)));
    const Rows rows = split_at(x.shape(), at);
    int64_t done = 0;
    for (int i = 0; i < ctx.output_count(); ++i) {
      const int64_t n = sizes[static_cast<size_t>(i)], run = n * rows.inner;
      if (ctx.wants(i)) {
        Shape shape = x.shape();
        shape[at] = n;
        OL_ASSIGN(Tensor * y, ctx.out(i, x.dtype(), shape));
        copy_strided(x.dtype(), Shape{rows.outer, run}, element_at(x.dtype(), x.raw(), done),
                     Shape{rows.n * rows.inner, 1}, y->mutable_raw(), Shape{run, 1});
      }
      done += run;
    }
    return {};
  }

  Result<std::vector<int64_t>> lengths(const OpContext& ctx, int64_t dim) const {
    const int64_t count = ctx.output_count();
    std::vector<int64_t> sizes;
    if (ctx.has(1)) {
      OL_ASSIGN(sizes, to_ints(ctx.in(1), "split"));
      int64_t sum = 0;
      for (const int64_t n : sizes) {
        if (n < 0 || n > dim) return run_failed("split has length ", n, " for an axis of length ", dim);
        sum += n;
      }
      if (static_cast<int64_t>(sizes.size()) != count || sum != dim) {
        return run_failed("split must give one length per output (", count, ") and add up to ", dim, "; it has ",
                          sizes.size(), " that add up to ", sum);
      }
      return sizes;
    }
    if (num_outputs == 0 && dim % count != 0) {
      return run_failed("an axis of length ", dim, " cannot be split into ", count, " equal parts; give split");
    }
    const int64_t part = (dim + count - 1) / count;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t n = std::max<int64_t>(0, std::min(part, dim - i * part));
      sizes.push_back(n);
    }
    return sizes;
  }
};

const OpRow kRows[] = {
    {"Concat", 1, make<Concat>},
    {"Split", 1, make<Split>},
};

}  // namespace

extern const OpTable kConcatSplitOps{"", kRows};

}  // namespace onnxlet
