// Operators that keep the elements and change the shape, describe it, or repeat it.
#include <algorithm>

#include "kernels/move.h"
#include "kernels/mt19937.h"
#include "ops/as_float.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Reshape : Op {
  bool allow_zero;

  Status init(Attrs& a) {
    allow_zero = a.i("allowzero") != 0;
    a.ignore("consumed_inputs");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(auto dims, to_ints(ctx.in(1), "shape"));
    OL_TRY(resolve(x.shape(), &dims));
    OL_ASSIGN(const Shape shape, make_shape(dims));
    OL_ASSIGN(const uint64_t size, checked_size(shape));
    if (size != static_cast<uint64_t>(x.size())) {
      return run_failed("the element count must stay the same: ", x.shape(), " cannot become ", shape);
    }
    ctx.set(0, x.reshaped(shape));
    return {};
  }

  // 0 copies the input's dimension (unless allowzero), one -1 takes what is left.
  Status resolve(const Shape& in, std::vector<int64_t>* dims) const {
    int inferred = -1;
    int64_t known = 1;
    for (size_t i = 0; i < dims->size(); ++i) {
      int64_t& d = (*dims)[i];
      if (d == 0 && !allow_zero) {
        if (static_cast<int>(i) >= in.rank()) {
          return run_failed("shape has 0 (copy) at position ", i, " but the input has rank ", in.rank());
        }
        d = in[static_cast<int>(i)];
      }
      if (d == -1) {
        if (inferred >= 0) return run_failed("shape may hold -1 only once; positions ", inferred, " and ", i, " do");
        inferred = static_cast<int>(i);
      } else if (d < 0) {
        return run_failed("shape holds ", d, " at position ", i, "; dimensions are -1, 0 or positive");
      } else {
        if (__builtin_mul_overflow(known, d, &known)) return run_failed("the asked shape has too many elements");
      }
    }
    if (inferred < 0) return {};
    if (known == 0 ? in.size() != 0 : in.size() % known != 0) {
      return run_failed("-1 cannot be inferred: ", in.size(), " elements are not divisible by ", known);
    }
    (*dims)[static_cast<size_t>(inferred)] = known == 0 ? 0 : in.size() / known;
    return {};
  }
};

struct Flatten : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 1);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t at = axis < 0 ? axis + x.rank() : axis;
    if (at < 0 || at > x.rank()) return run_failed("axis ", axis, " is outside [", -x.rank(), ", ", x.rank(), "]");
    const int split = static_cast<int>(at);
    ctx.set(0, x.reshaped(Shape{x.shape().product(0, split), x.shape().product(split, x.rank())}));
    return {};
  }
};

struct Squeeze : Op {
  Status init(Attrs&) { return {}; }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    std::vector<int> axes;
    const bool given = ctx.has(1);
    if (given) {
      OL_ASSIGN(const auto list, to_ints(ctx.in(1), "axes"));
      OL_ASSIGN(axes, normalize_axes(list, x.rank()));
    }
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) {
      const bool named = std::find(axes.begin(), axes.end(), i) != axes.end();
      if (named && x.dim(i) != 1) return run_failed("axis ", i, " of ", x.shape(), " has length ", x.dim(i), ", not 1");
      if (!(given ? named : x.dim(i) == 1)) shape.push_back(x.dim(i));
    }
    ctx.set(0, x.reshaped(shape));
    return {};
  }
};

struct Unsqueeze : Op {
  Status init(Attrs&) { return {}; }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const auto list, to_ints(ctx.in(1), "axes"));
    const int rank = x.rank() + static_cast<int>(list.size());
    if (rank > Shape::kMaxRank) {
      return not_implemented("the output would have rank ", rank, "; at most ", Shape::kMaxRank, " is supported");
    }
    OL_ASSIGN(const auto axes, normalize_axes(list, rank));
    if (axes.size() != list.size()) return run_failed("axes names an axis twice; every axis may be given once");
    Shape shape;
    for (int i = 0, from = 0; i < rank; ++i) {
      const bool added = std::find(axes.begin(), axes.end(), i) != axes.end();
      shape.push_back(added ? 1 : x.dim(from++));
    }
    ctx.set(0, x.reshaped(shape));
    return {};
  }
};

// One axis of length 1, at a place given as a scalar.
struct ExpandDims : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int64_t axis, to_int(ctx.in(1), "axis"));
    if (x.rank() == Shape::kMaxRank) return not_implemented("an output of rank ", x.rank() + 1);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank() + 1));
    Shape shape;
    for (int i = 0; i <= x.rank(); ++i) shape.push_back(i == at ? 1 : x.dim(i < at ? i : i - 1));
    ctx.set(0, x.reshaped(shape));
    return {};
  }
};

struct Identity : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    ctx.set(0, ctx.value(0));
    return {};
  }
};

struct ShapeOp : Op {
  int64_t start, end;

  Status init(Attrs& a) {
    start = a.i("start", 0);
    end = a.i("end", INT64_MAX);
    if (!a.has("end")) end = INT64_MAX;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Shape& shape = ctx.in(0).shape();
    const int64_t rank = shape.rank();
    const auto clamp = [rank](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
    const int64_t from = clamp(start), to = std::max(from, clamp(end));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{to - from}));
    std::copy(shape.begin() + from, shape.begin() + to, y->mutable_data<int64_t>());
    return {};
  }
};

struct Size : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{}));
    *y->mutable_data<int64_t>() = ctx.in(0).size();
    return {};
  }
};

struct Expand : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const auto dims, to_ints(ctx.in(1), "shape"));
    OL_ASSIGN(const Shape asked, make_shape(dims));
    OL_ASSIGN(const Shape shape, broadcast(x.shape(), asked));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    copy_strided(x.dtype(), shape, x.raw(), broadcast_strides(x.shape(), shape), y->mutable_raw(), shape.strides());
    return {};
  }
};

Status tile(OpContext& ctx, std::span<const int64_t> repeats) {
  const Tensor& x = ctx.in(0);
  const Shape strides = x.shape().strides();
  Shape shape = x.shape();
  Shape dims, from;  // a repeated axis becomes two: the repetition with stride 0, then the axis itself
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t n = repeats[static_cast<size_t>(i)];
    if (n < 0) return run_failed("repeats must not be negative; axis ", i, " has ", n);
    if (__builtin_mul_overflow(x.dim(i), n, &shape[i]))
      return run_failed("repeats ", n, " of axis ", i, " is too large");
    for (const auto& [d, s] : {std::pair{n, int64_t{0}}, std::pair{x.dim(i), strides[i]}}) {
      if (d == 1) continue;
      if (dims.rank() == Shape::kMaxRank)
        return not_implemented("Tile repeats too many axes of ", x.shape(), " at once");
      dims.push_back(d);
      from.push_back(s);
    }
  }
  OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
  copy_strided(x.dtype(), dims, x.raw(), from, y->mutable_raw(), dims.strides());
  return {};
}

struct Tile : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const auto repeats, to_ints(ctx.in(1), "repeats"));
    if (static_cast<int>(repeats.size()) != ctx.in(0).rank()) {
      return run_failed("repeats needs one entry per axis of ", ctx.in(0).shape(), "; it has ", repeats.size());
    }
    return tile(ctx, repeats);
  }
};

// Opset 1: one axis, given with the count as tensors of the input's own type.
struct Tile1 : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const double tiles, to_double(ctx.in(1), "tiles"));
    OL_ASSIGN(const double at, to_double(ctx.in(2), "axis"));
    OL_ASSIGN(const int axis, normalize_axis(static_cast<int64_t>(at), ctx.in(0).rank()));
    if (!(tiles >= 0 && tiles < 4e9)) return run_failed("tiles must be a count; it is ", tiles);
    std::vector<int64_t> repeats(static_cast<size_t>(ctx.in(0).rank()), 1);
    repeats[static_cast<size_t>(axis)] = static_cast<int64_t>(tiles);
    return tile(ctx, repeats);
  }
};

// Identity unless training_mode says otherwise. Before opset 12 the mode is not in the graph (or, with is_test, was
// left at its default by most exporters): like every inference runtime, we take the node to be in test mode.
struct Dropout : Op {
  bool bool_mask, seeded;
  uint32_t seed;

  Status init(Attrs& a) {
    a.ignore("is_test");
    a.ignore("consumed_inputs");
    bool_mask = a.since_version() >= 10;
    seeded = a.has("seed");
    seed = static_cast<uint32_t>(a.i("seed"));
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    bool training = false;
    double ratio = 0.5;
    if (ctx.has(2)) {
      if (ctx.in(2).size() != 1) return run_failed("training_mode must be a scalar; it has shape ", ctx.in(2).shape());
      training = *ctx.in(2).data<bool>();
      if (ctx.has(1)) {
        OL_ASSIGN(ratio, to_double(ctx.in(1), "ratio"));
      }
    }
    if (training && ratio != 0) return drop(ctx, ratio);
    ctx.set(0, ctx.value(0));
    if (!ctx.wants(1)) return {};
    const DType type = bool_mask ? DType::kBool : x.dtype();
    OL_ASSIGN(Tensor * mask, ctx.out(1, type, x.shape()));
    alignas(16) unsigned char one[16];
    store_scalar(type, 1, one);
    fill_elements(type, mask->mutable_raw(), mask->size(), one);
    return {};
  }

  Status drop(OpContext& ctx, double ratio) const {
    const Tensor& x = ctx.in(0);
    if (!(ratio >= 0 && ratio < 1)) return run_failed("ratio must be in [0, 1); it is ", ratio);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    OL_ASSIGN(Tensor * mask, ctx.out(1, DType::kBool, x.shape()));
    bool* keep = mask->mutable_data<bool>();
    Mt19937 random(seeded ? seed : static_cast<uint32_t>(ctx.next_random()));
    for (int64_t i = 0; i < x.size(); ++i) keep[i] = random.uniform() >= ratio;
    const double scale = 1 / (1 - ratio);
    if (x.dtype() == DType::kDouble) return apply<double>(ctx, keep, scale, y);
    return apply<float>(ctx, keep, scale, y);
  }

  template <class T>
  static Status apply(OpContext& ctx, const bool* keep, double scale, Tensor* y) {
    OL_ASSIGN(const T* from, values_as<T>(ctx, ctx.in(0)));
    OL_ASSIGN(void* staged, staging_for(ctx, y, dtype_of<T>));
    T* to = static_cast<T*>(staged);
    for (int64_t i = 0; i < y->size(); ++i) to[i] = keep[i] ? from[i] * static_cast<T>(scale) : T(0);
    store(to, dtype_of<T>, y);
    return {};
  }
};

const OpRow kRows[] = {
    {"Reshape", 1, make<Reshape>, kPackedSubByte | kShapeOnly},
    {"Flatten", 1, make<Flatten>, kPackedSubByte | kShapeOnly},
    {"Squeeze", 1, make<Squeeze>, kPackedSubByte | kShapeOnly},
    {"Unsqueeze", 1, make<Unsqueeze>, kPackedSubByte | kShapeOnly},
    {"Identity", 1, make<Identity>, kPackedSubByte | kShapeOnly},
    {"Shape", 1, make<ShapeOp>, kPackedSubByte | kShapeOnly},
    {"Size", 1, make<Size>, kPackedSubByte | kShapeOnly},
    {"Expand", 8, make<Expand>},
    {"Tile", 1, make<Tile1>},
    {"Tile", 6, make<Tile>},
    {"Dropout", 1, make<Dropout>},
    {"Dropout", 12, make<Dropout>, kImpure},
};

const OpRow kContribRows[] = {{"ExpandDims", 1, make<ExpandDims>, kShapeOnly}};

}  // namespace

extern const OpTable kReshapeOps{"", kRows};
extern const OpTable kReshapeContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
