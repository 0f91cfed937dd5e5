#include "ir/ir.h"

#include "base/text.h"

namespace onnxlet {

const Attribute* IrNode::find(std::string_view attribute) const {
  for (const Attribute& a : attributes) {
    if (a.name == attribute) return &a;
  }
  return nullptr;
}

std::string IrNode::describe() const {
  std::string out = text("node '", path, name, "' (");
  if (!domain.empty()) append(out, text(domain, "."));
  append(out, text(op_type, "-", since_version(), ")"));
  return out;
}

std::vector<int> IrGraph::use_counts() const {
  std::vector<int> uses(values.size(), 0);
  const auto use = [&](ValueId id) {
    if (id != kAbsent) ++uses[static_cast<size_t>(id)];
  };
  for (const IrNode& n : nodes) {
    for (ValueId id : n.inputs) use(id);
    for (const IrSubgraph& s : n.subgraphs) {
      for (const Capture& c : s.graph->captures) use(c.outer);
    }
  }
  for (ValueId id : outputs) use(id);
  return uses;
}

}  // namespace onnxlet
