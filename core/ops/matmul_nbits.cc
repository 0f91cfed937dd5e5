// com.microsoft MatMulNBits and MatMulBnb4: weights of 2, 4 or 8 bits stay packed in memory.
#include <algorithm>

#include "kernels/gemm.h"
#include "kernels/nbits.h"
#include "ops/float_io.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr int64_t kPanelFloats = 1 << 20;
constexpr int64_t kLimit = 1 << 30;  // of K, N and block_size: their products stay in 64 bits

// C [rows][n] = A [rows][k] * B + bias.
Status multiply(OpContext& ctx, const NBitsMatrix& b, int64_t rows, const float* a, const float* bias, float* c) {
  if (rows == 0 || b.n == 0) return {};
  // Few rows expand a block where it is used; many share panels.
  if (rows <= kNBitsRows && b.group_of == nullptr && b.codebook == nullptr) {
    nbits_rows(b, rows, a, bias, c);
    ctx.set_kernel("nbits_f32_rows");
    return {};
  }
  const int64_t step =
      std::clamp<int64_t>(kPanelFloats / std::max<int64_t>(b.k, 1) / 64 * 64, 64, (b.n + 63) / 64 * 64);
  OL_ASSIGN(float* panels, ctx.scratch_of<float>(packed_b_size(b.k, step)));
  Gemm g;
  g.m = rows;
  g.n = step;
  g.k = b.k;
  g.a = {a, b.k, 1};
  g.packed_b = panels;
  g.c_row_stride = b.n;
  OL_ASSIGN(float* scratch, ctx.scratch_of<float>(gemm_scratch(g)));
  for (int64_t j = 0; j < b.n; j += step) {
    g.n = std::min(step, b.n - j);
    nbits_panels(b, j, j + g.n, panels);
    g.c = c + j;
    g.epilogue.bias = bias ? bias + j : nullptr;
    gemm(g, scratch);
  }
  ctx.set_kernel("nbits_f32_gemm");
  return {};
}

Result<Shape> result_shape(const Tensor& a, int64_t k, int64_t n) {
  if (a.rank() < 1 || a.shape().back() != k)
    return run_failed("the last axis of A must be K = ", k, "; A is ", a.shape());
  Shape out = a.shape();
  out[out.rank() - 1] = n;
  return out;
}

struct MatMulNBits : Op {
  int64_t k, n, bits, block;

  Status init(Attrs& a) {
    k = a.i("K");
    n = a.i("N");
    bits = a.i("bits", 4);
    block = a.i("block_size");
    a.ignore("accuracy_level");  // the least exactness allowed; float is the most exact
    if (a.i("weight_prepacked") != 0) return not_implemented("weights prepacked for a GPU");
    if (bits != 2 && bits != 4 && bits != 8) return not_implemented("weights of ", bits, " bits; 2, 4 and 8 are");
    if (k < 1 || n < 0 || std::max({k, n, block}) > kLimit || block < 16 || (block & (block - 1)) != 0) {
      return invalid_graph("K and N must be positive and block_size a power of 2 from 16 on; got ", k, ", ", n, " and ",
                           block);
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& a = ctx.in(0);
    OL_ASSIGN(const Shape out, result_shape(a, k, n));
    NBitsMatrix b;
    b.k = k;
    b.n = n;
    b.bits = static_cast<int>(bits);
    b.block = block;
    b.zero = static_cast<float>(1 << (bits - 1));
    const int64_t blocks = b.blocks();
    const uint64_t stored = static_cast<uint64_t>(n * blocks * (block * bits / 8));
    if (ctx.in(1).bytes() != stored || ctx.in(2).size() != n * blocks) {
      return run_failed("B must hold ", stored, " bytes and scales ", n * blocks, " values for K = ", k, ", N = ", n,
                        ", block_size = ", block, "; got ", ctx.in(1).bytes(), " and ", ctx.in(2).size());
    }
    b.data = static_cast<const uint8_t*>(ctx.in(1).raw());
    OL_ASSIGN(b.scales, float_input(ctx, ctx.in(2)));
    if (ctx.has(3)) {
      OL_ASSIGN(b.zeros, zeros(ctx, ctx.in(3), blocks));
    }
    if (ctx.has(4)) {
      const Tensor& groups = ctx.in(4);
      if (groups.size() < k) return run_failed("g_idx needs K = ", k, " values; got ", groups.size());
      b.group_of = groups.data<int32_t>();
      for (int64_t i = 0; i < k; ++i) {
        if (b.group_of[i] < 0 || b.group_of[i] >= blocks)
          return run_failed("g_idx ", b.group_of[i], " is outside [0, ", blocks, ")");
      }
    }
    const float* bias = nullptr;
    if (ctx.has(5)) {
      if (ctx.in(5).size() != n) return run_failed("bias needs N = ", n, " values; got ", ctx.in(5).size());
      OL_ASSIGN(bias, float_input(ctx, ctx.in(5)));
    }
    OL_ASSIGN(const float* af, float_input(ctx, a));
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, a.dtype(), out));
    OL_TRY(multiply(ctx, b, a.size() / k, af, bias, y.data()));
    y.finish();
    return {};
  }

  // As floats [n][blocks]. Packed ones start at a byte for each column.
  Result<const float*> zeros(OpContext& ctx, const Tensor& t, int64_t blocks) const {
    if (runs_as_float(t.dtype())) {
      if (t.size() != n * blocks) return run_failed("zero_points needs ", n * blocks, " values; got ", t.size());
      return float_input(ctx, t);
    }
    const int64_t per_column = (blocks * bits + 7) / 8;
    if (t.bytes() != static_cast<uint64_t>(n * per_column)) {
      return run_failed("zero_points must hold ", n * per_column, " bytes; got ", t.bytes());
    }
    const uint8_t* src = static_cast<const uint8_t*>(t.raw());
    OL_ASSIGN(float* out, ctx.scratch_of<float>(n * blocks));
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < blocks; ++i) {
        const int64_t bit = i * bits;
        out[j * blocks + i] = static_cast<float>(src[j * per_column + bit / 8] >> (bit % 8) & ((1 << bits) - 1));
      }
    }
    return static_cast<const float*>(out);
  }
};

// bitsandbytes' 4-bit floats.
constexpr float kFp4[16] = {0,     5.208333333e-03f,  0.66666667f,  1,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                            -0.0f, -5.208333333e-03f, -0.66666667f, -1, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr float kNf4[16] = {-1,
                            -0.6961928009986877f,
                            -0.5250730514526367f,
                            -0.39491748809814453f,
                            -0.28444138169288635f,
                            -0.18477343022823334f,
                            -0.09105003625154495f,
                            0,
                            0.07958029955625534f,
                            0.16093020141124725f,
                            0.24611230194568634f,
                            0.33791524171829224f,
                            0.44070982933044434f,
                            0.5626170039176941f,
                            0.7229568362236023f,
                            1};

struct MatMulBnb4 : Op {
  int64_t k, n, block;
  bool nf4;

  Status init(Attrs& a) {
    k = a.i("K");
    n = a.i("N");
    block = a.i("block_size");
    a.ignore("training_mode");
    const int64_t type = a.i("quant_type");
    if (type != 0 && type != 1) return invalid_graph("quant_type must be 0 (FP4) or 1 (NF4); got ", type);
    nf4 = type == 1;
    if (a.i("transB", 1) != 1) return not_implemented("MatMulBnb4 with transB = 0");
    if (k < 1 || n < 0 || block < 1 || std::max({k, n, block}) > kLimit)
      return invalid_graph("K, N and block_size must be positive; got ", k, ", ", n, " and ", block);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& a = ctx.in(0);
    OL_ASSIGN(const Shape out, result_shape(a, k, n));
    if (ctx.in(1).size() != (n * k + 1) / 2 || ctx.in(2).size() != (n * k + block - 1) / block) {
      return run_failed("B must hold ", (n * k + 1) / 2, " bytes and absmax ", (n * k + block - 1) / block,
                        " values; got ", ctx.in(1).size(), " and ", ctx.in(2).size());
    }
    NBitsMatrix b;
    b.k = k;
    b.n = n;
    b.block = block;
    b.data = ctx.in(1).data<uint8_t>();
    b.codebook = nf4 ? kNf4 : kFp4;
    OL_ASSIGN(b.scales, float_input(ctx, ctx.in(2)));
    OL_ASSIGN(const float* af, float_input(ctx, a));
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, a.dtype(), out));
    OL_TRY(multiply(ctx, b, a.size() / k, af, nullptr, y.data()));
    y.finish();
    return {};
  }
};

const OpRow kContribRows[] = {
    {"MatMulNBits", 1, make<MatMulNBits>},
    {"MatMulBnb4", 1, make<MatMulBnb4>},
};

}  // namespace

extern const OpTable kMatMulNBitsContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
