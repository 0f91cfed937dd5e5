#include "graph/gradient.h"

#include <algorithm>

#include "base/text.h"
#include "graph/backward.h"
#include "graph/passes.h"

namespace onnxlet {
namespace {

size_t names_in(const IrNode& n, std::string_view attribute) {
  const Attribute* a = n.find(attribute);
  return a != nullptr ? a->strings.size() : 0;
}

// One Gradient node; `before` are the nodes in front of it.
class Expansion {
 public:
  Expansion(IrGraph& graph, const std::vector<IrNode>& before, const IrNode& node, Model& model, Pool& pool,
            Problems* problems)
      : graph_(graph),
        before_(before),
        node_(node),
        problems_(problems),
        backward_(graph, node, model, pool, problems) {}

  Status run(std::vector<IrNode>* nodes) {
    const size_t xs = names_in(node_, "xs"), count = xs + names_in(node_, "zs");
    if (node_.inputs.size() != 2 * count + 1) {
      problems_->add(Code::kInvalidGraph, text(node_.describe(), " has ", node_.inputs.size() - count - 1,
                                               " inputs; xs and zs together name ", count, " values"));
      return {};
    }
    const auto given = node_.inputs.begin();
    given_.assign(given, given + static_cast<ptrdiff_t>(count));
    named_.assign(given + static_cast<ptrdiff_t>(count), node_.inputs.end() - 1);
    ValueId y = node_.inputs.back();
    std::vector<const IrNode*> path = path_to(y);
    if (given_ != named_) path = substitute(path, &y);
    for (size_t i = 0; i < xs && i < node_.outputs.size(); ++i) {
      if (node_.outputs[i] == kAbsent) continue;
      if (!differentiable(given_[i])) return {};
      backward_.want(given_[i]);
    }
    if (!differentiable(y)) return {};
    backward_.run(path, y);
    for (size_t i = 0; i < xs && i < node_.outputs.size(); ++i) {
      if (node_.outputs[i] != kAbsent) {
        backward_.add("Identity", {backward_.gradient_of(given_[i])}, {node_.outputs[i]});
      }
    }
    return backward_.finish(nodes);
  }

 private:
  bool differentiable(ValueId id) {
    const ValueType& type = graph_.value(id).type;
    if (type.is_tensor() && is_float(type.dtype)) return true;
    problems_->add(Code::kInvalidGraph, text(node_.describe(), ": '", graph_.value(id).name, "' is a ",
                                             type.to_string(), "; derivatives are of tensors of real numbers"));
    return false;
  }

  // The nodes that y is computed by from the named values on, in order.
  std::vector<const IrNode*> path_to(ValueId y) const {
    std::vector<bool> needed(graph_.values.size(), false);
    const auto is_named = [&](ValueId id) { return std::find(named_.begin(), named_.end(), id) != named_.end(); };
    const auto need = [&](ValueId id) {
      if (id != kAbsent && !is_named(id)) needed[static_cast<size_t>(id)] = true;
    };
    need(y);
    std::vector<const IrNode*> path;
    for (size_t i = before_.size(); i-- > 0;) {
      const IrNode& n = before_[i];
      const bool on_path = std::any_of(n.outputs.begin(), n.outputs.end(),
                                       [&](ValueId id) { return id != kAbsent && needed[static_cast<size_t>(id)]; });
      if (!on_path) continue;
      path.push_back(&n);
      for (ValueId id : n.inputs) need(id);
      for (const IrSubgraph& s : n.subgraphs) {
        for (const Capture& c : s.graph->captures) need(c.outer);
      }
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // The inputs are other values than the named ones: the path is computed once more, from them.
  std::vector<const IrNode*> substitute(const std::vector<const IrNode*>& path, ValueId* y) {
    std::vector<ValueId> now(graph_.values.size());
    for (size_t i = 0; i < now.size(); ++i) now[i] = static_cast<ValueId>(i);
    for (size_t i = 0; i < given_.size(); ++i) {
      if (given_[i] == named_[i]) continue;
      given_[i] = backward_.op("Identity", {given_[i]});  // one value may be given for two names
      now[static_cast<size_t>(named_[i])] = given_[i];
    }
    std::vector<const IrNode*> replaced;
    for (const IrNode* n : path) {
      std::vector<ValueId> inputs = n->inputs;
      for (ValueId& id : inputs) {
        if (id != kAbsent) id = now[static_cast<size_t>(id)];
      }
      const bool captures_changed = std::any_of(n->subgraphs.begin(), n->subgraphs.end(), [&](const IrSubgraph& s) {
        return std::any_of(s.graph->captures.begin(), s.graph->captures.end(),
                           [&](const Capture& c) { return now[static_cast<size_t>(c.outer)] != c.outer; });
      });
      if (captures_changed || (inputs != n->inputs && !n->subgraphs.empty())) {
        problems_->add(Code::kNotImplemented, text(node_.describe(), ": ", n->describe(),
                                                   " has a subgraph and cannot be computed again from other inputs"));
        continue;
      }
      if (inputs == n->inputs) {
        replaced.push_back(n);
        continue;
      }
      const IrNode& copy = backward_.copy(*n, std::move(inputs));
      for (size_t i = 0; i < n->outputs.size(); ++i) {
        if (n->outputs[i] != kAbsent) now[static_cast<size_t>(n->outputs[i])] = copy.outputs[i];
      }
      replaced.push_back(&copy);
    }
    *y = now[static_cast<size_t>(*y)];
    return replaced;
  }

  IrGraph& graph_;
  const std::vector<IrNode>& before_;
  const IrNode& node_;
  Problems* problems_;
  Backward backward_;
  std::vector<ValueId> given_, named_;
};

}  // namespace

bool is_gradient(std::string_view domain, std::string_view op_type) {
  return op_type == "Gradient" && domain == "ai.onnx.preview.training";
}

Status expand_gradients(IrGraph& graph, Model& model, Pool& pool, Problems* problems) {
  // Rules ask for axes and flags that are written as Constant nodes.
  static constexpr std::string_view kConstant[] = {"Constant"};
  OL_ASSIGN([[maybe_unused]] const bool folded, fold_only(graph, pool, kConstant));
  std::vector<IrNode> nodes;
  nodes.reserve(graph.nodes.size());
  for (IrNode& n : graph.nodes) {
    for (IrSubgraph& s : n.subgraphs) {
      share_constants(graph, s.graph.get());
      OL_TRY(expand_gradients(*s.graph, model, pool, problems));
    }
    if (is_gradient(n.domain, n.op_type) && !n.custom) {
      OL_TRY(Expansion(graph, nodes, n, model, pool, problems).run(&nodes));
    } else {
      nodes.push_back(std::move(n));
    }
  }
  graph.nodes = std::move(nodes);
  return {};
}

}  // namespace onnxlet
