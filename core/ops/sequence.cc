// Sequences and optionals.
#include <algorithm>

#include "kernels/move.h"
#include "ops/concat.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

Status need_sequence(const Value& v) {
  if (v.kind() == Value::Kind::kSequence) return {};
  return run_failed("the first input must be a sequence; it is a ", kind_name(v.kind()));
}

struct SequenceEmpty : Op {
  Status init(Attrs& a) {
    a.ignore("dtype");  // an empty sequence carries no element type while it runs
    return {};
  }
  Status run(OpContext& ctx) const override {
    ctx.set(0, Value::sequence({}));
    return {};
  }
};

struct SequenceConstruct : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    Value::Sequence items;
    for (int i = 0; i < ctx.input_count(); ++i) items.push_back(ctx.value(i));
    ctx.set(0, Value::sequence(std::move(items)));
    return {};
  }
};

// Position input i in [-n, n + slack); slack 1 lets an insertion append.
Result<size_t> position(OpContext& ctx, int i, size_t length, int64_t slack) {
  const int64_t n = static_cast<int64_t>(length);
  OL_ASSIGN(const int64_t p, to_int(ctx.in(i), "position"));
  if (p < -n || p >= n + slack) return run_failed("position ", p, " is outside [", -n, ", ", n + slack - 1, "]");
  return static_cast<size_t>(p < 0 ? p + n : p);
}

struct SequenceAt : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_TRY(need_sequence(ctx.value(0)));
    const Value::Sequence& items = ctx.value(0).sequence();
    OL_ASSIGN(const size_t at, position(ctx, 1, items.size(), 0));
    ctx.set(0, items[at]);
    return {};
  }
};

struct SequenceInsert : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_TRY(need_sequence(ctx.value(0)));
    Value::Sequence items = ctx.value(0).sequence();
    size_t at = items.size();
    if (ctx.has(2)) {
      OL_ASSIGN(at, position(ctx, 2, items.size(), 1));
    }
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), ctx.value(1));
    ctx.set(0, Value::sequence(std::move(items)));
    return {};
  }
};

struct SequenceErase : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_TRY(need_sequence(ctx.value(0)));
    Value::Sequence items = ctx.value(0).sequence();
    if (items.empty()) return run_failed("nothing can be erased from an empty sequence");
    size_t at = items.size() - 1;
    if (ctx.has(1)) {
      OL_ASSIGN(at, position(ctx, 1, items.size(), 0));
    }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    ctx.set(0, Value::sequence(std::move(items)));
    return {};
  }
};

struct SequenceLength : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_TRY(need_sequence(ctx.value(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{}));
    *y->mutable_data<int64_t>() = static_cast<int64_t>(ctx.value(0).sequence().size());
    return {};
  }
};

struct SplitToSequence : Op {
  int64_t axis;
  bool keepdims;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    keepdims = a.i("keepdims", 1) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    OL_ASSIGN(const auto sizes, lengths(ctx, x.dim(at)));
    const Rows rows = split_at(x.shape(), at);
    Value::Sequence items;
    int64_t done = 0;
    for (const int64_t n : sizes) {
      Shape shape = x.shape();
      shape[at] = n;
      OL_ASSIGN(Tensor part, Tensor::allocate(ctx.pool(), x.dtype(), shape, true));
      const int64_t run = n * rows.inner;
      copy_strided(x.dtype(), Shape{rows.outer, run}, element_at(x.dtype(), x.raw(), done),
                   Shape{rows.n * rows.inner, 1}, part.mutable_raw(), Shape{run, 1});
      done += run;
      if (!ctx.has(1) && !keepdims) {  // keepdims means nothing when split is given
        shape.erase(at);
        part = part.reshaped(shape);
      }
      items.emplace_back(std::move(part));
    }
    ctx.set(0, Value::sequence(std::move(items)));
    return {};
  }

  static Result<std::vector<int64_t>> lengths(OpContext& ctx, int64_t dim) {
    std::vector<int64_t> sizes;
    if (!ctx.has(1) || ctx.in(1).rank() == 0) {
      int64_t part = 1;
      if (ctx.has(1)) {
        OL_ASSIGN(part, to_int(ctx.in(1), "split"));
      }
      if (part <= 0) return run_failed("split must be positive; it is ", part);
      if (dim / part > 1 << 24) return run_failed("an axis of length ", dim, " would be split into too many parts");
      for (int64_t done = 0; done < dim; done += std::min(part, dim - done))
        sizes.push_back(std::min(part, dim - done));
      return sizes;
    }
    OL_ASSIGN(sizes, to_ints(ctx.in(1), "split"));
    int64_t sum = 0;
    for (const int64_t n : sizes) {
      if (n < 0 || n > dim) return run_failed("split has length ", n, " for an axis of length ", dim);
      sum += n;
    }
    if (sum != dim) return run_failed("split must add up to ", dim, "; it adds up to ", sum);
    return sizes;
  }
};

struct ConcatFromSequence : Op {
  int64_t axis;
  bool new_axis;

  Status init(Attrs& a) {
    axis = a.i("axis");
    new_axis = a.i("new_axis", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_TRY(need_sequence(ctx.value(0)));
    const Value::Sequence& items = ctx.value(0).sequence();
    if (items.empty()) return run_failed("an empty sequence cannot be concatenated");
    std::vector<Tensor> parts;
    std::vector<const Tensor*> inputs;
    for (const Value& item : items) {
      if (!item.is_tensor()) return run_failed("the sequence must hold tensors; it holds a ", kind_name(item.kind()));
      parts.push_back(item.tensor());
      if (!new_axis) continue;
      Shape shape = parts.back().shape();
      if (shape.rank() == Shape::kMaxRank) return not_implemented("no axis can be added to ", shape);
      OL_ASSIGN(const int at, normalize_axis(axis, shape.rank() + 1));
      shape.insert(at, 1);
      parts.back() = parts.back().reshaped(shape);
    }
    for (const Tensor& part : parts) inputs.push_back(&part);
    return concat(ctx, inputs, axis);
  }
};

struct OptionalOp : Op {
  Status init(Attrs& a) {
    a.ignore("type");  // serves type inference only
    return {};
  }
  Status run(OpContext& ctx) const override {
    ctx.set(0, ctx.has(0) ? ctx.value(0) : Value::empty_optional());
    return {};
  }
};

struct OptionalGetElement : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    if (!ctx.value(0).has_element()) return run_failed("the optional is empty; test it with OptionalHasElement first");
    ctx.set(0, ctx.value(0));
    return {};
  }
};

struct OptionalHasElement : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, Shape{}));
    *y->mutable_data<bool>() = ctx.has(0) && ctx.value(0).has_element();
    return {};
  }
};

const OpRow kRows[] = {
    {"SequenceEmpty", 11, make<SequenceEmpty>},
    {"SequenceConstruct", 11, make<SequenceConstruct>},
    {"SequenceAt", 11, make<SequenceAt>},
    {"SequenceInsert", 11, make<SequenceInsert>},
    {"SequenceErase", 11, make<SequenceErase>},
    {"SequenceLength", 11, make<SequenceLength>},
    {"SplitToSequence", 11, make<SplitToSequence>},
    {"ConcatFromSequence", 11, make<ConcatFromSequence>},
    {"Optional", 15, make<OptionalOp>},
    {"OptionalGetElement", 15, make<OptionalGetElement>},
    {"OptionalHasElement", 15, make<OptionalHasElement>},
};

}  // namespace

extern const OpTable kSequenceOps{"", kRows};

}  // namespace onnxlet
