// Reverse-mode differentiation through one path of nodes: makes the nodes that compute gradients. What rules are
// written with.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "graph/check.h"
#include "graph/ir.h"

namespace onnxlet {

Attribute attribute(std::string_view name, int64_t value);
Attribute attribute(std::string_view name, std::vector<int64_t> values);
Attribute attribute(std::string_view name, std::string_view value);

class Backward {
 public:
  using Inputs = std::vector<ValueId>;
  using Attributes = std::vector<Attribute>;
  static constexpr int64_t kEnd = INT64_MAX;  // of a slice

  Backward(IrGraph& graph, const IrNode& gradient, Model& model, Pool& pool, Problems* problems);

  // Marks a value that gradients are wanted for; call before run().
  void want(ValueId id) { set(&active_, id, id); }
  // Differentiates `y` through `path` (nodes in execution order).
  void run(const std::vector<const IrNode*>& path, ValueId y);
  // The gradient for a wanted value after run(): zeros when y does not depend on it.
  ValueId gradient_of(ValueId id);
  // A copy of a node, with other inputs and fresh outputs.
  const IrNode& copy(const IrNode& node, Inputs inputs);
  void add(std::string_view op_type, Inputs inputs, Inputs outputs, Attributes attributes = {},
           std::string_view domain = {});
  std::deque<IrNode>& nodes() { return made_; }
  Status take_status() { return std::move(status_); }
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

  // ---- making nodes ----
  ValueId op(std::string_view op_type, Inputs inputs, Attributes attributes = {}, std::string_view domain = {});
  ValueId fresh() { return graph_.add_value("gradient"); }  // an output for add()
  ValueId number(double value, DType type);
  ValueId ints(std::vector<int64_t> values);
  ValueId shape(ValueId x) { return op("Shape", {x}); }
  ValueId dims(ValueId shape, int64_t begin, int64_t end);  // a part of a shape
  ValueId filled_like(ValueId x, double value);
  ValueId reshape(ValueId x, ValueId shape);
  std::string_view keep(std::string text) { return model_.intern(std::move(text)); }
  ValueId as_shape_of(ValueId x, ValueId like) { return reshape(x, shape(like)); }
  ValueId expand(ValueId x, ValueId like) { return op("Expand", {x, shape(like)}); }
  // Undoes broadcasting: the sum over the axes that `like` does not have or has with length 1.
  ValueId sum_to(ValueId x, ValueId like);
  // The sum over everything but axis 1.
  ValueId per_channel(ValueId x);
  // Sums `gradient` into zeros of the shape of `like`, at flat places.
  ValueId scatter(ValueId gradient, ValueId places, ValueId like);
  ValueId cast(ValueId x, DType type);
  ValueId matmul(ValueId a, bool transpose_a, ValueId b, bool transpose_b);
  // An expression in a, b, c (inputs; x is a), y (output 0), g and float attributes: "g * (1 - y*y)".
  ValueId formula(const char* expression) { return formula(expression, g(), out()); }
  ValueId formula(const char* expression, ValueId g, ValueId y);
  DType dtype(ValueId id) const { return id == kAbsent ? DType::kUndefined : graph_.value(id).type.dtype; }
  const Tensor* constant(ValueId id) const { return graph_.constant(id); }

 private:
  static ValueId at(const Inputs& list, int i) {
    return static_cast<size_t>(i) < list.size() ? list[static_cast<size_t>(i)] : kAbsent;
  }
  static void set(Inputs* list, ValueId id, ValueId value) {
    if (list->size() <= static_cast<size_t>(id)) list->resize(static_cast<size_t>(id) + 1, kAbsent);
    (*list)[static_cast<size_t>(id)] = value;
  }
  bool active(ValueId id) const { return id != kAbsent && at(active_, id) != kAbsent; }
  const Attribute* given(std::string_view name) const { return node_->find(name); }
  const AttributeSpec* spec(std::string_view name) const;
  ValueId constant_value(Result<Tensor> tensor);
  void accumulate(ValueId id, ValueId gradient);
  void mark(const std::vector<const IrNode*>& path);
  void differentiate(const IrNode& n);

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
  std::deque<IrNode> made_;
  Status status_;
};

struct GradientRule {
  const char* op_type;
  void (*apply)(Backward& b);
};
std::span<const GradientRule> window_gradients();

// Gives gradients to the inputs of b.node() that want one; false when there is no rule for the operator.
bool apply_gradient_rule(Backward& b);

}  // namespace onnxlet
