// Reverse-mode differentiation through one path of nodes: makes the nodes that compute gradients. What rules are
// written with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "graph/check.h"
#include "ir/ir.h"

namespace onnxlet {

class Backward {
 public:
  using Inputs = std::vector<ValueId>;
  using Attributes = std::vector<Attribute>;

  Backward(IrGraph& graph, const IrNode& gradient, Model& model, Pool& pool, Problems* problems);
  ~Backward();

  // Marks a value that gradients are wanted for; call before run().
  void want(ValueId id) { set(&active_, id, id); }
  // Differentiates `y` through `path` (nodes in execution order).
  void run(const std::vector<const IrNode*>& path, ValueId y);
  // The gradient for a wanted value after run(): zeros when y does not depend on it.
  ValueId gradient_of(ValueId id);
  // A copy of a node, with other inputs and fresh outputs.
  const IrNode& copy(const IrNode& node, Inputs inputs);
  void add(std::string_view op_type, Inputs inputs, Inputs outputs, Attributes attributes = {});
  // The nodes that were made, to the end of `nodes`.
  Status finish(std::vector<IrNode>* nodes);
  void refuse(std::string_view why);  // the node of the rule cannot be differentiated

  // ---- what a rule sees: the node, and the gradients of its outputs ----
  const IrNode& node() const { return *node_; }
  ValueId in(int i) const { return at(node_->inputs, i); }
  ValueId out(int i = 0) const { return at(node_->outputs, i); }
  ValueId g(int i = 0) const { return at(gradients_, i); }  // kAbsent when y does not depend on that output
  bool wants(int i) const { return in(i) != kAbsent && active(in(i)); }
  void give(int i, ValueId gradient) { accumulate(in(i), gradient); }
  int inputs() const { return static_cast<int>(node_->inputs.size()); }
  int64_t int_of(std::string_view name) const;  // attributes, by default what the schema says
  double float_of(std::string_view name) const;
  std::string_view text_of(std::string_view name) const;
  std::vector<int64_t> ints_of(std::string_view name) const;
  DType dtype(ValueId id) const { return id == kAbsent ? DType::kUndefined : graph_.value(id).type.dtype; }
  const Tensor* constant(ValueId id) const { return graph_.constant(id); }

  // ---- making nodes ----
  // The value of an expression; see formula.cc for what can be written. g is `gradient` there, y is `output`.
  ValueId formula(const char* text) { return formula(text, g(), out()); }
  ValueId formula(const char* text, ValueId gradient, ValueId output);
  // A name for the formulas of this node that follow.
  void let(std::string_view name, ValueId id) { names_.emplace_back(name, id); }
  ValueId named(std::string_view name) const;  // kAbsent: no such name
  Attributes attributes;                       // what @ stands for in formulas
  ValueId op(std::string_view op_type, Inputs inputs, Attributes attributes = {}, int output = 0);
  ValueId number(double value, DType type);
  ValueId ints(std::span<const int64_t> values);
  std::string_view keep(std::string text) { return model_.intern(std::move(text)); }

 private:
  static ValueId at(const Inputs& list, int i) {
    return static_cast<size_t>(i) < list.size() ? list[static_cast<size_t>(i)] : kAbsent;
  }
  static void set(Inputs* list, ValueId id, ValueId value);
  bool active(ValueId id) const { return id != kAbsent && at(active_, id) != kAbsent; }
  const AttributeSpec* spec(std::string_view name) const;
  ValueId constant_value(Result<Tensor> tensor);
  void accumulate(ValueId id, ValueId gradient);
  void mark(const std::vector<const IrNode*>& path);
  void differentiate(const IrNode& n);
  const IrNode& made(IrNode node);

  IrGraph& graph_;
  const IrNode& gradient_;
  Model& model_;
  Pool& pool_;
  Problems* problems_;
  std::string path_;
  int opset_;
  const IrNode* node_ = nullptr;
  Inputs gradients_;  // of node_'s outputs
  Inputs totals_;     // by value: its gradient so far
  Inputs active_;     // by value: itself when it depends on a wanted one
  std::vector<std::pair<std::string_view, ValueId>> names_;
  std::vector<std::unique_ptr<IrNode>> made_;
  Status status_;
};

Attribute make_attribute(std::string_view name, int64_t value);
Attribute make_attribute(std::string_view name, std::vector<int64_t> values);
Attribute make_attribute(std::string_view name, std::string_view value);

struct GradientRule {
  const char* op_type;
  void (*apply)(Backward& b);
};
std::span<const GradientRule> window_gradients();

// Gives gradients to the inputs of b.node() that want one; false when there is no rule for the operator.
bool apply_gradient_rule(Backward& b);

}  // namespace onnxlet
