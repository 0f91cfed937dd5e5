#include "graph/infer.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "base/trim.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

using Kind = ValueType::Kind;

class Inference {
 public:
  explicit Inference(Problems* problems) : problems_(problems) {}

  void graph(IrGraph& g) {
    for (IrValue& v : g.values) {
      if (v.constant.valid()) v.type = ValueType::tensor(v.constant.dtype());
    }
    for (IrNode& n : g.nodes) node(g, n);
    for (const IrValue& v : g.values) {
      types_seen() |= dtype_bit(v.type.dtype);
      if (trim::kTrimmed && !trim::keeps_type(v.type.dtype)) problems_->add(check_kept(v.type.dtype));
    }
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      if (g.outputs[i] != kAbsent) check_output(g.value(g.outputs[i]), ValueType::of(*g.output_types[i]));
    }
  }

  void node(IrGraph& g, IrNode& n) {
    if (n.schema == nullptr) {
      for (IrSubgraph& s : n.subgraphs) body(g, s);
      return;
    }
    TypeBindings bound;
    const auto given = [&](size_t i) { return n.inputs[i] != kAbsent; };
    const auto type = [&](size_t i) { return g.value(n.inputs[i]).type; };
    check_types(*n.schema, {n.inputs.size(), given, type}, &bound,
                [&](std::string problem) { problems_->add(Code::kInvalidGraph, text(n.describe(), ": ", problem)); });
    check_kernel(g, n);
    if (trim::kSubgraphs && !n.subgraphs.empty()) return control(g, n);
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (n.outputs[i] != kAbsent) g.value(n.outputs[i]).type = output_type(g, n, bound, i);
    }
  }

 private:
  static ValueType input_type(const IrGraph& g, const IrNode& n, size_t i) {
    return i < n.inputs.size() && n.inputs[i] != kAbsent ? g.value(n.inputs[i]).type : ValueType();
  }

  void check_kernel(const IrGraph& g, const IrNode& n) {
    const ValueType first = input_type(g, n, 0);
    if (n.row == nullptr || n.row->lacks == 0 || !first.is_tensor()) return;
    if ((n.row->lacks & dtype_bit(first.dtype)) == 0) return;
    problems_->add(Code::kNotImplemented, text(n.describe(), ": input 0 ('", n.schema->inputs[0].name, "') is a ",
                                               first.to_string(), ", for which this build has no kernel"));
  }

  static ValueType output_type(const IrGraph& g, const IrNode& n, const TypeBindings& bound, size_t i) {
    const FormalParameter* formal = formal_parameter(n.schema->outputs, i);
    if (formal == nullptr) return {};
    const size_t v = formal->type;
    const TypeConstraint& constraint = n.schema->types[v];
    const bool one_type = formal->option != FormalParameter::kVariadic || formal->homogeneous;
    if (one_type && v < TypeBindings::kMost && (bound.given >> v & 1) != 0) return bound.type[v];
    if (constraint.others == 0 && std::has_single_bit(constraint.tensors)) {
      return ValueType::tensor(static_cast<DType>(std::countr_zero(constraint.tensors)));
    }
    return ruled_output_type(g, n, i);
  }

  // Runs a subgraph whose input types are set.
  IrGraph& body(const IrGraph& outer, IrSubgraph& s) {
    for (const Capture& c : s.graph->captures) s.graph->value(c.inner).type = outer.value(c.outer).type;
    graph(*s.graph);
    return *s.graph;
  }

  static ValueType body_output(const IrGraph& b, size_t i) {
    return i < b.outputs.size() && b.outputs[i] != kAbsent ? b.value(b.outputs[i]).type : ValueType();
  }

  // The types of inputs `first`, `first + 1` ... of the node become those of the body's inputs.
  static void pass_inputs(const IrGraph& g, const IrNode& n, size_t first, IrGraph* b, size_t b_first) {
    for (size_t i = first; i < n.inputs.size() && b_first + i - first < b->inputs.size(); ++i) {
      b->value(b->inputs[b_first + i - first]).type = input_type(g, n, i);
    }
  }

  void control(IrGraph& g, IrNode& n) {
    if (n.op_type == "If") return branches(g, n);
    IrGraph& b = *n.subgraphs[0].graph;
    const bool loop = n.op_type == "Loop", scan = n.op_type == "Scan", map = n.op_type == "SequenceMap";
    size_t carried = 0, skipped = 0;  // skipped: outputs of the body that are not outputs of the node
    if (loop) {
      const DType given[] = {DType::kInt64, DType::kBool};  // iteration number, condition
      for (size_t i = 0; i < 2 && i < b.inputs.size(); ++i) b.value(b.inputs[i]).type = ValueType::tensor(given[i]);
      pass_inputs(g, n, 2, &b, 2);
      carried = n.inputs.size() > 2 ? n.inputs.size() - 2 : 0;
      skipped = 1;
    } else if (scan) {
      pass_inputs(g, n, n.since_version() == 8 ? 1 : 0, &b, 0);
    } else if (map) {
      pass_inputs(g, n, 0, &b, 0);
      for (ValueId id : b.inputs) {
        ValueType& t = b.value(id).type;
        if (t.kind == Kind::kSequence) t = ValueType::tensor(t.dtype);
      }
    }
    for (IrSubgraph& s : n.subgraphs) body(g, s);
    for (size_t i = 0; (loop || scan || map) && i < n.outputs.size(); ++i) {
      if (n.outputs[i] == kAbsent) continue;
      ValueType t = body_output(b, i + skipped);
      // No iteration gives the initial value, and a later one may give another type.
      if (i < carried && t != input_type(g, n, 2 + i)) t = {};
      if (map) t = {Kind::kSequence, false, t.is_tensor() ? t.dtype : DType::kUndefined};
      g.value(n.outputs[i]).type = t;
    }
  }

  void branches(IrGraph& g, IrNode& n) {
    for (IrSubgraph& s : n.subgraphs) body(g, s);
    for (size_t i = 0; n.subgraphs.size() == 2 && i < n.outputs.size(); ++i) {
      const ValueType t = body_output(*n.subgraphs[0].graph, i);
      if (n.outputs[i] != kAbsent && t == body_output(*n.subgraphs[1].graph, i)) g.value(n.outputs[i]).type = t;
    }
  }

  void check_output(const IrValue& v, const ValueType& declared) {
    if (!v.type.is_tensor() || !declared.is_tensor() || v.type == declared) return;
    problems_->add(Code::kInvalidGraph, text("the output '", v.name, "' is a ", v.type.to_string(),
                                             "; the model declares ", declared.to_string()));
  }

  Problems* problems_;
};

}  // namespace

void infer_node(IrGraph& graph, IrNode& node, Problems* problems) { Inference(problems).node(graph, node); }

void infer_types(IrGraph& graph, Problems* problems) { Inference(problems).graph(graph); }

}  // namespace onnxlet
