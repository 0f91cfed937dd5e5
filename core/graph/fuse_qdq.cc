// Regions of 8-bit numbers that a model describes by DequantizeLinear - float operators - QuantizeLinear: the operators
// become those that take and give 8 bits.
//
// Products and ReduceMean are exact integers that are scaled once, so a result may differ from the float operators' by
// one where those rounded on the way. All else has the same bits: sums, pools and Softmax compute what the float
// operators do, functions of one value are computed by them at load, for all 256 bytes, and what moves numbers moves
// bytes.
#include <algorithm>
#include <cmath>

#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int kBytes = 256;

bool is_byte(DType t) { return t == DType::kInt8 || t == DType::kUint8; }

// 8-bit numbers (or weights, perhaps with a scale and a zero point per column) and what they stand for.
struct Quantized {
  ValueId value = kAbsent, scale = kAbsent, zero = kAbsent;
  float s = 0;
  int32_t z = 0;
  DType type = DType::kUndefined;

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
    const bool done = rewrite(n);
    if (!failure_.ok()) return std::move(failure_);
    return done;
  }

 private:
  bool rewrite(IrNode& n) {
    Quantized to;
    if (!parameters(n, n.outputs[0], &to)) return false;
    if (tabulate(n, to)) return true;
    IrNode* p = m_.producer(n.inputs[0]);
    if (p == nullptr || !p->subgraphs.empty() || !failure_.ok()) return false;
    if (move(*p)) return true;
    if (m_.readers(n.inputs[0]) != 1) return false;
    float lo = 0, hi = 0;
    if (!bounds(*p, &lo, &hi)) return compute(*p, n, to);
    IrNode* source = m_.producer(p->inputs[0]);
    if (source == nullptr || m_.readers(p->inputs[0]) != 1) return false;
    const int32_t low = to.of(lo), high = to.of(hi);
    if (low == to.lowest() && high == to.lowest() + 255) return compute(*source, n, to);
    // The bounds' roundings bound the rounded numbers.
    IrNode& clip = *p;
    if (!compute(*source, clip, to)) return false;
    m_.graph().value(clip.outputs[0]).type = ValueType::tensor(to.type);
    inputs_ = {clip.outputs[0], number(low, to.type), number(high, to.type)};
    return become(n, "Clip", 13, {});
  }

  // ---- helpers. A failure to allocate is kept for quantize() to report.

  template <class T>
  T take(Result<T> r) {
    if (r.ok()) return r.take();
    failure_ = r.status();
    return T();
  }
  ValueId number(int32_t value, DType type) {
    Result<ValueId> id = m_.add_number("zero_point", value, type, Shape{}, pool_);
    if (id.ok()) return id.value();
    failure_ = id.status();
    return kAbsent;
  }
  // The three inputs that quantized operators have of a tensor.
  void add(const Quantized& q) {
    inputs_.push_back(q.value);
    add_parameters(q);
  }
  void add_parameters(const Quantized& q) {
    inputs_.push_back(q.scale);
    inputs_.push_back(q.zero != kAbsent ? q.zero : number(0, q.type));
  }
  // n becomes that operator on inputs_, with the attributes of `like`.
  bool become(IrNode& n, std::string_view name, int opset, std::string_view domain, const IrNode* like = nullptr) {
    std::vector<Attribute> attributes;
    if (like != nullptr) attributes = like->attributes;
    if (!failure_.ok() || !m_.become(n, name, opset, domain, std::move(inputs_))) return false;
    n.attributes = std::move(attributes);
    return true;
  }
  bool become_table(IrNode& n, ValueId bytes, Tensor table) {
    if (!failure_.ok()) return false;
    inputs_ = {bytes, m_.add_constant("table", std::move(table))};
    return become(n, "ByteTable", 1, "onnxlet");
  }
  const Tensor* constant(ValueId id) { return m_.graph().constant(id); }

  // One scale and one zero point, of a QuantizeLinear or DequantizeLinear whose 8-bit side is `bytes`.
  bool parameters(const IrNode& n, ValueId bytes, Quantized* q) {
    *q = {bytes, Matcher::input(n, 1), Matcher::input(n, 2), 0, 0, m_.dtype(bytes)};
    const std::optional<double> scale = m_.scalar(q->scale), zero = m_.scalar(q->zero);
    if (!is_byte(q->type) || !scale || !(*scale > 0) || m_.dtype(q->scale) != DType::kFloat) return false;
    if (int_attribute(n, "block_size", 0) != 0 || int_attribute(n, "precision", 1) > 1) return false;
    const ValueId real = n.op_type == "QuantizeLinear" ? n.inputs[0] : n.outputs[0];
    if (m_.dtype(real) != DType::kFloat || (q->zero != kAbsent && !zero)) return false;
    q->s = static_cast<float>(*scale);
    q->z = zero ? static_cast<int32_t>(*zero) : 0;
    return true;
  }
  bool dequantized(ValueId id, Quantized* q) {
    const IrNode* n = m_.producer(id, "DequantizeLinear");
    return n != nullptr && parameters(*n, n->inputs[0], q);
  }

  // ---- functions of one value

  // The nodes that compute `id` from one dequantized value, the first of them, and scalars.
  bool collect(ValueId id, int depth, std::vector<const IrNode*>* nodes, int* rank) {
    constexpr int kDeepest = 8;
    if (id == kAbsent) return true;
    if (const Tensor* c = constant(id)) {
      *rank = std::max(*rank, c->rank());
      return c->size() == 1;
    }
    const IrNode* n = m_.producer(id);
    if (n == nullptr || n->row == nullptr || depth > kDeepest) return false;
    if (std::find(nodes->begin(), nodes->end(), n) != nodes->end()) return true;
    if (is_op(*n, "DequantizeLinear")) {
      nodes->push_back(n);
      return nodes->size() == 1 && constant(n->inputs[0]) == nullptr;
    }
    if ((n->row->flags & kElementwise) == 0 || n->outputs.size() != 1 || n->find("broadcast") != nullptr) return false;
    for (ValueId in : n->inputs) {
      if (!collect(in, depth + 1, nodes, rank)) return false;
    }
    nodes->push_back(n);
    return true;
  }

  bool tabulate(IrNode& n, const Quantized& to) {
    std::vector<const IrNode*> nodes;
    int rank = 0;
    if (!collect(n.inputs[0], 0, &nodes, &rank) || nodes.empty() || !is_op(*nodes[0], "DequantizeLinear")) return false;
    Quantized from;
    if (!dequantized(nodes[0]->outputs[0], &from) || rank > m_.least_rank(nodes[0]->outputs[0])) return false;
    if (nodes.size() == 1 && from.same(to)) {
      m_.bypass(n, from.value);
      return true;
    }
    nodes.push_back(&n);
    std::vector<Value> results{Value(every_byte(from.type))};  // of the bytes, and of each node
    for (const IrNode* node : nodes) {
      if (!failure_.ok()) return false;
      std::vector<Value> inputs;
      for (ValueId id : node->inputs) {
        size_t known = 0;
        for (size_t i = 1; i < results.size(); ++i) {
          if (nodes[i - 1]->outputs[0] == id) known = i;
        }
        if (known != 0 || id == from.value) {
          inputs.push_back(results[known]);
        } else {
          inputs.push_back(id == kAbsent ? Value() : Value(*constant(id)));
        }
      }
      Result<std::vector<Value>> outputs = evaluate(*node, inputs, pool_);
      if (!outputs.ok()) return false;  // it fails again when it runs, with its place in the model named
      results.push_back(outputs.value()[0]);
    }
    const Value& table = results.back();
    return table.is_tensor() && table.tensor().size() == kBytes && become_table(n, from.value, table.tensor());
  }

  Tensor every_byte(DType type) {
    Tensor all = take(Tensor::allocate(pool_, type, Shape{kBytes}));
    for (int i = 0; all.valid() && i < kBytes; ++i) all.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i);
    return all;
  }

  // ---- what moves numbers

  // The node moves bytes, and the QuantizeLinear nodes behind it go, or become tables.
  bool move(IrNode& p) {
    static constexpr std::string_view kMoves[] = {
        "Reshape",  "Transpose",    "Flatten",      "Squeeze", "Unsqueeze", "Slice", "Gather", "Expand",
        "Identity", "DepthToSpace", "SpaceToDepth", "Split",   "MaxPool",   "Pad",   "Resize", "Tile"};
    Quantized from, to;
    if (!p.domain.empty() || std::find(std::begin(kMoves), std::end(kMoves), p.op_type) == std::end(kMoves))
      return false;
    if (!dequantized(p.inputs[0], &from) || p.schema == nullptr) return false;
    if (!allows(p.schema->types[p.schema->inputs[0].type], ValueType::tensor(from.type))) return false;
    const Attribute* mode = p.find("mode");
    if (p.op_type == "Resize" && mode != nullptr && mode->s != "nearest") return false;
    if (p.op_type == "MaxPool" && p.outputs.size() > 1) return false;
    for (ValueId out : p.outputs) {
      const IrNode* q = out != kAbsent ? m_.only_reader(out) : nullptr;
      if (q == nullptr || !is_op(*q, "QuantizeLinear") || q->inputs[0] != out) return false;
      if (!parameters(*q, q->outputs[0], &to)) return false;
    }
    inputs_ = p.inputs;
    inputs_[0] = from.value;
    if (p.op_type == "Pad" && (mode == nullptr || mode->s == "constant")) {
      const ValueId filler = Matcher::input(p, 2);
      if (filler != kAbsent && m_.scalar(filler) != 0.0) return false;
      inputs_.resize(std::max<size_t>(inputs_.size(), 3), kAbsent);
      inputs_[2] = number(from.z, from.type);
    }
    m_.reconnect(p, std::move(inputs_));
    for (ValueId out : p.outputs) {
      IrNode& q = *m_.only_reader(out);
      parameters(q, q.outputs[0], &to);
      m_.graph().value(out).type = ValueType::tensor(from.type);
      if (from.same(to)) {
        m_.bypass(q, out);
        continue;
      }
      Tensor table = every_byte(to.type);
      for (int i = 0; table.valid() && i < kBytes; ++i) {
        const int32_t whole = from.type == DType::kInt8 ? static_cast<int8_t>(i) : i;
        table.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(to.of(static_cast<float>(whole - from.z) * from.s));
      }
      if (!become_table(q, out, std::move(table))) return false;
    }
    return true;
  }

  // ---- what computes

  bool bounds(const IrNode& n, float* lo, float* hi) {
    if (!is_op(n, "Relu") && !is_op(n, "Clip")) return false;
    *lo = n.op_type == "Relu" ? 0 : -INFINITY;
    *hi = INFINITY;
    for (size_t i = 1; i < n.inputs.size(); ++i) {
      const std::optional<double> v = m_.scalar(n.inputs[i]);
      if (n.inputs[i] != kAbsent && !v) return false;
      if (v) *(i == 1 ? lo : hi) = static_cast<float>(*v);
    }
    return true;
  }

  // n becomes p in 8 bits, with the result that `to` says.
  bool compute(const IrNode& p, IrNode& n, const Quantized& to) {
    Quantized a;
    if (!p.domain.empty() || p.inputs.empty()) return false;
    inputs_.clear();
    if (p.op_type == "Concat") return concat(p, n, to);
    if (!dequantized(p.inputs[0], &a)) return false;
    add(a);
    if (p.op_type == "Conv" || p.op_type == "MatMul" || p.op_type == "Gemm") return product(p, n, a, to);
    if (a.type != to.type) return false;
    if (p.op_type != "Add" && p.op_type != "Mul") return unary(p, n, to);
    Quantized b;
    if (!dequantized(p.inputs[1], &b) || b.type != to.type || p.find("broadcast") != nullptr) return false;
    add(b);
    add_parameters(to);
    return become(n, p.op_type == "Add" ? "QLinearAdd" : "QLinearMul", 1, kMicrosoft);
  }

  bool concat(const IrNode& p, IrNode& n, const Quantized& to) {
    std::vector<ValueId> plain;
    bool same = true;
    add_parameters(to);
    for (ValueId id : p.inputs) {
      Quantized from;
      if (!dequantized(id, &from)) return false;
      same = same && from.same(to);
      plain.push_back(from.value);
      add(from);
    }
    if (!same) return become(n, "QLinearConcat", 1, kMicrosoft, &p);
    inputs_ = std::move(plain);
    return become(n, "Concat", p.opset, {}, &p);
  }

  bool unary(const IrNode& p, IrNode& n, const Quantized& to) {
    add_parameters(to);
    if (p.op_type == "GlobalAveragePool") return become(n, "QLinearGlobalAveragePool", 1, kMicrosoft);
    if (p.op_type == "AveragePool") {
      const Attribute* dilations = p.find("dilations");
      for (size_t i = 0; dilations != nullptr && i < dilations->ints.size(); ++i) {
        if (dilations->ints[i] != 1) return false;
      }
      if (!become(n, "QLinearAveragePool", 1, kMicrosoft, &p)) return false;
      Matcher::unset(n, "dilations");
      return true;
    }
    if (p.op_type == "ReduceMean") {
      const Tensor* given = constant(Matcher::input(p, 1));
      if (given == nullptr || given->size() == 0) return false;
      std::vector<int64_t> axes = take(to_ints(*given, "axes"));
      const int64_t keepdims = int_attribute(p, "keepdims", 1);
      if (!become(n, "QLinearReduceMean", 1, kMicrosoft)) return false;
      Matcher::set(n, "axes", std::move(axes));
      Matcher::set(n, "keepdims", keepdims);
      return true;
    }
    const int64_t version = p.since_version(), axis = int_attribute(p, "axis", version < 13 ? 1 : -1);
    if (p.op_type != "Softmax" || !become(n, "QLinearSoftmax", 1, kMicrosoft)) return false;
    Matcher::set(n, "axis", axis);
    Matcher::set(n, "opset", version);
    return true;
  }

  // B of a product: one scale for all or, where B is known, one per index of `axis`.
  bool weights(ValueId id, int axis, Quantized* q) {
    const IrNode* n = m_.producer(id, "DequantizeLinear");
    if (n == nullptr) return false;
    const Tensor *w = constant(n->inputs[0]), *scale = constant(n->inputs[1]);
    if (w == nullptr || scale == nullptr || scale->size() == 1) return parameters(*n, n->inputs[0], q);
    const ValueId zero = Matcher::input(*n, 2);
    const Tensor* zeros = constant(zero);
    const int64_t rank = w->rank(), at = axis < 0 ? axis + rank : axis, given = int_attribute(*n, "axis", 1);
    *q = {n->inputs[0], n->inputs[1], zero, 0, 0, w->dtype()};
    return is_byte(q->type) && scale->dtype() == DType::kFloat && scale->rank() == 1 &&
           (given < 0 ? given + rank : given) == at && at < rank && scale->dim(0) == w->shape()[static_cast<int>(at)] &&
           int_attribute(*n, "block_size", 0) == 0 && m_.dtype(id) == DType::kFloat &&
           (zero == kAbsent || (zeros != nullptr && zeros->size() == scale->size()));
  }

  // The bias of a product as whole numbers of its scale: those the model has, or its floats rounded.
  bool bias(ValueId id, float a_scale, const Tensor* scale, ValueId* out) {
    *out = kAbsent;
    if (id == kAbsent) return true;
    const Tensor *given = constant(id), *units = nullptr;
    if (const IrNode* n = m_.producer(id, "DequantizeLinear")) {
      given = constant(n->inputs[0]);
      units = constant(n->inputs[1]);
      const Tensor* zeros = constant(Matcher::input(*n, 2));
      if (given == nullptr || units == nullptr || given->dtype() != DType::kInt32) return false;
      if (units->dtype() != DType::kFloat || (units->size() != 1 && units->size() != given->size())) return false;
      for (int64_t i = 0; zeros != nullptr && i < zeros->size(); ++i) {
        if (zeros->data<int32_t>()[i] != 0) return false;
      }
    } else if (given == nullptr || given->dtype() != DType::kFloat) {
      return false;
    }
    const int64_t n = given->size();
    if (given->rank() != 1 || scale == nullptr || (scale->size() != 1 && scale->size() != n)) return false;
    Tensor rounded = take(Tensor::allocate(pool_, DType::kInt32, given->shape()));
    if (!rounded.valid()) return false;
    const auto at = [](const Tensor& t, int64_t i) { return double{t.data<float>()[t.size() == 1 ? 0 : i]}; };
    for (int64_t i = 0; i < n; ++i) {
      const double unit = double{a_scale} * at(*scale, i);
      double v;
      if (units == nullptr) {
        v = double{given->data<float>()[i]} / unit;
      } else {
        v = given->data<int32_t>()[i];
        if (!close(at(*units, i), unit)) v *= at(*units, i) / unit;
      }
      if (!(std::fabs(v) < 0x1p31 - 1)) return false;
      rounded.mutable_data<int32_t>()[i] = static_cast<int32_t>(std::nearbyint(v));
    }
    *out = m_.add_constant("bias", std::move(rounded));
    return true;
  }

  bool product(const IrNode& p, IrNode& n, const Quantized& a, const Quantized& to) {
    const bool conv = p.op_type == "Conv", gemm = p.op_type == "Gemm";
    const int64_t trans_a = int_attribute(p, "transA", 0), trans_b = int_attribute(p, "transB", 0);
    if (gemm && (float_attribute(p, "alpha", 1) != 1 || float_attribute(p, "beta", 1) != 1)) return false;
    Quantized b;
    ValueId whole = kAbsent;
    if (!weights(p.inputs[1], conv ? 0 : gemm ? trans_b == 0 : -1, &b)) return false;
    if (!bias(Matcher::input(p, 2), a.s, constant(b.scale), &whole)) return false;
    add(b);
    if (gemm) inputs_.push_back(whole);
    add_parameters(to);
    if (conv && whole != kAbsent) inputs_.push_back(whole);
    if (conv) return become(n, "QLinearConv", 10, {}, &p);
    if (!gemm) return become(n, "QLinearMatMul", 10, {});
    if (!become(n, "QGemm", 1, kMicrosoft)) return false;
    Matcher::set(n, "transA", trans_a);
    Matcher::set(n, "transB", trans_b);
    return true;
  }

  Matcher& m_;
  Pool& pool_;
  Status failure_;
  std::vector<ValueId> inputs_;
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
