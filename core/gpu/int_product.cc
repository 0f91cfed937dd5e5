// MatMulInteger, QLinearMatMul, ConvInteger and QLinearConv: int_pack.wgsl puts both operands into words,
// int_product.wgsl multiplies them, and quantize.wgsl makes levels of the sums.
#include <algorithm>

#include "gpu/parts.h"
#include "ops/matmul_shape.h"
#include "ops/window.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kMostBatches = 65535;
constexpr int64_t kSide = 8;     // invocations of a group in either direction
constexpr int64_t kColumns = 4;  // of an invocation

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
bool is_byte(DType t) { return t == DType::kUint8 || t == DType::kInt8; }

// Rows of 8-bit numbers, packed: [matrices, rows, words].
struct Packed {
  DeviceBufferPtr buffer;
  DType dtype;
};

struct IntProduct {
  int64_t m, n, k;
  Packed a{}, b{};
  std::optional<Operand> a_zero{}, b_zero{};  // of one element, or one per row of that operand
  Shape batch{}, a_batch{}, b_batch{};        // strides in matrices

  int64_t words() const { return ceil_div(k, 4); }
};

uint64_t packed_size(int64_t matrices, int64_t rows, int64_t k) {
  return static_cast<uint64_t>(matrices * rows * ceil_div(k, 4)) * 4;
}

// Matrices that follow each other, with the strides of their rows and columns.
struct MatrixCall {
  int64_t matrices, rows, k, row_step, k_step;
};
DeviceBufferPtr pack(Context& ctx, const Operand& x, const MatrixCall& c) {
  DeviceBufferPtr to = ctx.scratch(packed_size(c.matrices, c.rows, c.k));
  const int64_t words = ceil_div(c.k, 4), count = c.matrices * c.rows * words;
  Uniforms u;
  u.u(count).u(c.rows).u(c.k).u(words).u(c.rows * c.k).u(c.row_step).u(c.k_step);
  const DeviceBufferPtr buffers[] = {x.buffer, to};
  ctx.dispatch(Shader("int_pack").set("KIND", "matrix").set("X", wgsl_type(x.dtype)), buffers, u, count);
  return to;
}

void set_zero(Shader& shader, std::string_view operand, DType type, const std::optional<Operand>& zero,
              std::vector<DeviceBufferPtr>& buffers) {
  const auto name = [&](std::string_view end) { return std::string(operand).append(end); };
  shader.set(name("_UNSIGNED"), type == DType::kUint8);
  shader.set(name("_SHIFTS"), zero.has_value() || type == DType::kUint8);
  if (!zero) return;
  shader.set(name("_ZERO"), wgsl_type(zero->dtype));
  buffers.push_back(zero->buffer);
}

void dispatch_product(Context& ctx, const IntProduct& p, const DeviceBufferPtr& out) {
  const int64_t rows = p.m > kSide ? 4 : 1;
  Shader shader("int_product");
  shader.set("DOT", ctx.packed_dots()).set("ROWS", rows);
  std::vector<DeviceBufferPtr> buffers{p.a.buffer, p.b.buffer};
  set_zero(shader, "A", p.a.dtype, p.a_zero, buffers);
  set_zero(shader, "B", p.b.dtype, p.b_zero, buffers);
  buffers.push_back(out);
  const auto step = [](const std::optional<Operand>& zero) { return zero && zero->shape.size() > 1 ? 1 : 0; };
  Uniforms u;
  u.u(p.m).u(p.n).u(p.k).u(p.words()).u(step(p.a_zero)).u(step(p.b_zero));
  u.batches(p.batch, p.a_batch, p.b_batch);
  const auto groups = [](int64_t n, int64_t each) { return static_cast<uint32_t>(ceil_div(n, each)); };
  ctx.set_name(shader);
  ctx.dispatch(shader, buffers, u,
               Groups{groups(p.n, kSide * kColumns), groups(p.m, kSide * rows), static_cast<uint32_t>(p.batch.size())});
}

// Where an operator has its operands.
struct Inputs {
  int a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, bias;
};
constexpr int kNone = 1 << 20;  // has() is false for it
constexpr Inputs kInteger{0, kNone, 2, 1, kNone, 3, kNone, kNone, kNone};
constexpr Inputs kLevels{0, 1, 2, 3, 4, 5, 6, 7, 8};

struct IntKernel : Kernel {
  bool quantized = false;  // to levels
  const Inputs& at() const { return quantized ? kLevels : kInteger; }

  // `each`: as many scales and zero points as the second operand may have. Others are the CPU's.
  bool fits(const Context& ctx, int64_t each) const {
    const Inputs& i = at();
    if (!is_byte(ctx.in(i.a).dtype()) || !is_byte(ctx.in(i.b).dtype()) || count(ctx, i.a_zero) > 1) return false;
    for (const auto [zero, of] : {std::pair(i.a_zero, i.a), std::pair(i.b_zero, i.b)}) {
      if (ctx.has(zero) && ctx.in(zero).dtype() != ctx.in(of).dtype()) return false;
    }
    const int64_t zeros = count(ctx, i.b_zero);
    if (zeros > 1 && zeros != each) return false;
    if (!quantized) return true;
    const int64_t scales = count(ctx, i.b_scale);
    return count(ctx, i.a_scale) == 1 && count(ctx, i.y_scale) == 1 && count(ctx, i.y_zero) == 1 &&
           (scales == 1 || scales == each) && is_byte(ctx.in(i.y_zero).dtype()) && floats(ctx);
  }
  static int64_t count(const Context& ctx, int input) { return ctx.has(input) ? ctx.in(input).size() : 0; }
  bool floats(const Context& ctx) const {
    const Inputs& i = at();
    return ctx.in(i.a_scale).dtype() == DType::kFloat && ctx.in(i.b_scale).dtype() == DType::kFloat &&
           ctx.in(i.y_scale).dtype() == DType::kFloat;
  }
  static std::optional<Operand> zero(Context& ctx, int input) {
    if (count(ctx, input) == 0) return {};
    return operand(ctx, input);
  }

  // Output 0 of `shape`; its axis of `channels` with `inner` elements behind it has the scales.
  Result<Answer> finish(Context& ctx, const IntProduct& p, const Shape& shape, int64_t channels, int64_t inner) const {
    if (shape.size() == 0 || p.k == 0 || p.batch.rank() > kMostBatchDims || p.batch.size() > kMostBatches) {
      return Answer::kDeclined;
    }
    const Inputs& i = at();
    const DType type = quantized ? ctx.in(i.y_zero).dtype() : DType::kInt32;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, type, shape));
    DeviceBufferPtr sums = quantized ? ctx.scratch(static_cast<uint64_t>(shape.size()) * 4) : out;
    dispatch_product(ctx, p, sums);
    if (!quantized) return Answer::kDone;
    QuantizeCall call{{std::move(sums), DType::kInt32, shape}, operand(ctx, i.b_scale), operand(ctx, i.y_zero)};
    call.layout = {shape.size() / (channels * inner), channels, inner};
    call.layout.axis_step = call.scale.shape.size() > 1 ? 1 : 0;
    call.input_scale = ctx.buffer(i.a_scale);
    call.output_scale = ctx.buffer(i.y_scale);
    if (ctx.has(i.bias)) call.bias = ctx.buffer(i.bias);
    quantize(ctx, call, type, std::move(out));
    return Answer::kDone;
  }

  // Of weights that stay the same, once.
  DeviceBufferPtr packed_weights(Context& ctx, const MatrixCall& c) const {
    const Operand from = operand(ctx, at().b);
    if (packed_from_ != from.buffer) {
      packed_from_ = from.buffer;
      packed_ = pack(ctx, from, c);
    }
    return packed_;
  }

 private:
  mutable DeviceBufferPtr packed_from_, packed_;
};

struct MatMul : IntKernel {
  Status init(Attrs& a) {
    quantized = a.op_type() == "QLinearMatMul";
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Operand a = operand(ctx, at().a);
    const Tensor& b = ctx.in(at().b);
    OL_ASSIGN(MatMulShape s, matmul_shape(a.shape, b.shape()));
    if (!fits(ctx, s.n) || s.k == 0 || s.out.size() == 0) return Answer::kDeclined;
    const int64_t a_size = s.m * s.k, b_size = s.n * s.k;
    IntProduct p{s.m, s.n, s.k};
    p.batch = s.batch;
    for (int i = 0; i < s.batch.rank(); ++i) {
      p.a_batch.push_back(s.a_batch[i] / a_size);
      p.b_batch.push_back(s.b_batch[i] / b_size);
    }
    p.a_zero = zero(ctx, at().a_zero);
    p.b_zero = zero(ctx, at().b_zero);
    p.a = {pack(ctx, a, {a.shape.size() / a_size, s.m, s.k, s.a_row, s.a_col}), a.dtype};
    p.b = {packed_weights(ctx, {b.size() / b_size, s.n, s.k, s.b_col, s.b_row}), b.dtype()};
    return finish(ctx, p, s.out, s.n, 1);
  }
};

// Rows are the output channels of a group, columns the pixels of an image.
struct Conv : IntKernel {
  WindowAttrs window;
  int64_t group = 1;

  Status init(Attrs& a) {
    quantized = a.op_type() == "QLinearConv";
    group = a.i("group", 1);
    return window.read(a);
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(at().a), &w = ctx.in(at().b);
    if (x.rank() < 3 || x.rank() > 2 + kMostSpace || w.rank() != x.rank() || group < 1 ||
        x.dim(1) != w.dim(1) * group || w.dim(0) % group != 0 ||
        !(window.kernel_shape.empty() || Shape(window.kernel_shape) == spatial(w.shape())) || !fits(ctx, w.dim(0)) ||
        (ctx.has(at().bias) && ctx.in(at().bias).size() != w.dim(0)) || (group > 1 && count(ctx, at().b_zero) > 1)) {
      return Answer::kDeclined;
    }
    OL_ASSIGN(const Window win, window.resolve(spatial(x.shape()), spatial(w.shape())));
    const Shape shape = with_spatial(x.dim(0), w.dim(0), win.out);
    IntProduct p{w.dim(0) / group, win.pixels(), w.dim(1) * win.taps()};
    const int64_t matrices = x.dim(0) * group;
    if (shape.size() == 0 || p.k == 0 || packed_size(matrices, p.n, p.k) > ctx.max_buffer()) return Answer::kDeclined;
    p.a_zero = zero(ctx, at().b_zero);
    p.b_zero = zero(ctx, at().a_zero);
    p.a = {packed_weights(ctx, {group, p.m, p.k, p.k, 1}), w.dtype()};
    p.b = {patches(ctx, win, p, matrices, w.dim(1)), x.dtype()};
    p.batch = Shape{x.dim(0), group};
    p.a_batch = Shape{0, 1};
    p.b_batch = Shape{group, 1};
    return finish(ctx, p, shape, w.dim(0), win.pixels());
  }

  DeviceBufferPtr patches(Context& ctx, const Window& w, const IntProduct& p, int64_t matrices,
                          int64_t channels) const {
    DeviceBufferPtr to = ctx.scratch(packed_size(matrices, p.n, p.k));
    const int64_t count = matrices * p.n * p.words();
    Uniforms u;
    u.u(count).u(p.n).u(p.k).u(p.words()).u(group).u(channels).u(w.taps());
    u.window(w);
    Shader shader("int_pack");
    shader.set("KIND", "patches").set("X", wgsl_type(ctx.in(at().a).dtype()));
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(at().a)};
    if (p.b_zero) {
      shader.set("Z", wgsl_type(p.b_zero->dtype));
      buffers.push_back(p.b_zero->buffer);
    }
    buffers.push_back(to);
    ctx.dispatch(shader, buffers, u, count);
    return to;
  }
};

const Row kRows[] = {
    {"", "MatMulInteger", 10, make<MatMul>},
    {"", "QLinearMatMul", 10, make<MatMul>},
    {"", "ConvInteger", 10, make<Conv>},
    {"", "QLinearConv", 10, make<Conv>},
};

}  // namespace

Table int_product_rows() { return kRows; }

}  // namespace onnxlet::gpu
