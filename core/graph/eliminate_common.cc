// Nodes that compute what another one has computed already.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr uint64_t kSmall = 256;  // bytes of constants that are compared

// FNV-1a over what makes two things equal.
class Hash {
 public:
  void bytes(const void* data, size_t n) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < n; ++i) h_ = (h_ ^ p[i]) * 0x100000001b3u;
  }
  void text(std::string_view s) { bytes(s.data(), s.size()); }
  template <class T>
  void number(T v) {
    bytes(&v, sizeof v);
  }
  uint64_t value() const { return h_; }

 private:
  uint64_t h_ = 0xcbf29ce484222325u;
};

using HashIndex = std::unordered_multimap<uint64_t, size_t>;

bool same_attribute(const Attribute& a, const Attribute& b) {
  using Type = Attribute::Type;
  if (a.name != b.name || a.type != b.type) return false;
  switch (a.type) {
    case Type::kFloat:
      return std::memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case Type::kInt:
      return a.i == b.i;
    case Type::kString:
      return a.s == b.s;
    case Type::kFloats:
      return a.floats.size() == b.floats.size() &&
             std::memcmp(a.floats.data(), b.floats.data(), a.floats.size() * sizeof(float)) == 0;
    case Type::kInts:
      return a.ints == b.ints;
    case Type::kStrings:
      return a.strings == b.strings;
    default:
      return false;
  }
}

bool same_work(const IrNode& a, const IrNode& b) {
  if (a.op_type != b.op_type || a.domain != b.domain || a.row != b.row || a.schema != b.schema) return false;
  if (a.inputs != b.inputs || a.attributes.size() != b.attributes.size()) return false;
  for (const Attribute& x : a.attributes) {
    const Attribute* y = b.find(x.name);
    if (y == nullptr || !same_attribute(x, *y)) return false;
  }
  // Results that `a` leaves out it does not compute.
  for (size_t i = 0; i < b.outputs.size(); ++i) {
    if (b.outputs[i] != kAbsent && (i >= a.outputs.size() || a.outputs[i] == kAbsent)) return false;
  }
  return true;
}

uint64_t hash_of(const IrNode& n) {
  Hash h;
  h.text(n.op_type);
  for (ValueId id : n.inputs) h.number(id);
  h.number(n.attributes.size());
  return h.value();
}

bool repeatable(const IrNode& n) {
  return !n.custom && n.row != nullptr && n.subgraphs.empty() && (n.row->flags & (kImpure | kControl)) == 0;
}

bool same_constant(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

// For every value the first small constant equal to it.
std::vector<ValueId> merged_constants(const IrGraph& graph) {
  std::vector<ValueId> same(graph.values.size());
  HashIndex seen;
  for (size_t i = 0; i < same.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    same[i] = id;
    const Tensor* t = graph.constant(id);
    if (t == nullptr || t->dtype() == DType::kString || t->bytes() > kSmall) continue;
    Hash h;
    h.number(t->dtype());
    h.bytes(t->raw(), t->bytes());
    const auto [begin, end] = seen.equal_range(h.value());
    const auto found = std::find_if(
        begin, end, [&](const auto& entry) { return same_constant(graph.values[entry.second].constant, *t); });
    if (found != end)
      same[i] = static_cast<ValueId>(found->second);
    else
      seen.emplace(h.value(), i);
  }
  return same;
}

}  // namespace

Result<bool> eliminate_common(IrGraph& graph, Pool&) {
  std::vector<ValueId> same = merged_constants(graph);
  const auto replace = [&](ValueId& id) {
    if (id != kAbsent) id = same[static_cast<size_t>(id)];
  };
  HashIndex seen;  // of kept
  std::vector<IrNode> kept;
  kept.reserve(graph.nodes.size());
  for (IrNode& n : graph.nodes) {
    for (ValueId& id : n.inputs) replace(id);
    for (IrSubgraph& s : n.subgraphs) {
      for (Capture& c : s.graph->captures) replace(c.outer);
    }
    if (repeatable(n)) {
      const uint64_t hash = hash_of(n);
      const auto [begin, end] = seen.equal_range(hash);
      const auto found = std::find_if(begin, end, [&](const auto& entry) { return same_work(kept[entry.second], n); });
      if (found != end) {
        const IrNode& first = kept[found->second];
        for (size_t i = 0; i < n.outputs.size(); ++i) {
          if (n.outputs[i] != kAbsent) same[static_cast<size_t>(n.outputs[i])] = first.outputs[i];
        }
        continue;
      }
      seen.emplace(hash, kept.size());
    }
    kept.push_back(std::move(n));
  }
  const bool changed = kept.size() != graph.nodes.size();
  graph.nodes = std::move(kept);
  for (ValueId& id : graph.outputs) replace(id);
  return changed;
}

}  // namespace onnxlet
