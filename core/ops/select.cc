// Operators whose output depends on which elements hold: Where, Compress, NonZero, Unique, OneHot, Trilu,
// ReverseSequence.
#include "kernels/select.h"

#include <algorithm>
#include <string>

#include "base/sort.h"
#include "base/visit.h"
#include "kernels/convert.h"
#include "kernels/gather.h"
#include "kernels/move.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Where : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor &c = ctx.in(0), &x = ctx.in(1), &y = ctx.in(2);
    OL_ASSIGN(const Shape values, broadcast(x.shape(), y.shape()));
    OL_ASSIGN(const Shape shape, broadcast(c.shape(), values));
    OL_ASSIGN(Tensor * out, ctx.out(0, x.dtype(), shape));
    where(x.dtype(), shape, c.data<bool>(), broadcast_strides(c.shape(), shape), x.raw(),
          broadcast_strides(x.shape(), shape), y.raw(), broadcast_strides(y.shape(), shape), out->mutable_raw());
    return {};
  }
};

struct Compress : Op {
  int64_t axis;
  bool flat;

  Status init(Attrs& a) {
    flat = !a.has("axis");
    axis = a.i("axis", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &condition = ctx.in(1);
    Shape shape{x.size()};
    Rows rows{1, x.size(), 1};
    int at = 0;
    if (!flat) {
      OL_ASSIGN(at, normalize_axis(axis, x.rank()));
      shape = x.shape();
      rows = split_at(shape, at);
    }
    const int64_t n = condition.size();
    OL_ASSIGN(int64_t* kept, ctx.scratch_of<int64_t>(n));
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (!condition.data<bool>()[i]) continue;
      if (i >= rows.n) return run_failed("condition selects element ", i, " of an axis of length ", rows.n);
      kept[count++] = i;
    }
    shape[at] = count;
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    gather_rows(x.dtype(), x.raw(), rows, kept, count, y->mutable_raw());
    return {};
  }
};

template <class T>
bool is_nonzero(const T& v) {
  if constexpr (std::is_same_v<T, std::string>)
    return !v.empty();
  else if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>)
    return v.re != 0 || v.im != 0;
  else
    return v != T(0);
}

// flags[i] = whether x[i] is not zero; the result counts them. Integers by their bits, whatever they mean.
Result<int64_t> mark_nonzero(const Tensor& x, bool* flags) {
  int64_t count = 0;
  const auto mark = [&]<class T>() -> Status {
    for (int64_t i = 0; i < x.size(); ++i) count += flags[i] = is_nonzero(x.data<T>()[i]);
    return {};
  };
  if (!is_float(x.dtype()) && x.dtype() != DType::kString && element_size(x.dtype()) <= 8 &&
      x.dtype() != DType::kComplex64) {
    visit_size(x.dtype(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) (void)mark.template operator()<T>();
    });
  } else if (is_float_like(x.dtype()) && x.dtype() != DType::kFloat) {
    float v;
    const auto step = static_cast<int64_t>(element_size(x.dtype()));
    for (int64_t i = 0; i < x.size(); ++i) {
      to_float(x.dtype(), x.data<char>() + i * step, &v, 1);
      count += flags[i] = v != 0;
    }
  } else {
    OL_TRY((visit<Ieee, Complexes, Strings>(x.dtype(), mark)));
  }
  return count;
}

struct NonZero : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const Shape& in = x.shape();
    OL_ASSIGN(bool* flags, ctx.scratch_of<bool>(x.size()));
    OL_ASSIGN(const int64_t count, mark_nonzero(x, flags));
    const int rank = in.rank();  // none of a scalar: [0, 1] or [0, 0]
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{rank, count}));
    int64_t* out = y->mutable_data<int64_t>();
    int64_t index[Shape::kMaxRank] = {};
    for (int64_t i = 0, at = 0; i < x.size(); ++i) {
      if (flags[i]) {
        for (int axis = 0; axis < rank; ++axis) out[axis * count + at] = index[axis];
        ++at;
      }
      for (int axis = in.rank() - 1; axis >= 0 && ++index[axis] == in[axis]; --axis) index[axis] = 0;
    }
    return {};
  }
};

// Three-way comparison of single elements; NaN is the largest and equal to itself. Complex numbers: the real part
// first.
using Compare = int (*)(const void*, const void*);
template <class T>
int compare_elements(const void* a, const void* b) {
  const T &x = *static_cast<const T*>(a), &y = *static_cast<const T*>(b);
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    const float fx = static_cast<float>(x), fy = static_cast<float>(y);
    return compare_elements<float>(&fx, &fy);
  } else if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
    const int c = compare_elements<decltype(x.re)>(&x.re, &y.re);
    return c != 0 ? c : compare_elements<decltype(x.im)>(&x.im, &y.im);
  } else {
    if (x < y) return -1;
    if (y < x) return 1;
    if constexpr (std::is_floating_point_v<T>) return static_cast<int>(x != x) - static_cast<int>(y != y);
    return 0;
  }
}

struct Unique : Op {
  int64_t axis;
  bool flat, sorted;
  int first_output = 1;  // where the indices of first appearance go; 0: nowhere, and the others move up

  Status init(Attrs& a) {
    flat = !a.has("axis");
    axis = a.i("axis", 0);
    sorted = a.i("sorted", 1) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    Compare compare = nullptr;
    OL_TRY(
        (visit<Ieee, Halves, SignedInts, UnsignedInts, Bool, Strings, Complexes>(x.dtype(), [&]<class T>() -> Status {
          compare = compare_elements<T>;
          return {};
        })));
    int at = 0;
    Tensor slices = x.reshaped(Shape{x.size()});
    if (!flat) {
      OL_ASSIGN(at, normalize_axis(axis, x.rank()));
      OL_ASSIGN(slices, axis_first(ctx, x, at));
    }
    const int64_t n = slices.dim(0), width = flat ? 1 : x.shape().product(0, at) * x.shape().product(at + 1, x.rank());
    OL_ASSIGN(int64_t* order, ctx.scratch_of<int64_t>(n));
    OL_ASSIGN(int64_t* group, ctx.scratch_of<int64_t>(n));
    const auto compare_slices = [&](int64_t a, int64_t b) {
      for (int64_t i = 0; i < width; ++i) {
        const int c = compare(element_at(x.dtype(), slices.raw(), a * width + i),
                              element_at(x.dtype(), slices.raw(), b * width + i));
        if (c != 0) return c;
      }
      return 0;
    };
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    sort_by(order, n, [&](int64_t a, int64_t b) {
      const int c = compare_slices(a, b);
      return c != 0 ? c < 0 : a < b;
    });
    std::vector<int64_t> first;  // of each group, in sorted order
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || compare_slices(order[i - 1], order[i]) != 0) first.push_back(order[i]);
      group[order[i]] = static_cast<int64_t>(first.size()) - 1;
    }
    if (!sorted) by_appearance(&first, group, n);
    return emit(ctx, at, first, group, n);
  }

  // [axis, everything else]
  static Result<Tensor> axis_first(OpContext& ctx, const Tensor& x, int at) {
    std::vector<int> perm{at};
    Shape shape{x.dim(at)};
    for (int i = 0; i < x.rank(); ++i) {
      if (i == at) continue;
      perm.push_back(i);
      shape.push_back(x.dim(i));
    }
    OL_ASSIGN(Tensor t, Tensor::allocate(ctx.pool(), x.dtype(), shape, true));
    permute(x.dtype(), x.raw(), x.shape(), perm, t.mutable_raw());
    return t;
  }

  static void by_appearance(std::vector<int64_t>* first, int64_t* group, int64_t n) {
    std::vector<int64_t> rank(first->size()), sorted_first = *first;
    sort_by(sorted_first.data(), static_cast<int64_t>(sorted_first.size()), [](int64_t a, int64_t b) { return a < b; });
    for (size_t i = 0; i < first->size(); ++i) {
      rank[i] = std::lower_bound(sorted_first.begin(), sorted_first.end(), (*first)[i]) - sorted_first.begin();
    }
    for (int64_t i = 0; i < n; ++i) group[i] = rank[static_cast<size_t>(group[i])];
    *first = std::move(sorted_first);
  }

  Status emit(OpContext& ctx, int at, const std::vector<int64_t>& first, const int64_t* group, int64_t n) const {
    const Tensor& x = ctx.in(0);
    const int64_t count = static_cast<int64_t>(first.size());
    Shape shape{count};
    if (!flat) {
      shape = x.shape();
      shape[at] = count;
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    const Rows rows = flat ? Rows{1, x.size(), 1} : split_at(x.shape(), at);
    gather_rows(x.dtype(), x.raw(), rows, first.data(), count, y->mutable_raw());
    if (first_output != 0 && ctx.output_count() > first_output) {
      OL_ASSIGN(Tensor * indices, ctx.out(first_output, DType::kInt64, Shape{count}));
      std::copy(first.begin(), first.end(), indices->mutable_data<int64_t>());
    }
    const int next = first_output + 1;
    if (ctx.output_count() > next) {
      OL_ASSIGN(Tensor * inverse, ctx.out(next, DType::kInt64, Shape{n}));
      std::copy_n(group, n, inverse->mutable_data<int64_t>());
    }
    if (ctx.output_count() > next + 1) {
      OL_ASSIGN(Tensor * counts, ctx.out(next + 1, DType::kInt64, Shape{count}));
      std::fill_n(counts->mutable_data<int64_t>(), count, 0);
      for (int64_t i = 0; i < n; ++i) ++counts->mutable_data<int64_t>()[group[i]];
    }
    return {};
  }
};

// That of com.microsoft: the values in the order they appear, where each element is among them, and how often.
struct UniqueByAppearance : Unique {
  Status init(Attrs&) {
    axis = 0;
    flat = true;
    sorted = false;
    first_output = 0;
    return {};
  }
};

struct OneHot : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &indices = ctx.in(0), &values = ctx.in(2);
    OL_ASSIGN(const double asked, to_double(ctx.in(1), "depth"));
    if (!(asked >= 0 && asked < 1e12)) return run_failed("depth must not be negative; it is ", asked);
    if (values.size() != 2) return run_failed("values must be [off, on]; it has shape ", values.shape());
    const int64_t depth = static_cast<int64_t>(asked);
    OL_ASSIGN(const int at, normalize_axis(axis, indices.rank() + 1));
    if (indices.rank() == Shape::kMaxRank)
      return not_implemented("indices of rank ", indices.rank(), " are not supported");
    Shape shape = indices.shape();
    shape.insert(at, depth);
    OL_ASSIGN(int64_t* index, ctx.scratch_of<int64_t>(indices.size()));
    if (indices.dtype() == DType::kString) return not_implemented("indices must be numbers");
    cast_elements(indices.dtype(), indices.raw(), DType::kInt64, index, indices.size(), {});
    OL_ASSIGN(Tensor * y, ctx.out(0, values.dtype(), shape));
    one_hot(values.dtype(), index, split_at(shape, at), values.raw(), y->mutable_raw());
    return {};
  }
};

struct Trilu : Op {
  bool upper;

  Status init(Attrs& a) {
    upper = a.i("upper", 1) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    int64_t k = 0;
    if (ctx.has(1)) {
      OL_ASSIGN(k, to_int(ctx.in(1), "k"));
    }
    if (x.rank() < 2) return run_failed("the input needs a rank of at least 2; it has shape ", x.shape());
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    const int r = x.rank();
    trilu(x.dtype(), x.raw(), x.shape().product(0, r - 2), x.dim(r - 2), x.dim(r - 1), k, upper, y->mutable_raw());
    return {};
  }
};

struct ReverseSequence : Op {
  int64_t batch_axis, time_axis;

  Status init(Attrs& a) {
    batch_axis = a.i("batch_axis", 1);
    time_axis = a.i("time_axis", 0);
    if (batch_axis + time_axis != 1 || batch_axis * time_axis != 0) {
      return invalid_graph("batch_axis and time_axis must be 0 and 1 in either order; they are ", batch_axis, " and ",
                           time_axis);
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 2) return run_failed("the input needs a rank of at least 2; it has shape ", x.shape());
    OL_ASSIGN(const auto lengths, to_ints(ctx.in(1), "sequence_lens"));
    const int b = static_cast<int>(batch_axis), t = static_cast<int>(time_axis);
    const int64_t batch = x.dim(b), time = x.dim(t), run = x.shape().product(2, x.rank());
    if (static_cast<int64_t>(lengths.size()) != batch) {
      return run_failed("sequence_lens needs one entry per batch (", batch, "); it has ", lengths.size());
    }
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(batch * time));
    for (int64_t i = 0; i < batch; ++i) {
      const int64_t n = lengths[static_cast<size_t>(i)];
      if (n < 0 || n > time) return run_failed("sequence length ", n, " of batch ", i, " is outside [0, ", time, "]");
      for (int64_t j = 0; j < time; ++j) {
        const int64_t from = j < n ? n - 1 - j : j;
        const int64_t item = b == 0 ? i * time + j : j * batch + i,
                      source = b == 0 ? i * time + from : from * batch + i;
        offsets[item] = source * run;
      }
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    gather_runs(x.dtype(), x.raw(), offsets, batch * time, run, y->mutable_raw());
    return {};
  }
};

const OpRow kRows[] = {
    {"Where", 9, make<Where>, kElementwise},
    {"Compress", 9, make<Compress>},
    {"NonZero", 9, make<NonZero>},
    {"Unique", 11, make<Unique>},
    {"OneHot", 9, make<OneHot>},
    {"Trilu", 14, make<Trilu>},
    {"ReverseSequence", 10, make<ReverseSequence>},
};

const OpRow kContribRows[] = {
    {"Trilu", 1, make<Trilu>},
    {"Unique", 1, make<UniqueByAppearance>},
};

}  // namespace

extern const OpTable kSelectOps{"", kRows};
extern const OpTable kSelectContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
