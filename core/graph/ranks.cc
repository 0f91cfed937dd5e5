#include "graph/ranks.h"

#include <algorithm>

#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr std::string_view kBroadcasting[] = {
    "Add",  "And", "BitShift",    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterOrEqual",
    "Less", "Max", "LessOrEqual", "Mean",       "Min",       "Mod",        "Mul", "Or",    "Pow",     "Sub",
    "Sum",  "Xor", "Where"};
// Beside those that kInPlace marks as working element by element.
constexpr std::string_view kLikeFirst[] = {"AveragePool",
                                           "Cast",
                                           "Concat",
                                           "ConvTranspose",
                                           "Conv",
                                           "ConvInteger",
                                           "CumSum",
                                           "DequantizeLinear",
                                           "GlobalMaxPool",
                                           "GlobalAveragePool",
                                           "LRN",
                                           "LayerNormalization",
                                           "LogSoftmax",
                                           "MaxPool",
                                           "Pad",
                                           "QuantizeLinear",
                                           "RMSNormalization",
                                           "Resize",
                                           "Slice",
                                           "Softmax",
                                           "Split",
                                           "SkipLayerNormalization",
                                           "Tile",
                                           "TopK",
                                           "Transpose",
                                           "Upsample"};
constexpr std::string_view kConvolutions[] = {"Conv", "ConvTranspose", "ConvInteger"};
constexpr std::string_view kProducts[] = {"MatMul", "MatMulInteger", "FusedMatMul"};

template <size_t N>
bool one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(names, names + N, name) != names + N;
}

class Inference {
 public:
  Inference(const IrGraph& graph, Ranks* ranks) : graph_(graph), ranks_(*ranks) {}

  void node(const IrNode& n) {
    if (n.custom || n.inputs.empty() || !n.subgraphs.empty()) return;
    const bool broadcasting = n.domain.empty() && one_of(kBroadcasting, n.op_type);
    if (broadcasting) least(n.outputs[0], most(n, ranks_.least));
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (n.outputs[i] == kAbsent) continue;
      const int rank = output(n, i, broadcasting);
      if (rank != Ranks::kUnknown)
        know(n.outputs[i], rank);
      else if (i == 0 && like_first(n, broadcasting))
        least(n.outputs[0], ranks_.least[index(n.inputs[0])]);
    }
  }

  void know(ValueId id, int rank) { ranks_.exact[index(id)] = ranks_.least[index(id)] = rank; }

 private:
  static size_t index(ValueId id) { return static_cast<size_t>(id); }
  void least(ValueId id, int rank) {
    if (id != kAbsent) ranks_.least[index(id)] = rank;
  }
  int rank(const IrNode& n, size_t i) const {
    return i < n.inputs.size() && n.inputs[i] != kAbsent ? ranks_.exact[index(n.inputs[i])] : Ranks::kUnknown;
  }
  // The elements of a constant list; kUnknown when it is none.
  int length(const IrNode& n, size_t i) const {
    const Tensor* t = i < n.inputs.size() ? graph_.constant(n.inputs[i]) : nullptr;
    return t != nullptr ? static_cast<int>(t->size()) : Ranks::kUnknown;
  }
  static int most(const IrNode& n, const std::vector<int>& ranks) {
    int most = 0;
    for (ValueId id : n.inputs) most = std::max(most, id != kAbsent ? ranks[index(id)] : 0);
    return most;
  }
  static bool like_first(const IrNode& n, bool broadcasting) {
    if (broadcasting || n.inputs[0] == kAbsent) return false;
    return one_of(kLikeFirst, n.op_type) || (n.row != nullptr && (n.row->flags & kInPlace) != 0);
  }

  int output(const IrNode& n, size_t i, bool broadcasting) const {
    if (n.op_type == "DynamicQuantizeLinear") return i == 0 ? rank(n, 0) : 0;
    if (i > 0 && n.op_type != "Split" && n.op_type != "TopK") return Ranks::kUnknown;
    if (n.op_type == "Gemm" || n.op_type == "Flatten") return 2;
    if (n.op_type == "Shape" || n.op_type == "Range") return 1;
    if (n.op_type == "Reshape") return length(n, 1);
    if (n.op_type == "Squeeze" || n.op_type == "Unsqueeze") return with_axes(n);
    if (n.op_type.starts_with("Reduce")) return reduced(n);
    if (broadcasting || one_of(kProducts, n.op_type)) return joined(n, broadcasting ? 0 : 2);
    if (n.op_type == "Gather") {
      return rank(n, 0) > 0 && rank(n, 1) >= 0 ? rank(n, 0) + rank(n, 1) - 1 : Ranks::kUnknown;
    }
    if (one_of(kConvolutions, n.op_type) && rank(n, 1) != Ranks::kUnknown) return rank(n, 1);
    return like_first(n, broadcasting) ? rank(n, 0) : Ranks::kUnknown;
  }

  // Of operands each of which has at least `floor` axes: a product with a vector has fewer axes than its operands.
  int joined(const IrNode& n, int floor) const {
    const size_t operands = floor == 0 ? n.inputs.size() : std::min<size_t>(n.inputs.size(), 2);
    int most = 0;
    for (size_t i = 0; i < operands; ++i) {
      if (rank(n, i) < floor) return Ranks::kUnknown;
      most = std::max(most, rank(n, i));
    }
    return most;
  }

  int with_axes(const IrNode& n) const {
    const int axes = length(n, 1);
    if (rank(n, 0) < 0 || axes < 0) return Ranks::kUnknown;
    return n.op_type == "Squeeze" ? std::max(rank(n, 0) - axes, 0) : rank(n, 0) + axes;
  }

  int reduced(const IrNode& n) const {
    const Attribute* keep = n.find("keepdims");
    if (keep == nullptr || keep->i != 0) return rank(n, 0);
    const int axes = length(n, 1);
    return rank(n, 0) < 0 || axes <= 0 ? Ranks::kUnknown : std::max(rank(n, 0) - axes, 0);
  }

  const IrGraph& graph_;
  Ranks& ranks_;
};

}  // namespace

Ranks infer_ranks(const IrGraph& graph) {
  Ranks ranks{std::vector<int>(graph.values.size(), Ranks::kUnknown), std::vector<int>(graph.values.size(), 0)};
  Inference inference(graph, &ranks);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].constant.valid()) inference.know(static_cast<ValueId>(i), graph.values[i].constant.rank());
  }
  for (ValueId id : graph.inputs) {
    if (const TypeSpec* type = declared_shape(graph, id)) inference.know(id, static_cast<int>(type->dims.size()));
  }
  for (const IrNode& n : graph.nodes) inference.node(n);
  return ranks;
}

const TypeSpec* declared_shape(const IrGraph& graph, ValueId id) {
  const auto found = std::find(graph.inputs.begin(), graph.inputs.end(), id);
  if (found == graph.inputs.end()) return nullptr;
  const TypeSpec* type = graph.input_types[static_cast<size_t>(found - graph.inputs.begin())];
  return type != nullptr && type->kind == TypeSpec::Kind::kTensor && type->has_shape ? type : nullptr;
}

}  // namespace onnxlet
