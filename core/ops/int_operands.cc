#include "ops/int_operands.h"

#include "ops/float_io.h"

namespace onnxlet {

Result<Parameter<int32_t>> zero_points(OpContext& ctx, const Tensor* t) {
  Parameter<int32_t> p;
  if (t == nullptr || t->size() == 0) return p;
  if (!is_int8(t->dtype()) && t->dtype() != DType::kInt32)
    return not_implemented("a zero point of element type ", t->dtype());
  OL_ASSIGN(int32_t* data, ctx.scratch_of<int32_t>(t->size()));
  for (int64_t i = 0; i < t->size(); ++i) {
    data[i] = t->dtype() == DType::kInt8    ? t->data<int8_t>()[i]
              : t->dtype() == DType::kUint8 ? t->data<uint8_t>()[i]
                                            : t->data<int32_t>()[i];
  }
  p.data = data;
  p.count = t->size();
  return p;
}

Result<Parameter<float>> scales(OpContext& ctx, const Tensor* t) {
  Parameter<float> p;
  if (t == nullptr || t->size() == 0) return p;
  OL_ASSIGN(p.data, float_input(ctx, *t));
  p.count = t->size();
  return p;
}

Result<QuantParams> quant_params(const OpContext& ctx, int i) {
  QuantParams p;
  OL_ASSIGN(const double scale, to_double(ctx.in(i), "scale"));
  p.scale = static_cast<float>(scale);
  if (const Tensor* zero = ctx.opt(i + 1)) {
    OL_ASSIGN(const double z, to_double(*zero, "zero point"));
    p.zero_point = static_cast<int32_t>(z);
  }
  return p;
}

Status PackedIntB::pack(const Tensor& b, bool transposed, Pool& pool) {
  const LoneMatrix m = lone_matrix(b, transposed);
  if (m.k == 0 || !is_int8(b.dtype())) return {};
  OL_ASSIGN(panels, Tensor::allocate(pool, DType::kUint8, Shape{packed_int_b_size(m.k, m.n)}));
  OL_ASSIGN(sums, Tensor::allocate(pool, DType::kInt32, Shape{int_b_sums_size(m.n)}));
  pack_int_b({b.raw(), b.dtype() == DType::kInt8, m.row_stride, m.col_stride}, m.k, m.n, panels.mutable_data<uint8_t>(),
             sums.mutable_data<int32_t>());
  return {};
}

Status run_int_product(OpContext& ctx, const IntProduct& p, IntOutput out) {
  MatMulShape s = p.shape;
  int64_t batches = s.batches();
  OL_TRY(p.a_zero.check(s.m, batches, "the zero point of A"));
  OL_TRY(p.b_zero.check(s.n, batches, "the zero point of B"));
  OL_TRY(p.row_scale.check(s.m, batches, "the scale of A"));
  OL_TRY(p.col_scale.check(s.n, batches, "the scale of B"));
  if (s.out.size() == 0) return {};
  OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(2 * batches));
  s.batch_offsets(offsets, offsets + batches);
  if (s.can_fold_batch_into_rows() && p.a_zero.single() && p.row_scale.single() && p.b_zero.count <= s.n &&
      p.col_scale.count <= s.n) {
    s.m *= batches;
    batches = 1;
  }
  IntGemm g;
  g.m = s.m;
  g.n = s.n;
  g.k = s.k;
  g.a = {p.a, p.a_signed, s.a_row, s.a_col};
  g.b_signed = p.b->dtype() == DType::kInt8;
  if (p.packed && p.packed->panels.valid()) {
    g.packed_b = p.packed->panels.data<uint8_t>();
    g.b_sums = p.packed->sums.data<int32_t>();
  }
  g.out = out;
  g.out.row_stride = s.n;
  g.out.col_stride = 1;
  uint8_t* pack = nullptr;
  int32_t* sums = nullptr;
  if (g.packed_b == nullptr) {
    OL_ASSIGN(pack, ctx.scratch_of<uint8_t>(packed_int_b_size(s.k, s.n)));
    OL_ASSIGN(sums, ctx.scratch_of<int32_t>(int_b_sums_size(s.n)));
  }
  OL_ASSIGN(char* scratch, ctx.scratch_of<char>(int_gemm_scratch(g)));
  const size_t element = out.kind == IntOutput::kInt32 || out.kind == IntOutput::kFloat ? 4 : 1;
  const int64_t* b_offsets = offsets + p.shape.batches();
  for (int64_t i = 0; i < batches; ++i) {
    if (pack && (i == 0 || b_offsets[i] != b_offsets[i - 1])) {
      pack_int_b({static_cast<const uint8_t*>(p.b->raw()) + b_offsets[i], g.b_signed, s.b_row, s.b_col}, s.k, s.n, pack,
                 sums);
      g.packed_b = pack;
      g.b_sums = sums;
    }
    g.a.data = static_cast<const uint8_t*>(p.a) + offsets[i];
    g.a_zero = p.a_zero.at(i, s.m);
    g.b_zero = p.b_zero.at(i, s.n);
    g.out.row_scale = p.row_scale.at(i, s.m);
    g.out.col_scale = p.col_scale.at(i, s.n);
    g.out.data = static_cast<char*>(out.data) + static_cast<size_t>(i * s.m * s.n) * element;
    ctx.set_kernel(int_gemm(g, scratch));
  }
  return {};
}

}  // namespace onnxlet
