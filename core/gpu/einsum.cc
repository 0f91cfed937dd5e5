// Einsum of two operands as a product of matrices: matmul.wgsl, and pick.wgsl where the result has another order.
#include <algorithm>

#include "gpu/parts.h"
#include "ops/einsum_plan.h"

namespace onnxlet::gpu {
namespace {

using Axes = std::vector<EinsumAxis>;

struct Einsum : Kernel {
  std::string equation;  // without spaces
  EinsumTerms terms;

  Status init(Attrs& a) {
    for (const char c : a.s("equation")) {
      if (c != ' ') equation += c;
    }
    OL_ASSIGN(terms, parse_einsum(equation));
    return {};
  }

  // Labels that an operand has twice, and axes of length 1 that stand for others, are the CPU's.
  Result<Axes> axes_of(const Context& ctx, int i, int ellipsis_rank) const {
    const Shape& x = ctx.in(i).shape();
    OL_ASSIGN(const Labels labels, term_labels(terms.inputs[static_cast<size_t>(i)], x.rank(), ellipsis_rank));
    const Shape strides = x.strides();
    Axes axes;
    for (int d = 0; d < x.rank(); ++d) axes.push_back({labels[static_cast<size_t>(d)], x[d], strides[d]});
    return axes;
  }
  static const EinsumAxis* find(const Axes& axes, int label) {
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const EinsumAxis& a) { return a.label == label; });
    return found == axes.end() ? nullptr : &*found;
  }
  static bool fits(const Axes& axes, const Axes& others, const Labels& out) {
    for (const EinsumAxis& a : axes) {
      const EinsumAxis* other = find(others, a.label);
      const bool summed = std::find(out.begin(), out.end(), a.label) == out.end();
      if (find(axes, a.label) != &a || (other != nullptr ? other->dim != a.dim : summed)) return false;
    }
    return true;
  }

  Result<Answer> run(Context& ctx) const override {
    if (ctx.input_count() != 2 || terms.inputs.size() != 2) return Answer::kDeclined;
    int ellipsis_rank = 0;
    for (int i = 0; i < 2; ++i) {
      const std::string_view term = terms.inputs[static_cast<size_t>(i)];
      ellipsis_rank = std::max(ellipsis_rank, ellipsis_axes(term, ctx.in(i).rank()));
    }
    OL_ASSIGN(const Labels out, output_labels(terms, ellipsis_rank));
    OL_ASSIGN(const Axes a, axes_of(ctx, 0, ellipsis_rank));
    OL_ASSIGN(const Axes b, axes_of(ctx, 1, ellipsis_rank));
    if (!fits(a, b, out) || !fits(b, a, out)) return Answer::kDeclined;
    Product p;
    MatMulShape& s = p.shape;
    Axes rows, columns, depth_a, depth_b;
    Labels order;  // of the product
    Shape shape;
    for (const int label : out) {
      const EinsumAxis *x = find(a, label), *y = find(b, label);
      if (x == nullptr && y == nullptr) return Answer::kDeclined;
      shape.push_back(x != nullptr ? x->dim : y->dim);
      if (x != nullptr && y != nullptr) {
        s.batch.push_back(x->dim), s.a_batch.push_back(x->stride), s.b_batch.push_back(y->stride);
        order.push_back(label);
      } else {
        (x != nullptr ? rows : columns).push_back(x != nullptr ? *x : *y);
      }
    }
    for (const EinsumAxis& axis : a) {
      if (std::find(out.begin(), out.end(), axis.label) != out.end()) continue;
      depth_a.push_back(axis), depth_b.push_back(*find(b, axis.label));
    }
    if (!collapse(rows, &s.m, &s.a_row) || !collapse(columns, &s.n, &s.b_col) || !collapse(depth_a, &s.k, &s.a_col) ||
        !collapse(depth_b, &s.k, &s.b_row)) {
      return Answer::kDeclined;
    }
    for (const Axes* axes : {&rows, &columns}) {
      for (const EinsumAxis& axis : *axes) order.push_back(axis.label);
    }
    s.out = shape;
    if (order == out) return multiply(ctx, p);
    Shape product, strides;
    for (const int label : order) product.push_back(shape[position(out, label)]);
    for (const int label : out) strides.push_back(product.strides()[position(order, label)]);
    std::optional<Pick> what = strided(shape, strides);
    if (!what) return Answer::kDeclined;
    const DeviceBufferPtr sums = ctx.scratch(static_cast<uint64_t>(shape.size()) * sizeof(float));
    OL_ASSIGN(const Answer answer, multiply(ctx, p, sums));
    if (answer == Answer::kDeclined) return answer;
    OL_ASSIGN(DeviceBufferPtr to, ctx.out(0, DType::kFloat, shape));
    pick(ctx, DType::kFloat, std::move(*what), sums, std::move(to), shape.size());
    return Answer::kDone;
  }
  static int position(const Labels& labels, int label) {
    return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
};

const Row kRows[] = {{"", "Einsum", 12, make<Einsum>}};

}  // namespace

Table einsum_rows() { return kRows; }

}  // namespace onnxlet::gpu
