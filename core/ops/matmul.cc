// MatMul and Gemm, with onnxruntime's fused forms of both.
#include <limits>
#include <type_traits>

#include "base/parallel.h"
#include "base/trim.h"
#include "base/visit.h"
#include "kernels/gemm.h"
#include "ops/float_io.h"
#include "ops/fused_activation.h"
#include "ops/matmul_shape.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// A constant second operand, packed once for the tile kernel.
struct PackedB {
  Tensor panels;

  Status pack(const Tensor& b, bool transposed, Pool& pool) {
    const LoneMatrix m = lone_matrix(b, transposed);
    if (m.k == 0 || !runs_as_float(b.dtype())) return {};
    OL_ASSIGN(Tensor f, widened_constant(b, pool));
    OL_ASSIGN(panels, Tensor::allocate(pool, DType::kFloat, Shape{packed_b_size(m.k, m.n)}));
    pack_b({f.data<float>(), m.row_stride, m.col_stride}, m.k, m.n, panels.mutable_data<float>());
    return {};
  }
  const float* data() const { return panels.valid() ? panels.data<float>() : nullptr; }
};

// Input 2, where there is one, is added per column.
Status run_float(OpContext& ctx, const MatMulShape& s, const PackedB& packed, float alpha,
                 const FusedActivation& activation) {
  OL_ASSIGN(const float* a, float_input(ctx, ctx.in(0)));
  const float* b = nullptr;
  if (packed.data() == nullptr) {
    OL_ASSIGN(b, float_input(ctx, ctx.in(1)));
  }
  OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, ctx.in(0).dtype(), s.out));
  if (s.out.size() == 0) return {};
  Gemm g;
  g.m = s.m;
  g.n = s.n;
  g.k = s.k;
  g.a = {a, s.a_row, s.a_col};
  g.b = {b, s.b_row, s.b_col};
  g.packed_b = packed.data();
  g.c = y.data();
  g.c_row_stride = s.n;
  g.epilogue.alpha = alpha;
  if (const Tensor* bias = ctx.opt(2)) {
    OL_ASSIGN(g.epilogue.bias, float_input(ctx, *bias));
  }
  activation.add_to(&g.epilogue);
  int64_t batch = s.batches();
  if (s.can_fold_batch_into_rows()) {
    g.m *= batch;
    batch = 1;
  }
  if (batch == 1) {
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_scratch(g)));
    ctx.set_kernel(gemm(g, scratch));
  } else if (batch > 0) {
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(2 * batch));
    s.batch_offsets(offsets, offsets + batch);
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_batch_scratch(g, batch)));
    ctx.set_kernel(gemm_batch(g, batch, offsets, offsets + batch, s.m * s.n, scratch));
  }
  activation.apply(y.data(), s.out.size());
  y.finish();
  return {};
}

// double and integers (as unsigned of the same width: products wrap).
template <class T>
Status plain_product(OpContext& ctx, const MatMulShape& s, T* c) {
  if (s.out.size() == 0) return {};
  const int64_t batch = s.batches();
  OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(2 * batch));
  s.batch_offsets(offsets, offsets + batch);
  const T* a = static_cast<const T*>(ctx.in(0).raw());
  const T* b = static_cast<const T*>(ctx.in(1).raw());
  for (int64_t i = 0; i < batch; ++i) {
    gemm_plain<T>(
        {s.m, s.n, s.k, a + offsets[i], s.a_row, s.a_col, b + offsets[batch + i], s.b_row, s.b_col, c + i * s.m * s.n});
  }
  ctx.set_kernel("gemm_plain");
  return {};
}

template <class T>
Status run_plain(OpContext& ctx, const MatMulShape& s) {
  OL_ASSIGN(Tensor * y, ctx.out(0, ctx.in(0).dtype(), s.out));
  return plain_product<T>(ctx, s, static_cast<T*>(y->mutable_raw()));
}

constexpr bool kPlainIntegers = trim::keeps_type(DType::kInt32) || trim::keeps_type(DType::kUint32) ||
                                trim::keeps_type(DType::kInt64) || trim::keeps_type(DType::kUint64);

struct MatMul : Op {
  bool trans_a = false, trans_b = false, trans_batch_a = false, trans_batch_b = false;
  float alpha = 1;
  PackedB packed;
  FusedActivation activation;

  Status init(Attrs&) { return {}; }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 2 || trans_batch_b) return {};
    return packed.pack(constants[1], trans_b, pool);
  }
  Tensor* packed_form(size_t i) override { return i == 1 && packed.panels.valid() ? &packed.panels : nullptr; }
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(MatMulShape s,
              matmul_shape(ctx.in(0).shape(), ctx.in(1).shape(), {trans_a, trans_b, trans_batch_a, trans_batch_b}));
    if (const Tensor* bias = ctx.opt(2); bias != nullptr && bias->size() != s.n) {
      return run_failed("the bias needs one value per column; it is ", bias->shape(), ", the result ", s.out);
    }
    const DType t = ctx.in(0).dtype();
    if (runs_as_float(t)) return run_float(ctx, s, packed, alpha, activation);
    if (trim::keeps_type(DType::kDouble) && t == DType::kDouble) return run_double(ctx, s);
    if (!kPlainIntegers) return not_implemented("element type ", t, " is not supported here");
    switch (t) {
      case DType::kInt32:
      case DType::kUint32:
        return run_plain<uint32_t>(ctx, s);
      case DType::kInt64:
      case DType::kUint64:
        return run_plain<uint64_t>(ctx, s);
      default:
        return not_implemented("element type ", t, " is not supported here");
    }
  }

  Status run_double(OpContext& ctx, const MatMulShape& s) const {
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, s.out));
    auto* out = y->mutable_data<double>();
    OL_TRY(plain_product<double>(ctx, s, out));
    for (int64_t i = 0; alpha != 1 && i < s.out.size(); ++i) out[i] *= static_cast<double>(alpha);
    if (const Tensor* bias = ctx.opt(2)) {
      for (int64_t i = 0; i < s.out.size(); ++i) out[i] += bias->data<double>()[i % s.n];
    }
    activation.apply(out, s.out.size());
    return {};
  }
};

struct FusedMatMul : MatMul {
  Status init(Attrs& a) {
    alpha = a.f("alpha", 1);
    trans_a = a.i("transA") != 0;
    trans_b = a.i("transB") != 0;
    trans_batch_a = a.i("transBatchA") != 0;
    trans_batch_b = a.i("transBatchB") != 0;
    return {};
  }
};

struct FusedMatMulActivation : FusedMatMul {
  Status init(Attrs& a) {
    OL_TRY(FusedMatMul::init(a));
    const float parameters[] = {a.f("activation_alpha"), a.f("activation_beta")};
    const size_t given = a.has("activation_beta") ? 2 : a.has("activation_alpha") ? 1 : 0;
    a.ignore("activation_gamma");
    a.ignore("activation_axis");
    return activation.set(a.s("activation"), {parameters, given});
  }
};

struct GemmOp : Op {
  bool trans_a, trans_b;
  float alpha, beta;
  PackedB packed;
  FusedActivation activation;

  Status init(Attrs& a) {
    alpha = a.f("alpha", 1);
    beta = a.f("beta", 1);
    trans_a = a.i("transA") != 0;
    trans_b = a.i("transB") != 0;
    a.ignore("broadcast");  // before opset 7: says that C is smaller than the result, which its shape says too
    return {};
  }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    return constants.size() < 2 || constants[1].rank() != 2 ? Status() : packed.pack(constants[1], trans_b, pool);
  }
  Tensor* packed_form(size_t i) override { return i == 1 && packed.panels.valid() ? &packed.panels : nullptr; }
  Status run(OpContext& ctx) const override {
    const Tensor &a = ctx.in(0), &b = ctx.in(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return run_failed("Gemm multiplies matrices; got shapes ", a.shape(), " and ", b.shape(),
                        "; use MatMul for other ranks");
    }
    OL_ASSIGN(MatMulShape s, matmul_shape(a.shape(), b.shape(), {trans_a, trans_b, false, false}));
    Shape joined;
    const Tensor* c = ctx.opt(2);
    if (c && (!broadcast_shapes(c->shape(), s.out, &joined) || !(joined == s.out))) {
      return run_failed("C must be broadcastable to the result; C is ", c->shape(), ", the result ", s.out);
    }
    switch (a.dtype()) {
      case DType::kDouble:
        return run_kept<double, double>(ctx, s, c);
      case DType::kInt32:
        return run_kept<uint32_t, int32_t>(ctx, s, c);
      case DType::kUint32:
        return run_kept<uint32_t, uint32_t>(ctx, s, c);
      case DType::kInt64:
        return run_kept<uint64_t, int64_t>(ctx, s, c);
      case DType::kUint64:
        return run_kept<uint64_t, uint64_t>(ctx, s, c);
      default:
        return run_float_gemm(ctx, s, c);
    }
  }

  Status run_float_gemm(OpContext& ctx, const MatMulShape& s, const Tensor* c) const {
    OL_ASSIGN(const float* a, float_input(ctx, ctx.in(0)));
    const float* b = nullptr;
    if (packed.data() == nullptr) {
      OL_ASSIGN(b, float_input(ctx, ctx.in(1)));
    }
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, ctx.in(0).dtype(), s.out));
    Gemm g;
    g.m = s.m;
    g.n = s.n;
    g.k = s.k;
    g.a = {a, s.a_row, s.a_col};
    g.b = {b, s.b_row, s.b_col};
    g.packed_b = packed.data();
    g.c = y.data();
    g.c_row_stride = s.n;
    g.epilogue.alpha = alpha;
    activation.add_to(&g.epilogue);
    if (c && c->size() > 0 && beta != 0) {
      OL_ASSIGN(const float* cf, float_input(ctx, *c));
      const bool row = c->size() == s.n && c->rank() > 0 && c->shape().back() == s.n;  // one value per column
      if ((row || c->size() == 1) && beta == 1) {
        g.epilogue.bias = cf;
        g.epilogue.bias_stride = row ? 1 : 0;
      } else {
        spread(*c, cf, s, y.data());
        g.epilogue.residual = y.data();
      }
    }
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_scratch(g)));
    ctx.set_kernel(gemm(g, scratch));
    activation.apply(y.data(), s.out.size());
    y.finish();
    return {};
  }

  // y = beta * C, broadcast.
  void spread(const Tensor& c, const float* data, const MatMulShape& s, float* y) const {
    const Shape strides = broadcast_strides(c.shape(), s.out);
    parallel_for(s.m, grain_for(s.n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < s.n; ++j) y[i * s.n + j] = beta * data[i * strides[0] + j * strides[1]];
      }
    });
  }

  template <class T, class Real>
  Status run_kept(OpContext& ctx, const MatMulShape& s, const Tensor* c) const {
    if constexpr (trim::keeps_type(dtype_of<Real>))
      return run_scaled<T, Real>(ctx, s, c);
    else
      return check_kept(dtype_of<Real>);
  }

  // T wraps; Real is the type the numbers mean, for the float factors.
  template <class T, class Real>
  Status run_scaled(OpContext& ctx, const MatMulShape& s, const Tensor* c) const {
    OL_ASSIGN(Tensor * out, ctx.out(0, ctx.in(0).dtype(), s.out));
    T* y = static_cast<T*>(out->mutable_raw());
    OL_TRY(plain_product<T>(ctx, s, y));
    const T* cd = c ? static_cast<const T*>(c->raw()) : nullptr;
    const Shape strides = c ? broadcast_strides(c->shape(), s.out) : Shape{0, 0};
    const bool exact = alpha == 1 && beta == 1;
    for (int64_t i = 0; (c || alpha != 1) && i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        T& v = y[i * s.n + j];
        const T add = cd ? cd[i * strides[0] + j * strides[1]] : T{};
        v = exact ? v + add : scaled<T, Real>(v, add);
      }
    }
    if constexpr (std::is_same_v<T, double>) {
      activation.apply(y, s.out.size());
    } else if (activation.kind != FusedActivation::kNone) {
      return not_implemented("FusedGemm with an activation for element type ", out->dtype());
    }
    return {};
  }
  template <class T, class Real>
  T scaled(T product, T add) const {
    const double v =
        alpha * static_cast<double>(static_cast<Real>(product)) + beta * static_cast<double>(static_cast<Real>(add));
    if constexpr (std::is_same_v<Real, double>) {
      return v;
    } else {
      constexpr double kLo = static_cast<double>(std::numeric_limits<Real>::min()),
                       kHi = static_cast<double>(std::numeric_limits<Real>::max());
      if (!(v > kLo)) return static_cast<T>(std::numeric_limits<Real>::min());
      return v >= kHi ? static_cast<T>(std::numeric_limits<Real>::max()) : static_cast<T>(static_cast<Real>(v));
    }
  }
};

struct FusedGemm : GemmOp {
  Status init(Attrs& a) {
    OL_TRY(GemmOp::init(a));
    const float parameters[] = {a.f("activation_alpha"), a.f("activation_beta")};
    const size_t given = a.has("activation_beta") ? 2 : a.has("activation_alpha") ? 1 : 0;
    a.ignore("activation_gamma");
    return activation.set(a.s("activation"), {parameters, given});
  }
};

const OpRow kRows[] = {
    {"MatMul", 1, make<MatMul>},
    {"Gemm", 1, make<GemmOp>},
};
const OpRow kContribRows[] = {
    {"FusedMatMul", 1, make<FusedMatMul>},
    {"FusedMatMulActivation", 1, make<FusedMatMulActivation>},
    {"TransposeMatMul", 1, make<FusedMatMul>},
    {"FusedGemm", 1, make<FusedGemm>},
};

}  // namespace

extern const OpTable kMatMulOps{"", kRows};
extern const OpTable kMatMulContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
