// Matrix products of 8-bit integers: MatMulInteger, QLinearMatMul and onnxruntime's relatives.
#include "base/visit.h"
#include "kernels/dynamic_quantize.h"
#include "kernels/gemm.h"
#include "ops/float_io.h"
#include "ops/int_operands.h"

namespace onnxlet {
namespace {

// What the operators share: B is input kB, packed at load where it is constant.
template <size_t kB>
struct IntProductOp : Op {
  PackedIntB packed;
  MatMulOptions options;

  Status init(Attrs&) { return {}; }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    return constants.size() > kB ? packed.pack(constants[kB], options.trans_b, pool) : Status();
  }
  Tensor* packed_form(size_t i) override { return i == kB && packed.panels.valid() ? &packed.panels : nullptr; }

  // Of input 0 and B, with zero points at these inputs.
  Result<IntProduct> product(OpContext& ctx, int a_zero, int b_zero) const {
    IntProduct p;
    const Tensor &a = ctx.in(0), &b = ctx.in(kB);
    OL_ASSIGN(p.shape, matmul_shape(a.shape(), b.shape(), options));
    p.a = a.raw();
    p.a_signed = a.dtype() == DType::kInt8;
    p.b = &b;
    p.packed = &packed;
    OL_ASSIGN(p.a_zero, zero_points(ctx, ctx.opt(a_zero)));
    OL_ASSIGN(p.b_zero, zero_points(ctx, ctx.opt(b_zero)));
    return p;
  }
};
constexpr int kNoInput = 1 << 20;  // has() is false for it

// Output 0 of 8 bits, with the type and the one value of the zero point at input `zero`; float where that is absent.
Result<IntOutput> quantized_output(OpContext& ctx, const Shape& shape, int zero) {
  IntOutput out;
  const Tensor* z = ctx.opt(zero);
  const DType type = z ? z->dtype() : DType::kFloat;
  if (z && z->size() != 1) return not_implemented("an output zero point with ", z->size(), " values");
  if (z) out.zero_point = type == DType::kInt8 ? int32_t{z->data<int8_t>()[0]} : int32_t{z->data<uint8_t>()[0]};
  out.kind = z == nullptr ? IntOutput::kFloat : type == DType::kInt8 ? IntOutput::kInt8 : IntOutput::kUint8;
  OL_ASSIGN(Tensor * y, ctx.out(0, type, shape));
  out.data = y->mutable_raw();
  return out;
}

// The factor a_scale * b_scale / y_scale in the form the kernel takes: per row, per column or both. Where one value
// does, it is computed as the specification writes it.
Status combine_scales(OpContext& ctx, IntProduct* p, Parameter<float> a, Parameter<float> b, float y) {
  if (a.single()) {
    const float a_scale = a.data ? *a.data : 1;
    OL_ASSIGN(float* factor, ctx.scratch_of<float>(b.count));
    for (int64_t i = 0; i < b.count; ++i) factor[i] = a_scale * b.data[i] / y;
    p->col_scale = {factor, b.count};
    return {};
  }
  OL_ASSIGN(float* factor, ctx.scratch_of<float>(a.count));
  for (int64_t i = 0; i < a.count; ++i) factor[i] = a.data[i] / y;
  p->row_scale = {factor, a.count};
  p->col_scale = b;
  return {};
}

struct MatMulInteger : IntProductOp<1> {
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const IntProduct p, product(ctx, 2, 3));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt32, p.shape.out));
    IntOutput out;
    out.data = y->mutable_raw();
    return run_int_product(ctx, p, out);
  }
};

struct QLinearMatMul : IntProductOp<3> {
  Status run(OpContext& ctx) const override {
    if (!is_int8(ctx.in(0).dtype())) return run_float8(ctx);
    OL_ASSIGN(IntProduct p, product(ctx, 2, 5));
    OL_ASSIGN(Parameter<float> a_scale, scales(ctx, ctx.opt(1)));
    OL_ASSIGN(Parameter<float> b_scale, scales(ctx, ctx.opt(4)));
    OL_ASSIGN(Parameter<float> y_scale, scales(ctx, ctx.opt(6)));
    if (y_scale.count != 1) return not_implemented("an output scale with ", y_scale.count, " values");
    OL_TRY(combine_scales(ctx, &p, a_scale, b_scale, *y_scale.data));
    OL_ASSIGN(const IntOutput out, quantized_output(ctx, p.shape.out, 7));
    return run_int_product(ctx, p, out);
  }

  // float8 operands: no integer arithmetic in them, so they are dequantized, multiplied in float, and rounded back.
  Status run_float8(OpContext& ctx) const {
    OL_ASSIGN(MatMulShape s, matmul_shape(ctx.in(0).shape(), ctx.in(3).shape()));
    OL_ASSIGN(const float* a, dequantized(ctx, 0));
    OL_ASSIGN(const float* b, dequantized(ctx, 3));
    OL_ASSIGN(Parameter<float> y_scale, scales(ctx, ctx.opt(6)));
    if (y_scale.count != 1) return not_implemented("an output scale with ", y_scale.count, " values");
    const int64_t batches = s.batches();
    OL_ASSIGN(float* c, ctx.scratch_of<float>(s.out.size()));
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(2 * batches));
    s.batch_offsets(offsets, offsets + batches);
    Gemm g;
    g.m = s.m;
    g.n = s.n;
    g.k = s.k;
    g.a = {a, s.a_row, s.a_col};
    g.b = {b, s.b_row, s.b_col};
    g.c = c;
    g.c_row_stride = s.n;
    g.epilogue.alpha = 1 / *y_scale.data;
    OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_batch_scratch(g, batches)));
    if (batches > 0) ctx.set_kernel(gemm_batch(g, batches, offsets, offsets + batches, s.m * s.n, scratch));
    OL_ASSIGN(Tensor * y, ctx.out(0, ctx.in(7).dtype(), s.out));
    return visit<Float8s>(y->dtype(), [&]<class T>() -> Status {
      const float zero = static_cast<float>(*ctx.in(7).data<T>());
      for (int64_t i = 0; i < y->size(); ++i) y->mutable_data<T>()[i] = T(c[i] + zero);
      return {};
    });
  }
  static Result<const float*> dequantized(OpContext& ctx, int i) {
    const Tensor &x = ctx.in(i), &zero = ctx.in(i + 2);
    OL_ASSIGN(Parameter<float> scale, scales(ctx, ctx.opt(i + 1)));
    if (scale.count != 1 || zero.size() != 1) return not_implemented("float8 operands with more than one scale");
    OL_ASSIGN(float* out, ctx.scratch_of<float>(x.size()));
    OL_TRY((visit<Float8s>(x.dtype(), [&]<class T>() -> Status {
      for (int64_t j = 0; j < x.size(); ++j)
        out[j] = (static_cast<float>(x.data<T>()[j]) - static_cast<float>(*zero.data<T>())) * *scale.data;
      return {};
    })));
    return static_cast<const float*>(out);
  }
};

// The result in the type of T: float, or rounded to float16.
Status float_result(OpContext& ctx, const IntProduct& p, DType type, const Tensor* bias) {
  OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, type, p.shape.out));
  IntOutput out;
  out.kind = IntOutput::kFloat;
  out.data = y.data();
  if (bias) {
    if (bias->size() != p.shape.n)
      return run_failed("bias needs one value per column; got ", bias->shape(), " for ", p.shape.n, " columns");
    OL_ASSIGN(out.float_bias, float_input(ctx, *bias));
  }
  OL_TRY(run_int_product(ctx, p, out));
  y.finish();
  return {};
}

struct MatMulIntegerToFloat : IntProductOp<1> {
  Status run(OpContext& ctx) const override {
    OL_ASSIGN(IntProduct p, product(ctx, 4, 5));
    OL_ASSIGN(Parameter<float> a_scale, scales(ctx, ctx.opt(2)));
    OL_ASSIGN(Parameter<float> b_scale, scales(ctx, ctx.opt(3)));
    OL_TRY(combine_scales(ctx, &p, a_scale, b_scale, 1));
    return float_result(ctx, p, ctx.in(2).dtype(), ctx.opt(6));
  }
};

struct DynamicQuantizeMatMul : IntProductOp<1> {
  Status run(OpContext& ctx) const override {
    const Tensor& a = ctx.in(0);
    OL_ASSIGN(IntProduct p, product(ctx, kNoInput, 3));
    OL_ASSIGN(uint8_t* quantized, ctx.scratch_of<uint8_t>(a.size()));
    float a_scale = 1;
    uint8_t zero = 0;
    dynamic_quantize(a.data<float>(), a.size(), quantized, &a_scale, &zero);
    const int32_t a_zero = zero;
    p.a = quantized;
    p.a_signed = false;
    p.a_zero = {&a_zero, 1};
    OL_ASSIGN(Parameter<float> b_scale, scales(ctx, ctx.opt(2)));
    OL_TRY(combine_scales(ctx, &p, {&a_scale, 1}, b_scale, 1));
    return float_result(ctx, p, DType::kFloat, ctx.opt(4));
  }
};

struct QGemm : IntProductOp<3> {
  float alpha;

  Status init(Attrs& a) {
    alpha = a.f("alpha", 1);
    options.trans_a = a.i("transA") != 0;
    options.trans_b = a.i("transB") != 0;
    return {};
  }
  Status run(OpContext& ctx) const override {
    if (ctx.in(0).rank() != 2 || ctx.in(3).rank() != 2) {
      return run_failed("QGemm multiplies matrices; got shapes ", ctx.in(0).shape(), " and ", ctx.in(3).shape());
    }
    OL_ASSIGN(IntProduct p, product(ctx, 2, 5));
    OL_ASSIGN(Parameter<float> a_scale, scales(ctx, ctx.opt(1)));
    OL_ASSIGN(Parameter<float> b_scale, scales(ctx, ctx.opt(4)));
    OL_ASSIGN(Parameter<float> y_scale, scales(ctx, ctx.opt(7)));
    if (!a_scale.single()) return not_implemented("QGemm with more than one scale for A");
    const float scaled = alpha * (a_scale.data ? *a_scale.data : 1);
    OL_TRY(combine_scales(ctx, &p, {&scaled, 1}, b_scale, y_scale.data ? *y_scale.data : 1));
    OL_ASSIGN(const IntOutput out, quantized_output(ctx, p.shape.out, 8));
    const Tensor* c = ctx.opt(6);
    return c ? run_with_c(ctx, p, out, *c) : run_int_product(ctx, p, out);
  }

  // C is added as int32 before scaling: one row of it for all rows, or row by row.
  static Status run_with_c(OpContext& ctx, const IntProduct& p, IntOutput out, const Tensor& c) {
    Shape joined;
    if (!broadcast_shapes(c.shape(), p.shape.out, &joined) || !(joined == p.shape.out)) {
      return run_failed("C must be broadcastable to the result; C is ", c.shape(), ", the result ", p.shape.out);
    }
    const Shape strides = broadcast_strides(c.shape(), p.shape.out);
    OL_ASSIGN(int32_t* bias, ctx.scratch_of<int32_t>(p.shape.n));
    const bool by_row = strides[0] != 0;
    const size_t element = out.kind == IntOutput::kFloat ? 4 : 1;
    IntProduct part = p;
    for (int64_t i = 0; i < (by_row ? p.shape.m : 1); ++i) {
      for (int64_t j = 0; j < p.shape.n; ++j) bias[j] = c.data<int32_t>()[i * strides[0] + j * strides[1]];
      out.bias = bias;
      if (by_row) {
        part.shape.m = 1;
        part.shape.out = Shape{1, p.shape.n};
        part.a = static_cast<const uint8_t*>(p.a) + i * p.shape.a_row;
      }
      IntOutput row = out;
      row.data = static_cast<char*>(out.data) + static_cast<size_t>(i * p.shape.n) * element;
      OL_TRY(run_int_product(ctx, part, row));
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"MatMulInteger", 10, make<MatMulInteger>},
    {"QLinearMatMul", 10, make<QLinearMatMul>},
};
const OpRow kContribRows[] = {
    {"MatMulIntegerToFloat", 1, make<MatMulIntegerToFloat>},
    {"DynamicQuantizeMatMul", 1, make<DynamicQuantizeMatMul>},
    {"QGemm", 1, make<QGemm>},
    {"QLinearMatMul", 1, make<QLinearMatMul>},
};

}  // namespace

extern const OpTable kMatMulIntegerOps{"", kRows};
extern const OpTable kMatMulIntegerContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
