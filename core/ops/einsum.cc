// Einsum: operands are contracted two at a time, each step a batched matrix product.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "base/visit.h"
#include "kernels/gemm.h"
#include "ops/einsum_plan.h"
#include "ops/float_io.h"

namespace onnxlet {
namespace {

using Axes = std::vector<EinsumAxis>;

template <class T>
void copy_axes(const void* from, const Axes& axes, void* to) {
  T* dst = static_cast<T*>(to);
  each_row(axes, [&](int64_t at, int64_t n, int64_t step) {
    for (int64_t i = 0; i < n; ++i, at += step) *dst++ = static_cast<const T*>(from)[at];
  });
}

// What two operands come down to: a batch of matrix products.
struct Products {
  int64_t batch, rows, cols, depth;
  const void *a, *b;
  int64_t a_row, a_col, b_row, b_col;
  const int64_t *a_offsets, *b_offsets;
  void* c;
};

// What depends on the element type: float, double, or an unsigned integer whose arithmetic wraps.
struct Arithmetic {
  size_t size;
  void (*copy)(const void* from, const Axes& axes, void* to);
  void (*sum)(const void* from, const Axes& kept, const Axes& dropped, void* to);
  Status (*multiply)(OpContext& ctx, const Products& p);
};

template <class T>
void sum_axes(const void* from, const Axes& kept, const Axes& dropped, void* to) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const T* data = static_cast<const T*>(from);
  T* dst = static_cast<T*>(to);
  each_row(kept, [&](int64_t base, int64_t n, int64_t step) {
    for (int64_t j = 0; j < n; ++j, base += step) {
      Sum sum{};
      each_row(dropped, [&](int64_t at, int64_t count, int64_t stride) {
        for (int64_t i = 0; i < count; ++i, at += stride) sum += static_cast<Sum>(data[base + at]);
      });
      *dst++ = static_cast<T>(sum);
    }
  });
}

template <class T>
Status multiply_plain(OpContext&, const Products& p) {
  const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
  for (int64_t i = 0; i < p.batch; ++i) {
    gemm_plain<T>({p.rows, p.cols, p.depth, a + p.a_offsets[i], p.a_row, p.a_col, b + p.b_offsets[i], p.b_row, p.b_col,
                   static_cast<T*>(p.c) + i * p.rows * p.cols});
  }
  return {};
}

Status multiply_floats(OpContext& ctx, const Products& p) {
  Gemm g;
  g.m = p.rows;
  g.n = p.cols;
  g.k = p.depth;
  g.a = {static_cast<const float*>(p.a), p.a_row, p.a_col};
  g.b = {static_cast<const float*>(p.b), p.b_row, p.b_col};
  g.c = static_cast<float*>(p.c);
  g.c_row_stride = p.cols;
  if (p.batch == 0) return {};
  OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_batch_scratch(g, p.batch)));
  ctx.set_kernel(gemm_batch(g, p.batch, p.a_offsets, p.b_offsets, p.rows * p.cols, scratch));
  return {};
}

constexpr Arithmetic kFloats{sizeof(float), copy_axes<uint32_t>, sum_axes<float>, multiply_floats};
constexpr Arithmetic kDoubles{sizeof(double), copy_axes<uint64_t>, sum_axes<double>, multiply_plain<double>};
constexpr Arithmetic kIntegers{sizeof(uint64_t), copy_axes<uint64_t>, sum_axes<uint64_t>, multiply_plain<uint64_t>};

const Arithmetic& arithmetic_of(DType t) {
  return runs_as_float(t) ? kFloats : t == DType::kDouble ? kDoubles : kIntegers;
}

class Contraction {
 public:
  Contraction(OpContext& ctx, const Arithmetic& type) : ctx_(ctx), type_(type) {}

  // Sums over the axes whose labels are not in `keep`.
  Status reduce(EinsumOperand* o, const Labels& keep) {
    Axes kept, dropped;
    for (const EinsumAxis& a : o->axes) {
      (std::find(keep.begin(), keep.end(), a.label) != keep.end() ? kept : dropped).push_back(a);
    }
    if (dropped.empty()) return {};
    OL_ASSIGN(void* out, allocate(size_of(kept)));
    type_.sum(o->data, kept, dropped, out);
    *o = packed(out, kept);
    return {};
  }

  // Elements in the order of `labels`, contiguous.
  Status arrange(EinsumOperand* o, const Labels& labels) {
    Axes axes;
    for (const int l : labels) axes.push_back(*o->find(l));
    int64_t dim, stride;
    if (collapse(axes, &dim, &stride) && (stride == 1 || dim == 1)) {
      o->axes = axes;
      return {};
    }
    OL_ASSIGN(void* out, allocate(size_of(axes)));
    type_.copy(o->data, axes, out);
    *o = packed(out, axes);
    return {};
  }

  // The product of a and b, summed over what both have and `keep` does not name.
  Result<EinsumOperand> multiply(EinsumOperand a, EinsumOperand b, const Labels& keep) {
    Labels keep_a = keep, keep_b = keep;
    for (const EinsumAxis& x : b.axes) keep_a.push_back(x.label);
    for (const EinsumAxis& x : a.axes) keep_b.push_back(x.label);
    OL_TRY(reduce(&a, keep_a));
    OL_TRY(reduce(&b, keep_b));
    // Groups in the order of the result, so that the last step seldom needs a transpose.
    Axes batch_a, batch_b, m, n, k_a, k_b;
    auto place = [&](int label) {
      const EinsumAxis *x = a.find(label), *y = b.find(label);
      if (x && y) {
        const int64_t dim = std::max(x->dim, y->dim) == 1 ? 1 : x->dim == 1 ? y->dim : x->dim;
        batch_a.push_back({label, dim, x->dim == 1 ? 0 : x->stride});
        batch_b.push_back({label, dim, y->dim == 1 ? 0 : y->stride});
      } else if (x) {
        m.push_back(*x);
      } else if (y) {
        n.push_back(*y);
      }
    };
    for (const int label : keep) place(label);
    for (const EinsumAxis& x : a.axes) {
      if (std::find(keep.begin(), keep.end(), x.label) != keep.end()) continue;
      const EinsumAxis* y = b.find(x.label);
      const int64_t dim = x.dim == 1 ? y->dim : x.dim;
      k_a.push_back({x.label, dim, x.dim == 1 ? 0 : x.stride});
      k_b.push_back({x.label, dim, y->dim == 1 ? 0 : y->stride});
    }
    OL_TRY(make_collapsible(&a, &batch_a, &m, &k_a));
    OL_TRY(make_collapsible(&b, &batch_b, &k_b, &n));
    return product(a, b, batch_a, batch_b, m, n, k_a, k_b);
  }

 private:
  static int64_t size_of(const Axes& axes) {
    int64_t n = 1;
    for (const EinsumAxis& a : axes) n = times(n, a.dim);
    return n;
  }
  // A product too large for 64 bits is certainly too large for memory.
  static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
  }
  static EinsumOperand packed(const void* data, Axes axes) {
    int64_t stride = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      axes[i].stride = stride;
      stride *= axes[i].dim;
    }
    return {data, std::move(axes)};
  }
  Result<void*> allocate(int64_t n) {
    if (type_.size == sizeof(float)) {
      OL_ASSIGN(void* out, ctx_.scratch_of<float>(std::max<int64_t>(n, 1)));
      return out;
    }
    OL_ASSIGN(void* out, ctx_.scratch_of<double>(std::max<int64_t>(n, 1)));
    return out;
  }

  // Copies the operand when its rows or columns cannot be walked with one stride each.
  Status make_collapsible(EinsumOperand* o, Axes* batch, Axes* rows, Axes* cols) {
    int64_t dim, stride;
    if (collapse(*rows, &dim, &stride) && collapse(*cols, &dim, &stride)) return {};
    Axes all = *batch;
    for (EinsumAxis& a : all) a.dim = a.stride == 0 ? 1 : a.dim;  // broadcast axes are not stored
    all.insert(all.end(), rows->begin(), rows->end());
    all.insert(all.end(), cols->begin(), cols->end());
    OL_ASSIGN(void* out, allocate(size_of(all)));
    type_.copy(o->data, all, out);
    const EinsumOperand fresh = packed(out, all);
    for (EinsumAxis& a : *batch) a.stride = a.stride == 0 ? 0 : fresh.find(a.label)->stride;
    for (EinsumAxis& a : *rows) a.stride = fresh.find(a.label)->stride;
    for (EinsumAxis& a : *cols) a.stride = fresh.find(a.label)->stride;
    o->data = out;
    return {};
  }

  Result<EinsumOperand> product(const EinsumOperand& a, const EinsumOperand& b, const Axes& batch_a,
                                const Axes& batch_b, const Axes& m, const Axes& n, const Axes& k_a, const Axes& k_b) {
    Products p{};
    collapse(m, &p.rows, &p.a_row);
    collapse(n, &p.cols, &p.b_col);
    collapse(k_a, &p.depth, &p.a_col);
    collapse(k_b, &p.depth, &p.b_row);
    p.batch = size_of(batch_a);
    p.a = a.data;
    p.b = b.data;
    OL_ASSIGN(p.c, allocate(times(p.batch, times(p.rows, p.cols))));
    OL_ASSIGN(int64_t* offsets, ctx_.scratch_of<int64_t>(2 * p.batch + 1));
    p.a_offsets = offsets;
    p.b_offsets = offsets + p.batch;
    int64_t* at = offsets;
    auto list = [&](int64_t o, int64_t n, int64_t step) {
      for (int64_t i = 0; i < n; ++i, o += step) *at++ = o;
    };
    each_row(batch_a, list);
    each_row(batch_b, list);
    OL_TRY(type_.multiply(ctx_, p));
    Axes axes = batch_a;
    axes.insert(axes.end(), m.begin(), m.end());
    axes.insert(axes.end(), n.begin(), n.end());
    return packed(p.c, axes);
  }

  OpContext& ctx_;
  const Arithmetic& type_;
};

struct Einsum : Op {
  std::string equation;  // without spaces
  EinsumTerms terms;

  Status init(Attrs& a) {
    for (const char c : a.s("equation")) {
      if (c != ' ') equation += c;
    }
    OL_ASSIGN(terms, parse_einsum(equation));
    if (static_cast<int>(terms.inputs.size()) != a.input_count()) {
      return invalid_graph("the equation '", equation, "' has ", terms.inputs.size(), " terms, the node ",
                           a.input_count(), " inputs");
    }
    return {};
  }

  // The operand's elements; integers are widened, which keeps their low bits.
  static Result<const void*> widened(OpContext& ctx, const Tensor& x) {
    if (runs_as_float(x.dtype())) {
      OL_ASSIGN(const void* out, float_input(ctx, x));
      return out;
    }
    if (element_size(x.dtype()) == sizeof(uint64_t)) return x.raw();
    OL_ASSIGN(uint64_t* out, ctx.scratch_of<uint64_t>(x.size()));
    visit_size(x.dtype(), [&]<class S>() {
      if constexpr (std::is_integral_v<S>) std::copy_n(static_cast<const S*>(x.raw()), x.size(), out);
    });
    return static_cast<const void*>(out);
  }

  // A labelled view of input i; an axis named twice becomes its diagonal.
  Result<EinsumOperand> operand(OpContext& ctx, int i, int ellipsis_rank) const {
    const Tensor& x = ctx.in(i);
    OL_ASSIGN(Labels labels, term_labels(terms.inputs[static_cast<size_t>(i)], x.rank(), ellipsis_rank));
    EinsumOperand o;
    OL_ASSIGN(o.data, widened(ctx, x));
    const Shape strides = x.shape().strides();
    for (int d = 0; d < x.rank(); ++d) {
      const int label = labels[static_cast<size_t>(d)];
      EinsumAxis* same = const_cast<EinsumAxis*>(o.find(label));
      if (same == nullptr) {
        o.axes.push_back({label, x.dim(d), strides[d]});
      } else if (same->dim != x.dim(d)) {
        return run_failed("axes with the same label must have the same length; operand ", i, " of '", equation, "' is ",
                          x.shape());
      } else {
        same->stride += strides[d];
      }
    }
    return o;
  }

  Status run(OpContext& ctx) const override {
    int ellipsis_rank = 0;
    for (int i = 0; i < ctx.input_count(); ++i) {
      ellipsis_rank = std::max(ellipsis_rank, ellipsis_axes(terms.inputs[static_cast<size_t>(i)], ctx.in(i).rank()));
    }
    OL_ASSIGN(Labels out, output_labels(terms, ellipsis_rank));
    std::vector<EinsumOperand> operands;
    for (int i = 0; i < ctx.input_count(); ++i) {
      OL_ASSIGN(EinsumOperand o, operand(ctx, i, ellipsis_rank));
      operands.push_back(std::move(o));
    }
    Shape shape;
    OL_TRY(check_lengths(operands, out, &shape));
    Contraction contraction(ctx, arithmetic_of(ctx.in(0).dtype()));
    EinsumOperand result = operands[0];
    if (operands.size() == 1) OL_TRY(contraction.reduce(&result, out));
    for (size_t i = 1; i < operands.size(); ++i) {
      // What the result or a later operand still needs.
      Labels keep = out;
      for (size_t j = i + 1; j < operands.size(); ++j) {
        for (const EinsumAxis& a : operands[j].axes) {
          if (std::find(keep.begin(), keep.end(), a.label) == keep.end()) keep.push_back(a.label);
        }
      }
      OL_ASSIGN(result, contraction.multiply(result, operands[i], keep));
    }
    OL_TRY(contraction.arrange(&result, out));
    return store(ctx, shape, result.data);
  }

  Status check_lengths(const std::vector<EinsumOperand>& operands, const Labels& out, Shape* shape) const {
    for (const EinsumOperand& o : operands) {
      for (const EinsumAxis& a : o.axes) {
        for (const EinsumOperand& p : operands) {
          const EinsumAxis* b = p.find(a.label);
          if (b && b->dim != a.dim && b->dim != 1 && a.dim != 1) {
            return run_failed("axes with the same label must have the same length; '", equation, "' meets ", a.dim,
                              " and ", b->dim);
          }
        }
      }
    }
    for (size_t i = 0; i < out.size(); ++i) {
      const EinsumAxis* found = nullptr;
      for (const EinsumOperand& o : operands) {
        const EinsumAxis* a = o.find(out[i]);
        if (a && (found == nullptr || found->dim == 1)) found = a;
      }
      if (found == nullptr || std::count(out.begin(), out.end(), out[i]) > 1) {
        return invalid_graph("a label of the result must occur once there and in some operand; equation '", equation,
                             "'");
      }
      shape->push_back(found->dim);
    }
    return {};
  }

  static Status store(OpContext& ctx, const Shape& shape, const void* data) {
    const DType type = ctx.in(0).dtype();
    OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
    if (runs_as_float(type)) {
      narrow(static_cast<const float*>(data), y->size(), type, y->mutable_raw());
    } else if (element_size(type) == sizeof(uint64_t)) {
      std::memcpy(y->mutable_raw(), data, static_cast<size_t>(y->bytes()));
    } else {
      const auto* wide = static_cast<const uint64_t*>(data);
      visit_size(type, [&]<class S>() {
        if constexpr (std::is_integral_v<S>)
          std::transform(wide, wide + y->size(), static_cast<S*>(y->mutable_raw()),
                         [](uint64_t v) { return static_cast<S>(v); });
      });
    }
    return {};
  }
};

const OpRow kRows[] = {{"Einsum", 12, make<Einsum>}};

}  // namespace

extern const OpTable kEinsumOps{"", kRows};

}  // namespace onnxlet
