#include <map>
#include <vector>

#include "base/text.h"
#include "graph/build.h"

namespace onnxlet {
namespace {

// Every name a node reads: its inputs, and what its subgraphs may take from outside.
void reads_of(const Graph& g, std::vector<std::string_view>* out);
void reads_of(const Node& n, std::vector<std::string_view>* out) {
  out->insert(out->end(), n.inputs.begin(), n.inputs.end());
  for (const Attribute& a : n.attributes) {
    if (a.g != nullptr) reads_of(*a.g, out);
    for (const auto& g : a.graphs) reads_of(*g, out);
    if (n.op_type == "Gradient") {  // reads what it names
      out->push_back(a.s);
      out->insert(out->end(), a.strings.begin(), a.strings.end());
    }
  }
}
void reads_of(const Graph& g, std::vector<std::string_view>* out) {
  for (const Node& n : g.nodes) reads_of(n, out);
  for (const ValueInfo& v : g.outputs) out->push_back(v.name);
}

}  // namespace

Status sort_nodes(Graph& graph) {
  std::map<std::string_view, size_t> producer;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (std::string_view name : graph.nodes[i].outputs) {
      if (!name.empty()) producer.emplace(name, i);
    }
  }
  std::vector<std::vector<size_t>> readers(graph.nodes.size());
  std::vector<int> missing(graph.nodes.size(), 0);
  bool sorted = true;
  std::vector<std::string_view> reads;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    reads.clear();
    reads_of(graph.nodes[i], &reads);
    for (std::string_view name : reads) {
      const auto from = producer.find(name);
      if (from == producer.end()) continue;
      sorted = sorted && from->second < i;
      readers[from->second].push_back(i);
      ++missing[i];
    }
  }
  if (sorted) return {};
  std::vector<size_t> order;
  for (size_t i = 0; i < missing.size(); ++i) {
    if (missing[i] == 0) order.push_back(i);
  }
  for (size_t done = 0; done < order.size(); ++done) {
    for (size_t reader : readers[order[done]]) {
      if (--missing[reader] == 0) order.push_back(reader);
    }
  }
  for (size_t i = 0; i < missing.size(); ++i) {
    if (missing[i] <= 0) continue;
    return invalid_graph("node '", graph.nodes[i].name, "' (", graph.nodes[i].op_type, ") is part of a cycle");
  }
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (size_t i : order) nodes.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(nodes);
  return {};
}

}  // namespace onnxlet
