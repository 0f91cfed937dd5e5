// MatMul, Gemm and FusedMatMul: matmul.wgsl.
#include <algorithm>
#include <limits>

#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kTile = 64;  // rows and columns of a group that shares tiles
constexpr int64_t kSide = 8;   // of a group that does not

uint32_t groups(int64_t n, int64_t each) { return static_cast<uint32_t>((n + each - 1) / each); }

// Rows of A begin at multiples of four elements and have no gaps, nor a rest.
bool has_vectors(const MatMulShape& s) {
  const auto fits = [](int64_t n) { return n % 4 == 0; };
  return s.a_col == 1 && fits(s.k) && fits(s.a_row) && std::all_of(s.a_batch.begin(), s.a_batch.end(), fits);
}

// Of a product that is found in parts.
struct Part {
  int64_t a_first = 0, first_column = 0;
  int64_t c_row = -1;  // the columns of the whole
};

// `buffers`: A, B, what is added where there is such a thing, and the result.
void dispatch_product(Context& ctx, const Product& p, Part part, std::vector<DeviceBufferPtr> buffers,
                      int64_t batches) {
  const MatMulShape& s = p.shape;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Uniforms u;
  u.u(s.m).u(s.n).u(s.k).u(s.a_row).u(s.a_col).u(s.b_row).u(s.b_col);
  u.u(p.added_row).u(p.added_column).f(p.alpha).f(p.beta).f(-kInfinity).f(kInfinity);
  u.u(part.a_first).u(part.first_column).u(part.c_row < 0 ? s.n : part.c_row);
  u.batches(s.batch, s.a_batch, s.b_batch);
  const bool tiled = !ctx.on_processor();
  int64_t rows = kTile, columns = kTile;
  Shader shader("matmul");
  shader.set("ADDS", buffers.size() == 4).set("TILED", tiled);
  if (!tiled) {
    const int64_t own_rows = s.m > 4 ? 8 : s.m > 1 ? 4 : 1, own_columns = s.n > kSide * 4 ? 8 : 4;
    rows = kSide * own_rows, columns = kSide * own_columns;
    shader.set("ROWS", own_rows)
        .set("COLUMNS", own_columns)
        .set("STEP", has_vectors(s) && part.a_first % 4 == 0 ? 4 : 1);
  }
  ctx.dispatch(shader, buffers, u, Groups{groups(s.n, columns), groups(s.m, rows), static_cast<uint32_t>(batches)});
}

// B is one matrix, and larger than a buffer. Where its columns are in one piece each, parts have some of them;
// otherwise some of its rows, and their products are added up.
Result<Answer> multiply_parts(Context& ctx, const Product& p, const DeviceBufferPtr& to) {
  const MatMulShape& s = p.shape;
  const bool by_column = s.b_row == 1 && s.b_col == s.k, by_row = s.b_col == 1 && s.b_row == s.n;
  if (s.batch.size() != 1 || !(by_column || by_row)) return Answer::kDeclined;
  const int64_t vector = by_row && s.k % 4 == 0 ? 4 : 1;  // rows of A may be read in vectors
  const auto unit = static_cast<uint64_t>(vector * (by_column ? s.k : s.n)) * sizeof(float);
  OL_ASSIGN(const Parts b, ctx.parts(p.b, unit));
  const int64_t step = b.units * vector;
  const uint64_t bytes = static_cast<uint64_t>(s.m * s.n) * sizeof(float);
  DeviceBufferPtr sums = p.added >= 0 ? ctx.buffer(p.added) : nullptr;
  for (size_t i = 0; i < b.buffers.size(); ++i) {
    const int64_t first = static_cast<int64_t>(i) * step;
    Product own = p;
    std::vector<DeviceBufferPtr> buffers{ctx.buffer(p.a), b.buffers[i]};
    if (sums != nullptr) buffers.push_back(sums);
    if (by_column) {
      own.shape.n = std::min(step, s.n - first);
      buffers.push_back(to);
      dispatch_product(ctx, own, {0, first, s.n}, std::move(buffers), 1);
      continue;
    }
    own.shape.k = std::min(step, s.k - first);
    if (i > 0) own.added_row = s.n, own.added_column = 1, own.beta = 1;
    sums = i + 1 == b.buffers.size() ? to : ctx.scratch(bytes);
    buffers.push_back(sums);
    dispatch_product(ctx, own, {first * s.a_col, 0, s.n}, std::move(buffers), 1);
  }
  return Answer::kDone;
}

}  // namespace

Result<Answer> multiply(Context& ctx, Product p, DeviceBufferPtr to) {
  MatMulShape& s = p.shape;
  for (const int i : {p.a, p.b}) {
    if (ctx.in(i).dtype() != DType::kFloat) return Answer::kDeclined;
  }
  int64_t batches = s.batches();
  if (s.can_fold_batch_into_rows()) {
    s.m *= batches;
    batches = 1;
    s.batch = s.a_batch = s.b_batch = Shape{};
  }
  if (s.batch.rank() > kMostBatchDims || batches > 65535) return Answer::kDeclined;
  if (s.out.size() == 0 || s.k == 0) return Answer::kDeclined;
  if (to == nullptr) {
    OL_ASSIGN(to, ctx.out(0, DType::kFloat, s.out));
  }
  if (ctx.in(p.b).bytes() > ctx.max_buffer()) return multiply_parts(ctx, p, to);
  std::vector<DeviceBufferPtr> buffers{ctx.buffer(p.a), ctx.buffer(p.b)};
  if (p.added >= 0) buffers.push_back(ctx.buffer(p.added));
  buffers.push_back(std::move(to));
  dispatch_product(ctx, p, {}, std::move(buffers), batches);
  return Answer::kDone;
}

namespace {

struct MatMul : Kernel {
  MatMulOptions options;
  float alpha = 1;

  Status init(Attrs& a) {
    if (a.op_type() != "FusedMatMul") return {};
    alpha = a.f("alpha", 1);
    options = {a.i("transA") != 0, a.i("transB") != 0, a.i("transBatchA") != 0, a.i("transBatchB") != 0};
    return {};
  }
  bool splits(int input) const override { return input == 1; }
  Result<Answer> run(Context& ctx) const override {
    Product p;
    OL_ASSIGN(p.shape, matmul_shape(ctx.in(0).shape(), ctx.in(1).shape(), options));
    p.alpha = alpha;
    if (ctx.has(2)) {  // one value per column
      if (ctx.in(2).size() != p.shape.n) return Answer::kDeclined;
      p.added = 2;
      p.added_column = 1;
    }
    return multiply(ctx, std::move(p));
  }
};

struct Gemm : Kernel {
  MatMulOptions options;
  float alpha = 1, beta = 1;

  Status init(Attrs& a) {
    alpha = a.f("alpha", 1);
    beta = a.f("beta", 1);
    options = {a.i("transA") != 0, a.i("transB") != 0};
    return {};
  }
  bool splits(int input) const override { return input == 1; }
  Result<Answer> run(Context& ctx) const override {
    if (ctx.in(0).rank() != 2 || ctx.in(1).rank() != 2) return Answer::kDeclined;
    Product p;
    OL_ASSIGN(p.shape, matmul_shape(ctx.in(0).shape(), ctx.in(1).shape(), options));
    p.alpha = alpha;
    p.beta = beta;
    if (ctx.has(2)) {
      Shape joined;
      const Shape& c = ctx.in(2).shape();
      if (!broadcast_shapes(c, p.shape.out, &joined) || !(joined == p.shape.out)) return Answer::kDeclined;
      const Shape strides = broadcast_strides(c, p.shape.out);
      p.added = 2;
      p.added_row = strides[0];
      p.added_column = strides[1];
    }
    return multiply(ctx, std::move(p));
  }
};

const Row kRows[] = {
    {"", "MatMul", 1, make<MatMul>},
    {"", "Gemm", 7, make<Gemm>},
    {"com.microsoft", "FusedMatMul", 1, make<MatMul>},
};

}  // namespace

Table matmul_rows() { return kRows; }

}  // namespace onnxlet::gpu
