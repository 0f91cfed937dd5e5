#include "runtime/plan.h"

#include <algorithm>

#include "base/text.h"
#include "base/trim.h"
#include "graph/check.h"
#include "ops/run.h"

namespace onnxlet {
namespace {

class Planner {
 public:
  Planner(Pool& pool, Device* device, Problems* problems) : pool_(pool), device_(device), problems_(problems) {}

  std::unique_ptr<Plan> plan(IrGraph& graph) {
    auto plan = std::make_unique<Plan>();
    plan->slots = static_cast<int>(graph.values.size());
    constant_of_.assign(graph.values.size(), -1);
    uses_ = graph.use_counts();
    const std::vector<int> last = last_readers(graph);
    for (ValueId id : graph.inputs) plan->input_slots.push_back(id);
    if (trim::kSubgraphs) {
      for (const Capture& c : graph.captures) plan->capture_slots.push_back(c.inner);
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      plan->steps.push_back(step(graph, graph.nodes[i], static_cast<int>(i), last, plan.get()));
    }
    for (ValueId id : graph.outputs) plan->outputs.push_back(ref(graph, id, plan.get()));
    plan->output_types = graph.output_types;
    return plan;
  }

 private:
  Ref ref(const IrGraph& graph, ValueId id, Plan* plan) {
    if (id == kAbsent) return Ref();
    const Tensor* constant = graph.constant(id);
    if (constant == nullptr) return Ref::slot(id);
    int& at = constant_of_[static_cast<size_t>(id)];
    if (at < 0) {
      at = static_cast<int>(plan->constants.size());
      plan->constants.push_back(Value(*constant));
    }
    return Ref::constant(at);
  }

  // A constant of which only type and shape are asked; with the last such reader the bytes are free for its packed
  // form.
  Ref hollow(IrGraph& graph, ValueId id, Tensor& packed, Plan* plan) {
    Tensor& constant = graph.value(id).constant;
    plan->constants.push_back(Value(Tensor::borrow(nullptr, constant.dtype(), constant.shape())));
    if (--uses_[static_cast<size_t>(id)] == 0) {
      packed.move_into(constant);
      constant = Tensor();
    }
    return Ref::constant(static_cast<int>(plan->constants.size()) - 1);
  }

  // For every value the node that reads it last; nodes.size() when it lives to the end.
  static std::vector<int> last_readers(const IrGraph& graph) {
    std::vector<int> last(graph.values.size(), -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const IrNode& n = graph.nodes[i];
      const auto at = static_cast<int>(i);
      for (ValueId id : n.inputs) {
        if (id != kAbsent) last[static_cast<size_t>(id)] = at;
      }
      if (!trim::kSubgraphs) continue;
      for (const IrSubgraph& s : n.subgraphs) {
        for (const Capture& c : s.graph->captures) last[static_cast<size_t>(c.outer)] = at;
      }
    }
    for (ValueId id : graph.outputs) {
      if (id != kAbsent) last[static_cast<size_t>(id)] = static_cast<int>(graph.nodes.size());
    }
    return last;
  }

  Step step(IrGraph& graph, IrNode& node, int at, const std::vector<int>& last, Plan* plan) {
    Step s;
    s.schema = node.schema;
    if (!node.custom) create(graph, node, &s);
    const auto dies = [&](ValueId id) {
      return id != kAbsent && graph.constant(id) == nullptr && last[static_cast<size_t>(id)] == at;
    };
    const auto bury = [&](ValueId id) {
      if (dies(id) && std::find(s.dying.begin(), s.dying.end(), id) == s.dying.end()) s.dying.push_back(id);
    };
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      Tensor* packed = s.op != nullptr && graph.constant(id) != nullptr ? s.op->packed_form(i) : nullptr;
      s.input_dies.push_back(dies(id));
      bury(id);
      s.inputs.push_back(packed != nullptr ? hollow(graph, id, *packed, plan) : ref(graph, id, plan));
    }
    for (ValueId id : node.outputs) {
      const bool read = id != kAbsent && last[static_cast<size_t>(id)] >= 0;
      s.outputs.push_back(read ? id : -1);
    }
    if (trim::kSubgraphs) add_bodies(node, bury, &s);
    s.node = std::move(node);
    return s;
  }

  // `bury` is told of the values that the bodies read.
  template <class F>
  void add_bodies(IrNode& node, const F& bury, Step* s) {
    for (IrSubgraph& sub : node.subgraphs) {
      std::vector<int> captured;
      for (const Capture& c : sub.graph->captures) {
        captured.push_back(c.outer);
        bury(c.outer);
      }
      s->captured.push_back(std::move(captured));
      s->bodies.push_back(Planner(pool_, device_, problems_).plan(*sub.graph));
    }
  }

  void create(const IrGraph& graph, const IrNode& node, Step* s) {
    s->row = node.row;
    Result<OpPtr> op = make_op(node, *s->row, pool_);
    if (!op.ok()) return problems_->add(op.status());
    s->op = op.take();
    std::vector<Tensor> constants(node.inputs.size());
    for (size_t i = 0; i < constants.size(); ++i) {
      if (const Tensor* c = graph.constant(node.inputs[i])) constants[i] = *c;
    }
    if (trim::kDevice && device_ != nullptr) {
      Result<DeviceKernelPtr> kernel = device_->kernel(node, constants, pool_);
      if (!kernel.ok()) return problems_->add(kernel.status().with_context(text(node.describe(), ": ")));
      s->device = kernel.take();
      if (s->device != nullptr) return;
    }
    Status status = s->op->prepare(constants, pool_);
    if (!status.ok()) problems_->add(std::move(status).with_context(text(node.describe(), ": ")));
  }

  Pool& pool_;
  Device* device_;
  Problems* problems_;
  std::vector<int> constant_of_;
  std::vector<int> uses_;
};

}  // namespace

Result<std::unique_ptr<Plan>> make_plan(std::unique_ptr<IrGraph> graph, Pool& pool, Device* device) {
  Problems problems;
  std::unique_ptr<Plan> plan = Planner(pool, device, &problems).plan(*graph);
  if (!problems.empty()) return problems.report();
  return plan;
}

}  // namespace onnxlet
