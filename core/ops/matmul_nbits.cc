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

constexpr int64_t kIntegerLevel = 4;  // accuracy_level: A may be rounded to 8 bits

// B with scales and zero points as floats, which it owns.
struct Weights {
  NBitsMatrix matrix;
  Tensor scales, zeros;
};

struct MatMulNBits : Op {
  int64_t k, n, bits, block;
  bool may_round, packs, has_zeros;
  Weights constant;  // B, when it is known at load
  Tensor packed;     // the same for products of integers, in two parts
  Tensor factors;
  NBitsPacked form{};  // of both, but for the addresses

  Status init(Attrs& a) {
    k = a.i("K");
    n = a.i("N");
    bits = a.i("bits", 4);
    block = a.i("block_size");
    may_round = a.i("accuracy_level") == kIntegerLevel;
    packs = !a.input_given(4) && block % NBitsPacked::kUnit == 0;
    has_zeros = a.input_given(3);
    if (a.i("weight_prepacked") != 0) return not_implemented("weights prepacked for a GPU");
    if (bits < 2 || bits > 8) return invalid_graph("bits must be 2 to 8; it is ", bits);
    if (k < 1 || n < 0 || std::max({k, n, block}) > kLimit || block < 16 || (block & (block - 1)) != 0) {
      return invalid_graph("K and N must be positive and block_size a power of 2 from 16 on; got ", k, ", ", n, " and ",
                           block);
    }
    return {};
  }

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 3 || !constants[1].valid() || !constants[2].valid()) return {};
    const Tensor* zeros = constants.size() > 3 && constants[3].valid() ? &constants[3] : nullptr;
    if (has_zeros && zeros == nullptr) return {};
    if (!check(constants[1], constants[2], zeros).ok()) return {};  // run() says what is wrong
    OL_ASSIGN(constant, weights(constants[1], constants[2], zeros, pool));
    if (!packs) return {};
    form = nbits_packed(constant.matrix, nbits_kernel(static_cast<int>(bits)));
    form.rounds = may_round;
    OL_ASSIGN(packed, Tensor::allocate(pool, DType::kUint8, Shape{form.bytes()}));
    OL_ASSIGN(factors, Tensor::allocate(pool, DType::kFloat, Shape{form.factor_count()}));
    nbits_pack(constant.matrix, form, packed.mutable_data<uint8_t>(), factors.mutable_data<float>());
    constant = {};
    return {};
  }

  Tensor* packed_form(size_t i) override {
    if (!packed.valid() || i < 1 || i > 3) return nullptr;
    return i == 1 ? &packed : &factors;
  }

  Status run(OpContext& ctx) const override {
    const Tensor& a = ctx.in(0);
    OL_ASSIGN(const Shape out, result_shape(a, k, n));
    const float* bias = nullptr;
    if (ctx.has(5)) {
      if (ctx.in(5).size() != n) return run_failed("bias needs N = ", n, " values; got ", ctx.in(5).size());
      OL_ASSIGN(bias, float_input(ctx, ctx.in(5)));
    }
    OL_ASSIGN(const float* af, float_input(ctx, a));
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, a.dtype(), out));
    const int64_t rows = a.size() / k;
    if (packed.valid()) {
      NBitsPacked b = form;
      b.data = packed.data<uint8_t>();
      b.factors = factors.data<float>();
      OL_ASSIGN(char* scratch, ctx.scratch_of<char>(nbits_dot_scratch(b, rows)));
      ctx.set_kernel(nbits_dot(b, rows, af, bias, y.data(), scratch));
    } else {
      Weights now;
      if (constant.matrix.data == nullptr) {
        OL_TRY(check(ctx.in(1), ctx.in(2), ctx.opt(3)));
        OL_ASSIGN(now, weights(ctx.in(1), ctx.in(2), ctx.opt(3), ctx.pool()));
      }
      NBitsMatrix b = constant.matrix.data ? constant.matrix : now.matrix;
      OL_ASSIGN(b.group_of, groups(ctx));
      OL_TRY(multiply(ctx, b, rows, af, bias, y.data()));
    }
    y.finish();
    return {};
  }

  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t zero_bytes() const { return (blocks() * bits + 7) / 8; }  // of a column, where zero points are packed

  Status check(const Tensor& b, const Tensor& scales, const Tensor* zeros) const {
    const uint64_t stored = static_cast<uint64_t>(n * blocks() * (block * bits / 8));
    if (b.bytes() != stored || scales.size() != n * blocks()) {
      return run_failed("B must hold ", stored, " bytes and scales ", n * blocks(), " values for K = ", k, ", N = ", n,
                        ", block_size = ", block, "; got ", b.bytes(), " and ", scales.size());
    }
    if (zeros == nullptr) return {};
    if (runs_as_float(zeros->dtype()) && zeros->size() != n * blocks())
      return run_failed("zero_points needs ", n * blocks(), " values; got ", zeros->size());
    if (!runs_as_float(zeros->dtype()) && zeros->bytes() != static_cast<uint64_t>(n * zero_bytes()))
      return run_failed("zero_points must hold ", n * zero_bytes(), " bytes; got ", zeros->bytes());
    return {};
  }

  Result<Weights> weights(const Tensor& b, const Tensor& scales, const Tensor* zeros, Pool& pool) const {
    Weights w;
    w.matrix.k = k;
    w.matrix.n = n;
    w.matrix.bits = static_cast<int>(bits);
    w.matrix.block = block;
    w.matrix.zero = static_cast<float>(1 << (bits - 1));
    w.matrix.data = static_cast<const uint8_t*>(b.raw());
    OL_ASSIGN(w.scales, widened_constant(scales, pool));
    w.matrix.scales = w.scales.data<float>();
    if (zeros) {
      OL_ASSIGN(w.zeros, zeros_as_float(*zeros, pool));
      w.matrix.zeros = w.zeros.data<float>();
    }
    return w;
  }

  // [n][blocks]. Packed ones start at a byte for each column.
  Result<Tensor> zeros_as_float(const Tensor& t, Pool& pool) const {
    if (runs_as_float(t.dtype())) return widened_constant(t, pool);
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{n * blocks()}));
    const uint8_t* src = static_cast<const uint8_t*>(t.raw());
    float* to = out.mutable_data<float>();
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < blocks(); ++i)
        to[j * blocks() + i] = static_cast<float>(nbits_number(src + j * zero_bytes(), i, static_cast<int>(bits)));
    }
    return out;
  }

  Result<const int32_t*> groups(OpContext& ctx) const {
    if (!ctx.has(4)) return static_cast<const int32_t*>(nullptr);
    const Tensor& t = ctx.in(4);
    if (t.size() < k) return run_failed("g_idx needs K = ", k, " values; got ", t.size());
    for (int64_t i = 0; i < k; ++i) {
      const int32_t g = t.data<int32_t>()[i];
      if (g < 0 || g >= blocks()) return run_failed("g_idx ", g, " is outside [0, ", blocks(), ")");
    }
    return t.data<int32_t>();
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
