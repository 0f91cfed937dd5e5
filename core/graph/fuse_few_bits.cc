// Weights that a model stores in few bits, or in blocks, behind a DequantizeLinear: the product with them becomes
// MatMulNBits, which expands them as it goes. Weights of 8 bits with one scale or one per column become floats at load
// where that adds little (fold_constants.cc), and go the same way where it would add much.
#include <algorithm>
#include <bit>

#include "base/parallel.h"
#include "graph/match.h"
#include "graph/passes.h"
#include "kernels/nbits.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int64_t kLeastBlock = 16, kMostBlock = 128;

// Of at most 8 bits, 0 for other types.
int bits_of(DType t) { return is_integer(t) && dtype_bits(t) <= 8 ? dtype_bits(t) : 0; }

// Numbers of a tensor as MatMulNBits counts them: from 0 up.
struct Codes {
  const uint8_t* data;
  int bits, flip;

  explicit Codes(const Tensor& t)
      : data(static_cast<const uint8_t*>(t.raw())),
        bits(bits_of(t.dtype())),
        flip(is_signed_integer(t.dtype()) ? 1 << (bits - 1) : 0) {}
  int at(int64_t i) const { return nbits_number(data, i, bits) ^ flip; }
};

// B [K][N] of a product, and what its numbers stand for.
struct Weights {
  IrNode* node = nullptr;
  const Tensor *numbers = nullptr, *scale = nullptr, *zero = nullptr;
  int k_axis = 0;
  int64_t k = 0, n = 0;
  int64_t block = 0;   // numbers along K that share a scale, as MatMulNBits will have it
  int64_t shared = 0;  // the same as it is: 0 when a whole column does
  bool per_column = false;

  int bits() const { return bits_of(numbers->dtype()); }
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t place(int64_t row, int64_t column) const { return k_axis == 0 ? row * n + column : column * k + row; }
  // Where the scale and the zero point of that block are.
  int64_t parameter(int64_t column, int64_t index) const {
    if (shared == 0) return per_column ? column : 0;
    return k_axis == 0 ? index * n + column : column * blocks() + index;
  }
};

// Sets how scales are shared; false when MatMulNBits cannot say it.
bool share(const IrNode& dequantize, Weights* w) {
  const int64_t given = int_attribute(dequantize, "axis", 1), axis = given < 0 ? given + 2 : given;
  const int64_t block_size = int_attribute(dequantize, "block_size", 0);
  if (block_size == 0) {
    w->per_column = w->scale->size() != 1;
    if (w->per_column && (w->scale->rank() != 1 || w->scale->size() != w->n || axis == w->k_axis)) return false;
    w->block = kMostBlock;
    while (w->block > 2 * kLeastBlock && w->k % w->block != 0) w->block /= 2;
    return true;
  }
  w->shared = w->block = block_size;
  return axis == w->k_axis && block_size >= kLeastBlock && std::has_single_bit(static_cast<uint64_t>(block_size)) &&
         w->scale->rank() == 2 && w->scale->dim(w->k_axis) == w->blocks() && w->scale->dim(1 - w->k_axis) == w->n;
}

std::optional<Weights> weights_of(Matcher& m, ValueId id, bool transposed) {
  Weights w;
  if (const IrNode* t = m.producer(id, "Transpose")) {
    const Attribute* perm = t->find("perm");
    if (perm != nullptr && perm->ints != std::vector<int64_t>{1, 0}) return std::nullopt;
    id = t->inputs[0];
    transposed = !transposed;
  }
  w.node = m.producer(id, "DequantizeLinear");
  if (w.node == nullptr) return std::nullopt;
  w.numbers = m.graph().constant(w.node->inputs[0]);
  w.scale = m.graph().constant(w.node->inputs[1]);
  const ValueId zero = Matcher::input(*w.node, 2);
  w.zero = m.graph().constant(zero);
  if (w.numbers == nullptr || w.scale == nullptr || (zero != kAbsent && w.zero == nullptr)) return std::nullopt;
  if (w.bits() == 0 || w.numbers->rank() != 2 || w.numbers->size() == 0 || w.scale->dtype() != DType::kFloat)
    return std::nullopt;
  if (w.zero != nullptr && (w.zero->dtype() != w.numbers->dtype() || w.zero->size() != w.scale->size()))
    return std::nullopt;
  w.k_axis = transposed ? 1 : 0;
  w.k = w.numbers->dim(w.k_axis);
  w.n = w.numbers->dim(1 - w.k_axis);
  return share(*w.node, &w) ? std::optional(w) : std::nullopt;
}

// Columns of `count` numbers in whole bytes, the first in the lowest bits.
template <class Number>
void write_columns(int64_t columns, int64_t count, int bits, uint8_t* out, Number number) {
  const int64_t stride = (count * bits + 7) / 8, in_byte = 8 / bits;
  parallel_for(columns, grain_for(count), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      for (int64_t byte = 0; byte < stride; ++byte) {
        int v = 0;
        for (int64_t i = 0; i < in_byte; ++i) {
          const int64_t at = byte * in_byte + i;
          if (at < count) v |= number(j, at) << (i * bits);
        }
        out[j * stride + byte] = static_cast<uint8_t>(v);
      }
    }
  });
}

// B as MatMulNBits stores it: [N][blocks][bytes of a block]. What fills up the last block is its zero point.
Result<Tensor> stored(const Weights& w, Pool& pool) {
  const int bits = w.bits();
  OL_ASSIGN(Tensor b, Tensor::allocate(pool, DType::kUint8, Shape{w.n, w.blocks(), w.block * bits / 8}));
  const Codes codes(*w.numbers);
  write_columns(w.n, w.blocks() * w.block, bits, b.mutable_data<uint8_t>(),
                [&](int64_t j, int64_t i) { return i < w.k ? codes.at(w.place(i, j)) : 0; });
  return b;
}

Result<Tensor> scales(const Weights& w, Pool& pool) {
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, Shape{w.n * w.blocks()}));
  float* to = out.mutable_data<float>();
  for (int64_t j = 0; j < w.n; ++j) {
    for (int64_t i = 0; i < w.blocks(); ++i) *to++ = w.scale->data<float>()[w.parameter(j, i)];
  }
  return out;
}

Result<Tensor> zero_points(const Weights& w, Pool& pool) {
  const int bits = w.bits();
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kUint8, Shape{w.n * ((w.blocks() * bits + 7) / 8)}));
  const int none = Codes(*w.numbers).flip;  // the zero point 0
  write_columns(w.n, w.blocks(), bits, out.mutable_data<uint8_t>(),
                [&](int64_t j, int64_t i) { return w.zero ? Codes(*w.zero).at(w.parameter(j, i)) : none; });
  return out;
}

// A B or A B + c, with one number of c per column.
struct Operands {
  ValueId a = kAbsent, bias = kAbsent;
  Weights b;
};

std::optional<Operands> operands(Matcher& m, const IrNode& n) {
  const bool gemm = n.op_type == "Gemm";
  if (n.inputs.size() < 2 || m.dtype(n.inputs[0]) != DType::kFloat) return std::nullopt;
  if (gemm && (int_attribute(n, "transA", 0) != 0 || float_attribute(n, "alpha", 1) != 1)) return std::nullopt;
  const std::optional<Weights> b = weights_of(m, n.inputs[1], gemm && int_attribute(n, "transB", 0) != 0);
  if (!b) return std::nullopt;
  Operands o{n.inputs[0], Matcher::input(n, 2), *b};
  if (o.bias == kAbsent) return o;
  const Tensor* c = m.graph().constant(o.bias);
  const bool per_column = c != nullptr && c->rank() == 1 && c->size() == b->n && c->dtype() == DType::kFloat;
  return per_column && float_attribute(n, "beta", 1) == 1 ? std::optional(o) : std::nullopt;
}

Result<bool> rewrite(Matcher& m, IrNode& n, Pool& pool) {
  const std::optional<Operands> o = operands(m, n);
  if (!o) return false;
  const Weights& w = o->b;
  const ValueId home = w.node->inputs[0];
  const int64_t k = w.k, columns = w.n, bits = w.bits(), block = w.block;
  OL_ASSIGN(Tensor b, stored(w, pool));
  OL_ASSIGN(Tensor factors, scales(w, pool));
  OL_ASSIGN(Tensor zeros, zero_points(w, pool));
  const ValueId id = m.add_constant("weights", std::move(b));
  std::vector<ValueId> inputs{o->a, id, m.add_constant("scales", std::move(factors)),
                              m.add_constant("zero_points", std::move(zeros))};
  if (o->bias != kAbsent) inputs.insert(inputs.end(), {kAbsent, o->bias});
  if (!m.become(n, "MatMulNBits", 1, kMicrosoft, std::move(inputs))) return false;
  Matcher::set(n, "K", k);
  Matcher::set(n, "N", columns);
  Matcher::set(n, "bits", bits);
  Matcher::set(n, "block_size", block);
  if (m.readers(home) != 0) return true;
  Tensor& old = m.graph().value(home).constant;
  m.graph().value(id).constant.move_into(old);
  old = Tensor();
  return true;
}

// Whether these weights have a form that no product but MatMulNBits reads as it is.
bool in_few_bits(const Weights& w) { return w.bits() < 8 || w.shared != 0; }

}  // namespace

Result<bool> fuse_few_bits(IrGraph& graph, Pool& pool) {
  Matcher m(graph);
  uint64_t expanded = 0;  // bytes that the others would grow by as floats
  for (const IrNode& n : graph.nodes) {
    if (!is_op(n, "MatMul") && !is_op(n, "Gemm")) continue;
    const std::optional<Operands> o = operands(m, n);
    if (o && !in_few_bits(o->b)) expanded += static_cast<uint64_t>(o->b.numbers->size()) * (sizeof(float) - 1);
  }
  bool changed = false;
  for (IrNode& n : graph.nodes) {
    if (m.dead(n) || (!is_op(n, "MatMul") && !is_op(n, "Gemm"))) continue;
    const std::optional<Operands> o = operands(m, n);
    if (!o || (!in_few_bits(o->b) && expanded <= kMostExpanded)) continue;
    OL_ASSIGN(const bool replaced, rewrite(m, n, pool));
    changed = changed || replaced;
  }
  m.sweep();
  return changed;
}

}  // namespace onnxlet
