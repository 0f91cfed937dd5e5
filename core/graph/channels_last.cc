// The layout pass: convolutions and what surrounds them work on [N, space..., C], where a pixel's channels lie next to
// each other, instead of ONNX's [N, C, space...]. Values of a region exist in their channels-last form only; a
// Transpose stands where something outside of it needs the other form.
//
// A region begins at a convolution with constant weights and goes on through operators that have a channels-last form
// (kChannelsLast), that work element by element (kElementwise), or whose axes can be renumbered.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "graph/passes.h"
#include "graph/ranks.h"
#include "kernels/move.h"
#include "ops/table.h"

namespace onnxlet {
namespace {

constexpr int kOpset = 13;  // of the nodes this pass adds
constexpr int kNoRank = -1;

// Position in [N, space..., C] of axis `axis` of [N, C, space...].
int64_t last_axis(int64_t axis, int rank) { return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1; }
// The `perm` of a Transpose into the channels-last form: axis i of the result is axis perm[i] of its input.
std::vector<int64_t> perm_to_last(int rank) {
  std::vector<int64_t> perm{0};
  for (int i = 2; i < rank; ++i) perm.push_back(i);
  perm.push_back(1);
  return perm;
}
std::vector<int64_t> perm_to_first(int rank) {
  std::vector<int64_t> perm{0, rank - 1};
  for (int i = 1; i < rank - 1; ++i) perm.push_back(i);
  return perm;
}
bool identity(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Layout {
 public:
  Layout(IrGraph& graph, Pool& pool) : graph_(graph), pool_(pool), ranks_(infer_ranks(graph).exact) {
    states_.resize(graph.values.size());
    transposes_.assign(graph.values.size(), -1);
  }

  Result<bool> run() {
    std::vector<IrNode> old = std::move(graph_.nodes);
    for (IrNode& n : old) {
      for (ValueId& id : n.inputs) {
        if (id != kAbsent) id = resolve(id);
      }
      for (IrSubgraph& s : n.subgraphs) {
        for (Capture& c : s.graph->captures) c.outer = resolve(c.outer);
      }
      OL_ASSIGN(const bool done, convert(n));
      if (done) continue;
      for (ValueId id : n.inputs) need_first(id, n);
      for (IrSubgraph& s : n.subgraphs) {
        for (Capture& c : s.graph->captures) need_first(c.outer, n);
      }
      push(std::move(n));
    }
    for (ValueId& id : graph_.outputs) {
      if (id == kAbsent) continue;
      id = resolve(id);
      if (state(id).last_only) need_first(id, nodes_.back());
    }
    graph_.nodes = std::move(nodes_);
    return changed_;
  }

 private:
  struct State {
    int rank = kNoRank;
    ValueId last = kAbsent;  // the value in channels-last form, once it exists
    bool last_only = false;  // nothing computes the value itself
    ValueId same_as = kAbsent;
  };

  State& state(ValueId id) {
    if (static_cast<size_t>(id) >= states_.size()) {
      states_.resize(graph_.values.size());
      transposes_.resize(graph_.values.size(), -1);
    }
    return states_[static_cast<size_t>(id)];
  }
  ValueId resolve(ValueId id) {
    while (state(id).same_as != kAbsent) id = state(id).same_as;
    return id;
  }

  void push(IrNode n) {
    if (is_transpose(n)) {
      state(n.outputs[0]);
      transposes_[static_cast<size_t>(n.outputs[0])] = static_cast<int>(nodes_.size());
    }
    nodes_.push_back(std::move(n));
  }
  static bool is_transpose(const IrNode& n) {
    return !n.custom && n.domain.empty() && n.op_type == "Transpose" && n.outputs.size() == 1 &&
           n.outputs[0] != kAbsent;
  }
  static std::vector<int64_t> ints(const IrNode& n, std::string_view name) {
    const Attribute* a = n.find(name);
    return a != nullptr ? a->ints : std::vector<int64_t>{};
  }
  static void set_int(IrNode& n, std::string_view name, int64_t value) {
    std::erase_if(n.attributes, [&](const Attribute& a) { return a.name == name; });
    Attribute a;
    a.name = name;
    a.type = Attribute::Type::kInt;
    a.i = value;
    n.attributes.push_back(std::move(a));
  }
  static void set_ints(IrNode& n, std::string_view name, std::vector<int64_t> values) {
    std::erase_if(n.attributes, [&](const Attribute& a) { return a.name == name; });
    Attribute a;
    a.name = name;
    a.type = Attribute::Type::kInts;
    a.ints = std::move(values);
    n.attributes.push_back(std::move(a));
  }
  static IrNode make(std::string_view op_type, std::vector<ValueId> inputs, ValueId output, const IrNode& near) {
    IrNode n;
    n.name = near.name;
    n.path = near.path;
    n.op_type = op_type;
    n.opset = kOpset;
    n.schema = find_schema("", op_type, kOpset);
    n.row = find_op("", op_type, kOpset);
    n.inputs = std::move(inputs);
    n.outputs = {output};
    return n;
  }
  ValueId add_transpose(ValueId from, ValueId to, std::vector<int64_t> perm, const IrNode& near) {
    IrNode n = make("Transpose", {from}, to, near);
    set_ints(n, "perm", std::move(perm));
    push(std::move(n));
    return to;
  }
  ValueId new_value(ValueId like) {
    const ValueId id = graph_.add_value(graph_.value(like).name);
    graph_.value(id).type = graph_.value(like).type;
    state(id);
    return id;
  }

  // The value in channels-last form: known, or the input of a Transpose that made it, or by a new Transpose.
  ValueId last(ValueId id, int rank, const IrNode& near) {
    if (state(id).last != kAbsent) return state(id).last;
    state(id).rank = rank;
    const int t = transposes_[static_cast<size_t>(id)];
    if (t >= 0 && ints(nodes_[static_cast<size_t>(t)], "perm") == perm_to_first(rank)) {
      state(id).last = nodes_[static_cast<size_t>(t)].inputs[0];
    } else {
      const ValueId to = new_value(id);
      state(id).last = add_transpose(id, to, perm_to_last(rank), near);
    }
    return state(id).last;
  }

  // A node outside of every region reads the value.
  void need_first(ValueId id, const IrNode& near) {
    if (id == kAbsent || !state(id).last_only) return;
    add_transpose(state(id).last, id, perm_to_first(state(id).rank), near);
    state(id).last_only = false;
  }

  void make_last(ValueId* id, int rank) {
    const ValueId to = new_value(*id);
    state(*id) = {rank, to, true, kAbsent};
    *id = to;
  }

  Result<ValueId> add_constant(Tensor t, ValueId like) {
    const ValueId id = new_value(like);
    graph_.value(id).constant = std::move(t);
    return id;
  }
  Result<ValueId> int64_constant(std::span<const int64_t> values, ValueId like) {
    OL_ASSIGN(Tensor t, Tensor::allocate(pool_, DType::kInt64, Shape{static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), t.mutable_data<int64_t>());
    return add_constant(std::move(t), like);
  }

  // ---- one node

  Result<bool> convert(IrNode& n) {
    if (n.custom || !n.subgraphs.empty() || n.outputs.empty() || n.outputs[0] == kAbsent) return false;
    const OpRow* row = n.row;
    if (row == nullptr || n.inputs.empty() || n.inputs[0] == kAbsent) return false;
    if (one_of(n.op_type, {"Conv", "FusedConv", "ConvInteger"})) return convolution(n, 1);
    if (trim::keeps_operators("QLinear") && n.op_type == "QLinearConv") return convolution(n, 3);
    if (one_of(n.op_type, {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ByteTable", "QLinearSigmoid",
                           "QLinearLeakyRelu"})) {
      return by_value(n);
    }
    if ((row->flags & kElementwise) != 0) return elementwise(n);
    const int rank = state(n.inputs[0]).last != kAbsent ? state(n.inputs[0]).rank : kNoRank;
    if (trim::keeps_operators("Concat") && n.op_type == "Concat" && n.domain.empty()) return concat(n, 0, 1);
    if (trim::keeps_operators("QLinearConcat") && n.op_type == "QLinearConcat") return concat(n, 2, 3);
    if (rank == kNoRank) return false;
    if ((row->flags & kChannelsLast) != 0) return window(n, rank);
    if (!n.domain.empty()) return false;
    if (n.op_type == "Transpose") return transpose(n, rank);
    if (trim::keeps_operators("Shape") && n.op_type == "Shape") return shape(n, rank);
    if (trim::keeps_operators("Reduce") && n.op_type.starts_with("Reduce")) return reduce(n, rank);
    if (one_of(n.op_type, {"Softmax", "LogSoftmax"}) && n.since_version() >= 13) return along_axis(n, rank, -1);
    if (trim::keeps_operators("Split") && n.op_type == "Split") return along_axis(n, rank, 0);
    if (trim::keeps_operators("Slice") && n.op_type == "Slice") return slice(n, rank);
    if (trim::keeps_operators("Pad") && n.op_type == "Pad") return pad(n, rank);
    if (trim::keeps_operators("Resize") && n.op_type == "Resize") return resize(n, rank);
    return false;
  }

  Result<bool> convolution(IrNode& n, size_t weights) {
    const Tensor* w = n.inputs.size() > weights ? graph_.constant(n.inputs[weights]) : nullptr;
    // The channels-last kernels compute in float, or in 8 bits.
    if (w == nullptr || w->rank() < 3 || w->dtype() == DType::kDouble || graph_.constant(n.inputs[0])) return false;
    if (says_layout(n)) return false;
    const int rank = w->rank();
    const ValueId residual = n.op_type == "FusedConv" && n.inputs.size() > 3 ? n.inputs[3] : kAbsent;
    if (residual != kAbsent && state(residual).rank != rank) return false;
    n.inputs[0] = last(n.inputs[0], rank, n);
    if (residual != kAbsent) n.inputs[3] = last(residual, rank, n);
    return finish_window(n, rank);
  }

  // onnxruntime's quantized operators may be channels-last by themselves.
  static bool says_layout(const IrNode& n) {
    const Attribute* a = n.find("channels_last");
    return a != nullptr && a->i != 0;
  }

  // A function of each element of input 0, whatever the other inputs say as long as they say it of all.
  Result<bool> by_value(IrNode& n) {
    const State& x = state(n.inputs[0]);
    if (x.last == kAbsent) return false;
    for (size_t i = 1; i < n.inputs.size() && n.op_type != "ByteTable"; ++i) {
      if (n.inputs[i] == kAbsent) continue;
      const Tensor* c = graph_.constant(n.inputs[i]);
      if (c == nullptr || c->size() != 1) return false;
    }
    const int rank = x.rank;
    n.inputs[0] = x.last;
    make_last(&n.outputs[0], rank);  // others, of DynamicQuantizeLinear, are scalars
    changed_ = true;
    push(std::move(n));
    return true;
  }

  Result<bool> window(IrNode& n, int rank) {
    if (says_layout(n)) return false;
    for (size_t i = 1; i < n.outputs.size(); ++i) {
      if (n.outputs[i] != kAbsent) return false;  // indices of MaxPool, statistics of BatchNormalization
    }
    // The channels-last pools compute in float, and a Cast inside the region may have made doubles.
    if (graph_.value(n.inputs[0]).type.dtype == DType::kDouble) return false;
    // What BatchNormalization does besides scaling: in training, or element by element ("spatial" is 0).
    const Attribute *training = n.find("training_mode"), *spatial = n.find("spatial");
    if ((training != nullptr && training->i != 0) || (spatial != nullptr && spatial->i == 0)) return false;
    n.inputs[0] = state(n.inputs[0]).last;
    return finish_window(n, rank);
  }

  bool finish_window(IrNode& n, int rank) {
    n.channels_last = true;
    return finish(n, rank);
  }
  // All outputs are channels-last now.
  bool finish(IrNode& n, int rank) {
    for (ValueId& id : n.outputs) {
      if (id != kAbsent) make_last(&id, rank);
    }
    changed_ = true;
    push(std::move(n));
    return true;
  }

  Result<bool> elementwise(IrNode& n) {
    int rank = kNoRank;
    for (ValueId id : n.inputs) {
      if (id != kAbsent && state(id).last != kAbsent) rank = state(id).rank;
    }
    // Before opset 7 the second operand could be lined up by an attribute.
    if (rank == kNoRank || n.find("broadcast") != nullptr || (n.op_type == "PRelu" && n.since_version() < 7))
      return false;
    for (ValueId id : n.inputs) {
      if (id == kAbsent) continue;
      const Tensor* c = graph_.constant(id);
      if (c != nullptr ? c->rank() > rank : rank_of(id) != rank && rank_of(id) != 0) return false;
    }
    for (ValueId& id : n.inputs) {
      if (id == kAbsent) continue;
      const Tensor* c = graph_.constant(id);
      if (c == nullptr) {
        if (rank_of(id) != 0) id = last(id, rank, n);
      } else if (c->size() != 1) {
        OL_ASSIGN(id, constant_last(id, rank));
      }
    }
    return finish(n, rank);
  }

  int rank_of(ValueId id) {
    if (state(id).rank != kNoRank) return state(id).rank;
    return static_cast<size_t>(id) < ranks_.size() ? ranks_[static_cast<size_t>(id)] : Ranks::kUnknown;
  }

  // A constant operand, lined up with the rank by leading ones first.
  Result<ValueId> constant_last(ValueId id, int rank) {
    if (state(id).last != kAbsent && state(id).rank == rank) return state(id).last;
    const Tensor& c = *graph_.constant(id);
    Shape padded = Shape::filled(rank - c.rank(), 1);
    for (const int64_t d : c.shape()) padded.push_back(d);
    Shape shape;
    std::array<int, Shape::kMaxRank> perm{};
    const std::vector<int64_t> wide = perm_to_last(rank);
    for (int i = 0; i < rank; ++i) {
      perm[static_cast<size_t>(i)] = static_cast<int>(wide[static_cast<size_t>(i)]);
      shape.push_back(padded[perm[static_cast<size_t>(i)]]);
    }
    OL_ASSIGN(Tensor t, Tensor::allocate(pool_, c.dtype(), shape));
    permute(c.dtype(), c.raw(), padded, std::span<const int>(perm.data(), static_cast<size_t>(rank)), t.mutable_raw());
    OL_ASSIGN(const ValueId to, add_constant(std::move(t), id));
    state(id).rank = rank;
    return state(id).last = to;
  }

  // ---- operators whose axes are renumbered

  static int64_t axis_of(const IrNode& n, int rank, int64_t fallback) {
    const Attribute* a = n.find("axis");
    const int64_t axis = a != nullptr ? a->i : fallback;
    return axis < 0 ? axis + rank : axis;
  }

  Result<bool> along_axis(IrNode& n, int rank, int64_t fallback) {
    const int64_t axis = axis_of(n, rank, fallback);
    if (axis < 0 || axis >= rank) return false;  // the operator says what is wrong
    set_int(n, "axis", last_axis(axis, rank));
    n.inputs[0] = state(n.inputs[0]).last;
    return finish(n, rank);
  }

  // Tensors stand at `first` and every `step` inputs.
  Result<bool> concat(IrNode& n, size_t first, size_t step) {
    int rank = kNoRank;
    for (size_t i = first; i < n.inputs.size(); i += step) {
      const ValueId id = n.inputs[i];
      if (id == kAbsent || graph_.constant(id) != nullptr) return false;
      if (state(id).last != kAbsent) rank = state(id).rank;
    }
    if (rank == kNoRank) return false;
    for (size_t i = first; i < n.inputs.size(); i += step) {
      if (state(n.inputs[i]).rank != rank) return false;
    }
    const int64_t axis = axis_of(n, rank, 1);
    if (axis < 0 || axis >= rank) return false;
    set_int(n, "axis", last_axis(axis, rank));
    for (size_t i = first; i < n.inputs.size(); i += step) n.inputs[i] = last(n.inputs[i], rank, n);
    return finish(n, rank);
  }

  Result<bool> transpose(IrNode& n, int rank) {
    std::vector<int64_t> perm = ints(n, "perm");
    if (perm.empty()) {
      for (int i = rank; i-- > 0;) perm.push_back(i);
    }
    if (static_cast<int>(perm.size()) != rank) return false;
    for (int64_t& p : perm) {
      if (p < 0 || p >= rank) return false;
      p = last_axis(p, rank);
    }
    const ValueId from = state(n.inputs[0]).last;
    changed_ = true;
    if (identity(perm)) {
      state(n.outputs[0]).same_as = from;
      return true;
    }
    n.inputs[0] = from;
    set_ints(n, "perm", std::move(perm));
    push(std::move(n));
    return true;
  }

  Result<bool> shape(IrNode& n, int rank) {
    if (!state(n.inputs[0]).last_only || n.find("start") != nullptr || n.find("end") != nullptr) return false;
    std::vector<int64_t> order;
    for (int i = 0; i < rank; ++i) order.push_back(last_axis(i, rank));
    OL_ASSIGN(const ValueId indices, int64_constant(order, n.outputs[0]));
    const ValueId turned = new_value(n.outputs[0]), result = n.outputs[0];
    n.inputs[0] = state(n.inputs[0]).last;
    n.outputs[0] = turned;
    IrNode gather = make("Gather", {turned, indices}, result, n);
    push(std::move(n));
    push(std::move(gather));
    return true;
  }

  Result<std::vector<int64_t>> constant_ints(ValueId id) const {
    const Tensor* c = id != kAbsent ? graph_.constant(id) : nullptr;
    if (c == nullptr) return std::vector<int64_t>{};
    return to_ints(*c, "axes");
  }

  Result<bool> reduce(IrNode& n, int rank) {
    const Attribute* keep = n.find("keepdims");
    const bool keepdims = keep == nullptr || keep->i != 0;
    const bool given = n.inputs.size() > 1 && n.inputs[1] != kAbsent;
    if (given && graph_.constant(n.inputs[1]) == nullptr) return false;
    OL_ASSIGN(std::vector<int64_t> axes, constant_ints(given ? n.inputs[1] : kAbsent));
    int spatial = 0;
    for (int64_t& axis : axes) {
      if (axis < -rank || axis >= rank) return false;
      axis = axis < 0 ? axis + rank : axis;
      if (axis > 1) ++spatial;
      axis = last_axis(axis, rank);
    }
    // What remains must be in the same order as before.
    if (!keepdims && spatial != rank - 2) return false;
    if (given && axes.empty()) return false;
    n.inputs[0] = state(n.inputs[0]).last;
    if (given) {
      OL_ASSIGN(n.inputs[1], int64_constant(axes, n.inputs[1]));
    }
    if (keepdims) return finish(n, rank);
    changed_ = true;
    push(std::move(n));
    return true;
  }

  Result<bool> slice(IrNode& n, int rank) {
    if (n.inputs.size() < 4 || n.inputs[3] == kAbsent || graph_.constant(n.inputs[3]) == nullptr) return false;
    OL_ASSIGN(std::vector<int64_t> axes, constant_ints(n.inputs[3]));
    for (int64_t& axis : axes) {
      if (axis < -rank || axis >= rank) return false;
      axis = last_axis(axis < 0 ? axis + rank : axis, rank);
    }
    OL_ASSIGN(n.inputs[3], int64_constant(axes, n.inputs[3]));
    n.inputs[0] = state(n.inputs[0]).last;
    return finish(n, rank);
  }

  // The 1-D operand with its entries, `parts` lists of one per axis, in the new order.
  Result<ValueId> reorder(ValueId id, int rank, int parts, const IrNode& near) {
    if (id == kAbsent) return kAbsent;
    const Tensor* c = graph_.constant(id);
    if (c != nullptr && c->size() == 0) return id;
    std::vector<int64_t> order;
    for (int part = 0; part < parts; ++part) {
      for (const int64_t axis : perm_to_last(rank)) order.push_back(axis + part * rank);
    }
    if (c != nullptr) {
      OL_ASSIGN(Tensor t, Tensor::allocate(pool_, c->dtype(), c->shape()));
      const size_t size = element_size(c->dtype());
      for (size_t i = 0; i < order.size(); ++i) {
        std::memcpy(t.mutable_data<char>() + i * size, c->data<char>() + static_cast<size_t>(order[i]) * size, size);
      }
      return add_constant(std::move(t), id);
    }
    OL_ASSIGN(const ValueId indices, int64_constant(order, id));
    const ValueId to = new_value(id);
    push(make("Gather", {id, indices}, to, near));
    return to;
  }

  Result<bool> pad(IrNode& n, int rank) {
    if (n.inputs.size() < 2 || n.inputs[1] == kAbsent || (n.inputs.size() > 3 && n.inputs[3] != kAbsent)) return false;
    const Tensor* pads = graph_.constant(n.inputs[1]);
    if (pads != nullptr && pads->size() != 2 * rank) return false;
    need_first(n.inputs[1], n);
    OL_ASSIGN(n.inputs[1], reorder(n.inputs[1], rank, 2, n));
    n.inputs[0] = state(n.inputs[0]).last;
    return finish(n, rank);
  }

  Result<bool> resize(IrNode& n, int rank) {
    if (n.find("axes") != nullptr) return false;
    const bool with_roi = n.since_version() >= 11;
    for (size_t i = 1; i < n.inputs.size(); ++i) {
      const int parts = with_roi && i == 1 ? 2 : 1;
      const Tensor* c = n.inputs[i] != kAbsent ? graph_.constant(n.inputs[i]) : nullptr;
      if (c != nullptr && c->size() != 0 && c->size() != parts * rank) return false;
    }
    for (size_t i = 1; i < n.inputs.size(); ++i) {
      need_first(n.inputs[i], n);
      OL_ASSIGN(n.inputs[i], reorder(n.inputs[i], rank, with_roi && i == 1 ? 2 : 1, n));
    }
    n.inputs[0] = state(n.inputs[0]).last;
    return finish(n, rank);
  }

  IrGraph& graph_;
  Pool& pool_;
  std::vector<IrNode> nodes_;
  std::vector<State> states_;
  std::vector<int> ranks_;       // of the values of the graph as it was
  std::vector<int> transposes_;  // per value: the node that makes it, if that is a Transpose
  bool changed_ = false;
};

}  // namespace

Result<bool> channels_last(IrGraph& graph, Pool& pool) {
  OL_ASSIGN(const bool changed, Layout(graph, pool).run());
  for (const IrNode& n : graph.nodes) {  // a model that this build is not trimmed to may come to other borders
    if (trim::kTrimmed && n.row == nullptr && !n.custom) return left_out(n.op_type);
  }
  return changed;
}

}  // namespace onnxlet
