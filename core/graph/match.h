// Reading patterns off an IrGraph, and putting one node in the place of many.
//
// A rewrite changes one node, the pattern's last: it keeps its outputs and gets another operator and other inputs. What
// only the old inputs were needed for dies; a value that something else reads, that is a graph output or that a
// subgraph captures stays, with the nodes that compute it. So a rewrite is right whatever else reads the inner values;
// feeds_only() tells whether it saves anything.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/ranks.h"

namespace onnxlet {

class Matcher {
 public:
  explicit Matcher(IrGraph& graph);

  IrGraph& graph() { return graph_; }
  // The node whose first output this is; nullptr for constants, inputs, captures, other outputs and custom operators.
  IrNode* producer(ValueId id);
  // The producer if it is this operator of ai.onnx (or of `domain`).
  IrNode* producer(ValueId id, std::string_view op_type, std::string_view domain = {});
  // The one node that reads it, once; nullptr when several or something outside of this graph's nodes do.
  IrNode* only_reader(ValueId id);
  int readers(ValueId id) const { return static_cast<int>(readers_[index(id)].size()); }
  // Whether the value is needed for nothing but `root`, directly or through other nodes.
  bool feeds_only(ValueId id, const IrNode& root) const;
  // The constant's number, when it is one element of a float or integer type.
  std::optional<double> scalar(ValueId id) const;
  // Input i of a node, kAbsent when it has fewer.
  static ValueId input(const IrNode& n, size_t i) { return i < n.inputs.size() ? n.inputs[i] : kAbsent; }
  // The other operand of a node of two inputs one of which is a scalar constant, and that constant.
  struct WithScalar {
    ValueId value = kAbsent;
    double scalar = 0;
    int rank = 0;
    bool first = false;  // the constant is input 0
  };
  std::optional<WithScalar> with_scalar(const IrNode& n) const;

  // What is known of a value without running anything; kUndefined, nothing or 0 otherwise.
  DType dtype(ValueId id) const { return id == kAbsent ? DType::kUndefined : graph_.value(id).type.dtype; }
  std::optional<int> rank(ValueId id) const;
  int least_rank(ValueId id) const { return ranks_.least[index(id)]; }

  // Makes `n` another operator with these inputs; attributes are gone. False, and nothing done, when this build has
  // no such operator.
  bool become(IrNode& n, std::string_view op_type, int opset, std::string_view domain, std::vector<ValueId> inputs);
  // Makes `n` what `from` is, attributes included, with these inputs.
  bool become_like(IrNode& n, const IrNode& from, std::vector<ValueId> inputs);
  // The same operator with other inputs.
  void reconnect(IrNode& n, std::vector<ValueId> inputs);
  static void set(IrNode& n, std::string_view attribute, float value);
  static void set(IrNode& n, std::string_view attribute, int64_t value);
  static void set(IrNode& n, std::string_view attribute, std::string_view value);
  static void set(IrNode& n, std::string_view attribute, std::vector<int64_t> value);
  static void unset(IrNode& n, std::string_view attribute);
  ValueId add_constant(std::string_view name, Tensor tensor);
  // A constant of one element.
  Result<ValueId> add_number(std::string_view name, double value, DType dtype, const Shape& shape, Pool& pool);
  // What reads the node's first output reads `to` instead, the graph's outputs too; the node goes.
  void bypass(IrNode& n, ValueId to);
  // The node's only output is known; the node goes.
  void become_constant(IrNode& n, Tensor value);
  bool dead(const IrNode& n) const { return dead_[static_cast<size_t>(&n - graph_.nodes.data())]; }
  // Takes the nodes that died out of the graph; the matcher is of no use afterwards.
  void sweep();

 private:
  static constexpr int kOutside = -1;  // a reader that is no node: a graph output, a subgraph
  static constexpr int kDeepest = 12;

  static size_t index(ValueId id) { return static_cast<size_t>(id); }
  int at(const IrNode& n) const { return static_cast<int>(&n - graph_.nodes.data()); }
  void redirect(ValueId from, ValueId to);
  void release(ValueId id, int reader);
  void kill(IrNode& n);
  bool feeds_only(ValueId id, int root, int depth) const;
  IrGraph& graph_;
  Ranks ranks_;
  std::vector<std::vector<int>> readers_;  // per value: indices of nodes, one for each time they read it
  std::vector<int> producers_;             // per value: index of a node, or -1
  std::vector<bool> dead_;
};

// A rule looks at one node of the pattern it knows; true when it replaced the pattern's last.
struct Rule {
  const char* op_type;  // of ai.onnx
  Result<bool> (*apply)(Matcher& m, IrNode& n, Pool& pool);
};
// Applies the rules to every node, in order, and sweeps.
Result<bool> apply_rules(IrGraph& graph, Pool& pool, std::span<const Rule> rules);

bool is_op(const IrNode& n, std::string_view op_type, std::string_view domain = {});
// Attributes with a default, as passes read them.
int64_t int_attribute(const IrNode& n, std::string_view name, int64_t fallback);
float float_attribute(const IrNode& n, std::string_view name, float fallback);

// Equal but for what rounding a constant to `type` costs.
bool close(double a, double b, DType type = DType::kFloat);

}  // namespace onnxlet
