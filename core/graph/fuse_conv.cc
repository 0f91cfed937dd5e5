// What a convolution can do to its result while it is in registers: Conv + Add (a residual) and Conv + Relu or Clip
// become FusedConv.
#include <limits>

#include "graph/match.h"
#include "graph/passes.h"

namespace onnxlet {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

bool has_residual(const IrNode& n) { return Matcher::input(n, 3) != kAbsent; }
bool has_activation(const IrNode& n) {
  const Attribute* a = n.find("activation");
  return a != nullptr && !a->s.empty();
}

// The convolution in float whose result nothing but `reader` needs, and whose epilogue has room.
IrNode* convolution(Matcher& m, ValueId id, const IrNode& reader) {
  IrNode* n = m.producer(id, "Conv");
  if (n == nullptr) n = m.producer(id, "FusedConv", kMicrosoft);
  if (n == nullptr || has_activation(*n) || m.dtype(id) != DType::kFloat || !m.feeds_only(id, reader)) return nullptr;
  return n;
}

// n becomes the convolution with more inputs.
bool become_fused(Matcher& m, IrNode& n, const IrNode& conv, std::vector<ValueId> inputs) {
  const std::vector<Attribute> attributes = conv.attributes;
  const std::string_view name = conv.name;
  if (!m.become(n, "FusedConv", 1, kMicrosoft, std::move(inputs))) return false;
  n.attributes = attributes;
  n.name = name;
  return true;
}

Result<bool> add(Matcher& m, IrNode& n, Pool&) {
  if (n.inputs.size() != 2 || n.inputs[0] == n.inputs[1] || n.find("broadcast") != nullptr) return false;
  for (const size_t i : {size_t{1}, size_t{0}}) {
    const ValueId z = n.inputs[1 - i];
    const IrNode* conv = convolution(m, n.inputs[i], n);
    if (conv == nullptr || has_residual(*conv) || m.graph().constant(z) != nullptr) continue;
    // Where Z turns out to need broadcasting, FusedConv adds it afterwards.
    const std::optional<int> rank = m.rank(z);
    if (!rank || rank != m.rank(n.inputs[i])) continue;
    std::vector<ValueId> inputs = conv->inputs;
    inputs.resize(3, kAbsent);
    inputs.push_back(z);
    return become_fused(m, n, *conv, std::move(inputs));
  }
  return false;
}

Result<bool> relu(Matcher& m, IrNode& n, Pool&) {
  const IrNode* conv = convolution(m, n.inputs[0], n);
  if (conv == nullptr || !become_fused(m, n, *conv, conv->inputs)) return false;
  Matcher::set(n, "activation", std::string_view("Relu"));
  return true;
}

Result<bool> clip(Matcher& m, IrNode& n, Pool&) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const IrNode* conv = convolution(m, n.inputs[0], n);
  if (conv == nullptr) return false;
  const auto bound = [&](size_t i, double missing) -> std::optional<double> {
    const ValueId id = Matcher::input(n, i);
    return id == kAbsent ? missing : m.scalar(id);
  };
  const std::optional<double> lo = bound(1, -kInfinity), hi = bound(2, kInfinity);
  if (!lo || !hi || !become_fused(m, n, *conv, conv->inputs)) return false;
  Matcher::set(n, "activation", std::string_view("Clip"));
  Attribute params;
  params.name = "activation_params";
  params.type = Attribute::Type::kFloats;
  params.floats = {static_cast<float>(*lo), static_cast<float>(*hi)};
  n.attributes.push_back(std::move(params));
  return true;
}

constexpr Rule kRules[] = {{"Add", add}, {"Sum", add}, {"Relu", relu}, {"Clip", clip}};

}  // namespace

Result<bool> fuse_conv(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
