// Regions of 8-bit numbers that a model describes by DequantizeLinear - float operators - QuantizeLinear: the operators
// become those that take and give 8 bits.
//
// Products are exact integers that are scaled once, so a result may differ from the float operators' by one where those
// rounded on the way. All else has the same bits: sums, averages and Softmax compute what the float operators do,
// functions of one value are computed by them at load, for all 256 bytes, and what moves numbers moves bytes.
#include <algorithm>
#include <array>
#include <cmath>

#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int kBytes = 256;

bool is_byte(DType t) { return t == DType::kInt8 || t == DType::kUint8; }
bool one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// 8-bit numbers (or weights, perhaps with a scale and a zero point per column) and what they stand for.
struct Quantized {
  ValueId value, scale, zero;
  float s = 0;
  int32_t z = 0;
  DType type;

  bool same(const Quantized& o) const { return type == o.type && s == o.s && z == o.z; }
  int32_t lowest() const { return type == DType::kInt8 ? -128 : 0; }
  // As QuantizeLinear has it.
  int32_t of(float x) const {
    const float v = std::nearbyint(x / s) + static_cast<float>(z), low = static_cast<float>(lowest());
    return static_cast<int32_t>(v > low ? std::min(v, low + 255) : low);
  }
};

class Rewriter {
 public:
  Rewriter(Matcher& m, Pool& pool) : m_(m), pool_(pool) {}

  // The node that ends a region.
  Result<bool> quantize(IrNode& n) {
    OL_ASSIGN(const auto to, parameters(n, n.outputs[0]));
    if (!to) return false;
    OL_ASSIGN(const bool tabled, tabulate(n, *to));
    if (tabled) return true;
    IrNode* p = m_.producer(n.inputs[0]);
    if (p == nullptr || !p->subgraphs.empty()) return false;
    if (p->op_type == "Concat" && m_.readers(n.inputs[0]) == 1) return concat(n, *p, *to);
    OL_ASSIGN(const bool moved, move(*p));
    if (moved) return true;
    if (m_.readers(n.inputs[0]) != 1) return false;
    float lo = 0, hi = 0;
    if (!bounds(*p, &lo, &hi)) return product(*p, n, *to);
    IrNode* source = m_.producer(p->inputs[0]);
    if (source == nullptr || m_.readers(p->inputs[0]) != 1) return false;
    const int32_t low = to->of(lo), high = to->of(hi);
    if (low == to->lowest() && high == to->lowest() + 255) return product(*source, n, *to);
    // The bounds' roundings bound the rounded numbers.
    IrNode& clip = *p;
    OL_ASSIGN(const bool done, product(*source, clip, *to));
    if (!done) return false;
    m_.graph().value(clip.outputs[0]).type = ValueType::tensor(to->type);
    OL_ASSIGN(const ValueId least, m_.add_number("lo", low, to->type, Shape{}, pool_));
    OL_ASSIGN(const ValueId most, m_.add_number("hi", high, to->type, Shape{}, pool_));
    return m_.become(n, "Clip", 13, {}, {clip.outputs[0], least, most});
  }

 private:
  using Maybe = std::optional<Quantized>;

  // One scale and one zero point, of a QuantizeLinear or DequantizeLinear whose 8-bit side is `bytes`.
  Result<Maybe> parameters(const IrNode& n, ValueId bytes) {
    Quantized q{bytes, Matcher::input(n, 1), Matcher::input(n, 2), 0, 0, m_.dtype(bytes)};
    const std::optional<double> scale = m_.scalar(q.scale), zero = m_.scalar(q.zero);
    if (!is_byte(q.type) || !scale || !(*scale > 0) || m_.dtype(q.scale) != DType::kFloat) return Maybe();
    if (int_attribute(n, "block_size", 0) != 0 || int_attribute(n, "precision", 1) > 1) return Maybe();
    const ValueId real = n.op_type == "QuantizeLinear" ? n.inputs[0] : n.outputs[0];
    if (m_.dtype(real) != DType::kFloat || (q.zero != kAbsent && !zero)) return Maybe();
    q.s = static_cast<float>(*scale);
    q.z = static_cast<int32_t>(zero.value_or(0));
    if (q.zero == kAbsent) {
      OL_ASSIGN(q.zero, m_.add_number("zero_point", 0, q.type, Shape{}, pool_));
    }
    return Maybe(q);
  }
  Result<Maybe> dequantized(ValueId id) {
    const IrNode* n = m_.producer(id, "DequantizeLinear");
    return n != nullptr ? parameters(*n, n->inputs[0]) : Result<Maybe>(Maybe());
  }

  // ---- functions of one value

  // The nodes that compute `id` from one dequantized value x and scalars.
  bool collect(ValueId id, int depth, std::vector<IrNode*>* nodes, ValueId* x, int* rank) {
    constexpr int kDeepest = 8;
    if (id == kAbsent || id == *x) return true;
    if (const Tensor* c = m_.graph().constant(id)) {
      *rank = std::max(*rank, c->rank());
      return c->size() == 1;
    }
    IrNode* n = m_.producer(id);
    if (n == nullptr || depth > kDeepest) return false;
    if (std::find(nodes->begin(), nodes->end(), n) != nodes->end()) return true;
    if (is_op(*n, "DequantizeLinear")) {
      if (*x != kAbsent || m_.graph().constant(n->inputs[0]) != nullptr) return false;
      *x = id;
      return true;
    }
    if ((n->row->flags & kElementwise) == 0 || n->outputs.size() != 1 || n->find("broadcast") != nullptr) return false;
    for (ValueId in : n->inputs) {
      if (!collect(in, depth + 1, nodes, x, rank)) return false;
    }
    nodes->push_back(n);
    return true;
  }

  Result<bool> tabulate(IrNode& n, const Quantized& to) {
    std::vector<IrNode*> nodes;
    ValueId x = kAbsent;
    int rank = 0;
    if (!collect(n.inputs[0], 0, &nodes, &x, &rank) || x == kAbsent || rank > m_.least_rank(x)) return false;
    OL_ASSIGN(const Maybe from, dequantized(x));
    if (!from) return false;
    if (nodes.empty() && from->same(to)) {
      m_.bypass(n, from->value);
      return true;
    }
    OL_ASSIGN(Tensor all, every_byte(from->type));
    nodes.insert(nodes.begin(), m_.producer(x));
    nodes.push_back(&n);
    std::vector<std::pair<ValueId, Value>> known{{from->value, Value(std::move(all))}};
    for (const IrNode* node : nodes) {
      std::vector<Value> inputs;
      for (ValueId id : node->inputs) {
        const auto found = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == id; });
        if (found != known.end()) {
          inputs.push_back(found->second);
        } else {
          inputs.push_back(id == kAbsent ? Value() : Value(m_.graph().value(id).constant));
        }
      }
      Result<std::vector<Value>> outputs = evaluate(*node, inputs, pool_);
      if (!outputs.ok()) return false;  // it fails again when it runs, with its place in the model named
      known.emplace_back(node->outputs[0], outputs.value()[0]);
    }
    const Value& table = known.back().second;
    if (!table.is_tensor() || table.tensor().size() != kBytes) return false;
    return m_.become(n, "ByteTable", 1, "onnxlet", {from->value, m_.add_constant("table", table.tensor())});
  }

  Result<Tensor> every_byte(DType type) {
    OL_ASSIGN(Tensor all, Tensor::allocate(pool_, type, Shape{kBytes}));
    for (int i = 0; i < kBytes; ++i) all.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i);
    return all;
  }
  // What each byte of one quantization is in another.
  Result<Tensor> requantization(const Quantized& from, const Quantized& to) {
    OL_ASSIGN(Tensor table, every_byte(to.type));
    for (int i = 0; i < kBytes; ++i) {
      const int32_t whole = from.type == DType::kInt8 ? static_cast<int8_t>(i) : i;
      table.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(to.of(static_cast<float>(whole - from.z) * from.s));
    }
    return table;
  }

  // ---- what moves numbers

  static bool takes(const IrNode& n, DType type) {
    return n.schema != nullptr && allows(n.schema->types[n.schema->inputs[0].type], ValueType::tensor(type));
  }

  Result<bool> move(IrNode& p) {
    static constexpr std::string_view kMoves[] = {
        "Reshape",  "Transpose",    "Flatten",      "Squeeze", "Unsqueeze", "Slice", "Gather", "Expand",
        "Identity", "DepthToSpace", "SpaceToDepth", "Split",   "MaxPool",   "Pad",   "Resize", "Tile"};
    if (!p.domain.empty() || !one_of(p.op_type, kMoves) || p.inputs[0] == kAbsent) return false;
    OL_ASSIGN(const Maybe from, dequantized(p.inputs[0]));
    if (!from || !takes(p, from->type)) return false;
    const Attribute* mode = p.find("mode");
    if (p.op_type == "Resize" && mode != nullptr && mode->s != "nearest") return false;
    if (p.op_type == "MaxPool" && p.outputs.size() > 1) return false;
    std::vector<ValueId> inputs = p.inputs;
    inputs[0] = from->value;
    if (p.op_type == "Pad" && (mode == nullptr || mode->s == "constant")) {
      const ValueId filler = Matcher::input(p, 2);
      if (filler != kAbsent && m_.scalar(filler) != 0.0) return false;
      inputs.resize(std::max<size_t>(inputs.size(), 3), kAbsent);
      OL_ASSIGN(inputs[2], m_.add_number("filler", from->z, from->type, Shape{}, pool_));
    }
    std::vector<std::pair<IrNode*, Quantized>> ends;
    for (ValueId out : p.outputs) {
      IrNode* q = out != kAbsent ? m_.only_reader(out) : nullptr;
      if (q == nullptr || !is_op(*q, "QuantizeLinear") || q->inputs[0] != out) return false;
      OL_ASSIGN(const Maybe to, parameters(*q, q->outputs[0]));
      if (!to) return false;
      ends.emplace_back(q, *to);
    }
    m_.reconnect(p, std::move(inputs));
    for (const auto& [q, to] : ends) {
      const ValueId moved = q->inputs[0];
      m_.graph().value(moved).type = ValueType::tensor(from->type);
      if (from->same(to)) {
        m_.bypass(*q, moved);
        continue;
      }
      OL_ASSIGN(Tensor table, requantization(*from, to));
      m_.become(*q, "ByteTable", 1, "onnxlet", {moved, m_.add_constant("table", std::move(table))});
    }
    return true;
  }

  Result<bool> concat(IrNode& n, const IrNode& p, const Quantized& to) {
    std::vector<ValueId> plain, quantized{to.scale, to.zero};
    bool same = true;
    for (ValueId id : p.inputs) {
      OL_ASSIGN(const Maybe from, dequantized(id));
      if (!from) return false;
      same = same && from->same(to);
      plain.push_back(from->value);
      quantized.insert(quantized.end(), {from->value, from->scale, from->zero});
    }
    if (same) return m_.become_like(n, p, std::move(plain));
    const std::vector<Attribute> attributes = p.attributes;
    if (!m_.become(n, "QLinearConcat", 1, kMicrosoft, std::move(quantized))) return false;
    n.attributes = attributes;
    return true;
  }

  // ---- what computes

  bool bounds(const IrNode& n, float* lo, float* hi) {
    if (!n.domain.empty() || (n.op_type != "Relu" && n.op_type != "Clip")) return false;
    *lo = n.op_type == "Relu" ? 0 : -INFINITY;
    *hi = INFINITY;
    for (size_t i = 1; i < n.inputs.size(); ++i) {
      const std::optional<double> v = m_.scalar(n.inputs[i]);
      if (n.inputs[i] != kAbsent && !v) return false;
      if (v) *(i == 1 ? lo : hi) = static_cast<float>(*v);
    }
    return true;
  }

  // p, with `n` in its place, which gives what `to` says.
  Result<bool> product(const IrNode& p, IrNode& n, const Quantized& to) {
    if (!p.domain.empty() || p.inputs.empty()) return false;
    OL_ASSIGN(const Maybe a, dequantized(p.inputs[0]));
    if (!a) return false;
    if (p.op_type == "Conv") return conv(p, n, *a, to);
    if (p.op_type == "MatMul") return matmul(p, n, *a, to);
    if (p.op_type == "Gemm") return gemm(p, n, *a, to);
    if (a->type != to.type) return false;
    if (p.op_type == "Add") return binary("QLinearAdd", p, n, *a, to);
    if (p.op_type == "Mul") return binary("QLinearMul", p, n, *a, to);
    return unary(p, n, *a, to);
  }

  Result<bool> binary(std::string_view name, const IrNode& p, IrNode& n, const Quantized& a, const Quantized& to) {
    OL_ASSIGN(const Maybe b, dequantized(p.inputs[1]));
    if (!b || b->type != to.type || p.find("broadcast") != nullptr) return false;
    return m_.become(n, name, 1, kMicrosoft,
                     {a.value, a.scale, a.zero, b->value, b->scale, b->zero, to.scale, to.zero});
  }

  Result<bool> unary(const IrNode& p, IrNode& n, const Quantized& a, const Quantized& to) {
    std::vector<Attribute> attributes = p.attributes;
    std::vector<int64_t> axes;
    if (p.op_type == "ReduceMean") {
      const Tensor* given = m_.graph().constant(Matcher::input(p, 1));
      if (given == nullptr) return false;
      OL_ASSIGN(axes, to_ints(*given, "axes"));
      if (axes.empty()) return false;
    } else if (p.op_type == "AveragePool") {
      const Attribute* dilations = p.find("dilations");
      if (dilations != nullptr &&
          std::any_of(dilations->ints.begin(), dilations->ints.end(), [](int64_t d) { return d != 1; }))
        return false;
    } else if (p.op_type != "GlobalAveragePool" && p.op_type != "Softmax") {
      return false;
    }
    const int version = p.since_version();
    const int64_t keepdims = int_attribute(p, "keepdims", 1), axis = int_attribute(p, "axis", version < 13 ? 1 : -1);
    static constexpr std::array<std::array<std::string_view, 2>, 4> kNames{
        {{"ReduceMean", "QLinearReduceMean"},
         {"AveragePool", "QLinearAveragePool"},
         {"GlobalAveragePool", "QLinearGlobalAveragePool"},
         {"Softmax", "QLinearSoftmax"}}};
    const auto name = std::find_if(kNames.begin(), kNames.end(), [&](const auto& k) { return k[0] == p.op_type; });
    if (!m_.become(n, (*name)[1], 1, kMicrosoft, {a.value, a.scale, a.zero, to.scale, to.zero})) return false;
    if ((*name)[0] == "AveragePool") {
      n.attributes = std::move(attributes);
      Matcher::unset(n, "dilations");
    } else if ((*name)[0] == "ReduceMean") {
      Matcher::set(n, "axes", std::move(axes));
      Matcher::set(n, "keepdims", keepdims);
    } else if ((*name)[0] == "Softmax") {
      Matcher::set(n, "axis", axis);
      Matcher::set(n, "opset", int64_t{version});
    }
    return true;
  }

  // B of a product: one scale for all or, where B is known, one per index of `axis`.
  Result<Maybe> weights(ValueId id, int axis) {
    const IrNode* n = m_.producer(id, "DequantizeLinear");
    if (n == nullptr) return Maybe();
    const Tensor *w = m_.graph().constant(n->inputs[0]), *scale = m_.graph().constant(n->inputs[1]);
    if (w == nullptr || scale == nullptr || scale->size() == 1) return parameters(*n, n->inputs[0]);
    const ValueId zero = Matcher::input(*n, 2);
    const Tensor* zeros = m_.graph().constant(zero);
    const int rank = w->rank(), at = axis < 0 ? axis + rank : axis;
    int64_t given = int_attribute(*n, "axis", 1);
    given = given < 0 ? given + rank : given;
    if (!is_byte(w->dtype()) || scale->dtype() != DType::kFloat || scale->rank() != 1 || given != at || at >= rank ||
        scale->dim(0) != w->dim(at) || int_attribute(*n, "block_size", 0) != 0 || m_.dtype(id) != DType::kFloat ||
        (zero != kAbsent && (zeros == nullptr || zeros->size() != scale->size()))) {
      return Maybe();
    }
    Quantized q{n->inputs[0], n->inputs[1], zero, 0, 0, w->dtype()};
    if (zero == kAbsent) {
      OL_ASSIGN(q.zero, m_.add_number("zero_point", 0, q.type, Shape{}, pool_));
    }
    return Maybe(q);
  }

  // The bias of a product as whole numbers of its scale: those the model has, or its floats rounded.
  Result<bool> bias(ValueId id, const Quantized& a, const Quantized& b, ValueId* out) {
    *out = kAbsent;
    if (id == kAbsent) return true;
    const Tensor *scale = m_.graph().constant(b.scale), *real = m_.graph().constant(id), *whole = nullptr,
                 *units = nullptr;
    if (const IrNode* n = m_.producer(id, "DequantizeLinear")) {
      whole = m_.graph().constant(n->inputs[0]);
      units = m_.graph().constant(n->inputs[1]);
      if (whole == nullptr || units == nullptr || whole->dtype() != DType::kInt32) return false;
      if (units->dtype() != DType::kFloat || (units->size() != 1 && units->size() != whole->size())) return false;
      const Tensor* zeros = m_.graph().constant(Matcher::input(*n, 2));
      for (int64_t i = 0; zeros != nullptr && i < zeros->size(); ++i) {
        if (zeros->data<int32_t>()[i] != 0) return false;
      }
    } else if (real == nullptr || real->dtype() != DType::kFloat) {
      return false;
    }
    const Tensor& given = whole != nullptr ? *whole : *real;
    const int64_t n = given.size();
    if (given.rank() != 1 || scale == nullptr || (scale->size() != 1 && scale->size() != n)) return false;
    const auto at = [](const Tensor& t, int64_t i) {
      return static_cast<double>(t.data<float>()[t.size() == 1 ? 0 : i]);
    };
    OL_ASSIGN(Tensor rounded, Tensor::allocate(pool_, DType::kInt32, given.shape()));
    bool fits = true;
    for (int64_t i = 0; i < n; ++i) {
      const double unit = static_cast<double>(a.s) * at(*scale, i);
      if (whole != nullptr && close(at(*units, i), unit)) {
        rounded.mutable_data<int32_t>()[i] = whole->data<int32_t>()[i];
        continue;
      }
      const double value =
          whole != nullptr ? static_cast<double>(whole->data<int32_t>()[i]) * at(*units, i) : at(*real, i);
      const double v = std::nearbyint(value / unit);
      fits = fits && std::fabs(v) < 0x1p30;
      rounded.mutable_data<int32_t>()[i] = fits ? static_cast<int32_t>(v) : 0;
    }
    if (!fits) return false;
    *out = m_.add_constant("bias", std::move(rounded));
    return true;
  }

  Result<bool> conv(const IrNode& p, IrNode& n, const Quantized& x, const Quantized& to) {
    OL_ASSIGN(const Maybe w, weights(p.inputs[1], 0));
    if (!w) return false;
    std::vector<ValueId> inputs{x.value, x.scale, x.zero, w->value, w->scale, w->zero, to.scale, to.zero};
    ValueId b = kAbsent;
    OL_ASSIGN(const bool fits, bias(Matcher::input(p, 2), x, *w, &b));
    if (!fits) return false;
    if (b != kAbsent) inputs.push_back(b);
    const std::vector<Attribute> attributes = p.attributes;
    if (!m_.become(n, "QLinearConv", 10, {}, std::move(inputs))) return false;
    n.attributes = attributes;
    return true;
  }

  Result<bool> matmul(const IrNode& p, IrNode& n, const Quantized& a, const Quantized& to) {
    OL_ASSIGN(const Maybe b, weights(p.inputs[1], -1));
    return b && m_.become(n, "QLinearMatMul", 10, {},
                          {a.value, a.scale, a.zero, b->value, b->scale, b->zero, to.scale, to.zero});
  }

  Result<bool> gemm(const IrNode& p, IrNode& n, const Quantized& a, const Quantized& to) {
    const int64_t trans_a = int_attribute(p, "transA", 0), trans_b = int_attribute(p, "transB", 0);
    OL_ASSIGN(const Maybe b, weights(p.inputs[1], trans_b != 0 ? 0 : 1));
    if (!b || float_attribute(p, "alpha", 1) != 1 || float_attribute(p, "beta", 1) != 1) return false;
    ValueId c = kAbsent;
    OL_ASSIGN(const bool fits, bias(Matcher::input(p, 2), a, *b, &c));
    if (!fits || !m_.become(n, "QGemm", 1, kMicrosoft,
                            {a.value, a.scale, a.zero, b->value, b->scale, b->zero, c, to.scale, to.zero}))
      return false;
    Matcher::set(n, "transA", trans_a);
    Matcher::set(n, "transB", trans_b);
    return true;
  }

  Matcher& m_;
  Pool& pool_;
};

Result<bool> from_quantize(Matcher& m, IrNode& n, Pool& pool) { return Rewriter(m, pool).quantize(n); }

constexpr Rule kRules[] = {{"QuantizeLinear", from_quantize}};

}  // namespace

Result<bool> fuse_qdq(IrGraph& graph, Pool& pool) {
  static constexpr std::string_view kParameters[] = {"Constant", "Identity", "QuantizeLinear"};
  OL_ASSIGN(const bool folded, fold_only(graph, pool, kParameters));
  OL_ASSIGN(const bool fused, apply_rules(graph, pool, kRules));
  return folded || fused;
}

}  // namespace onnxlet
