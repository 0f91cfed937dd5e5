#include "graph/promote.h"

#include <cstring>

#include "base/text.h"
#include "base/trim.h"

namespace onnxlet {
namespace {

struct Promotion {
  const char* op_type;  // "Reduce" stands for every operator that starts so
  const char* attribute;
  int input;
};

constexpr Promotion kPromotions[] = {
    {"Clip", "min", 1},    {"Clip", "max", 2},      {"Squeeze", "axes", 1},    {"Unsqueeze", "axes", 1},
    {"Reduce", "axes", 1}, {"Slice", "starts", 1},  {"Slice", "ends", 2},      {"Slice", "axes", 3},
    {"Pad", "pads", 1},    {"Pad", "paddings", 1},  {"Pad", "value", 2},       {"Split", "split", 1},
    {"TopK", "k", 1},      {"Dropout", "ratio", 1}, {"Upsample", "scales", 1}, {"Reshape", "shape", 1},
};

constexpr bool kAnyKept = [] {
  for (const Promotion& p : kPromotions) {
    if (trim::keeps_operators(p.op_type)) return true;
  }
  return false;
}();

bool applies(const Promotion& p, const IrNode& node) {
  const std::string_view op = p.op_type;
  return op == "Reduce" ? node.op_type.starts_with(op) : node.op_type == op;
}

Result<Tensor> as_tensor(const Attribute& a, Pool& pool) {
  switch (a.type) {
    case Attribute::Type::kInt:
      return Tensor::from<int64_t>(pool, Shape{}, std::span(&a.i, 1));
    case Attribute::Type::kFloat:
      return Tensor::from<float>(pool, Shape{}, std::span(&a.f, 1));
    case Attribute::Type::kInts:
      return Tensor::of_ints(pool, a.ints);
    case Attribute::Type::kFloats:
      return Tensor::from<float>(pool, Shape{static_cast<int64_t>(a.floats.size())}, std::span(a.floats));
    default:
      return invalid_graph("attribute '", a.name, "' must hold numbers");
  }
}

void set_input(IrNode* node, IrGraph* graph, int at, std::string_view name, Tensor tensor) {
  const ValueId id = graph->add_value(name);
  graph->value(id).constant = std::move(tensor);
  if (static_cast<int>(node->inputs.size()) <= at) node->inputs.resize(static_cast<size_t>(at) + 1, kAbsent);
  node->inputs[static_cast<size_t>(at)] = id;
}

// Upsample-1 spells its scales as two numbers, for the last two axes of NCHW.
Status promote_upsample(IrNode* node, IrGraph* graph, Pool& pool) {
  const Attribute* height = node->find("height_scale");
  const Attribute* width = node->find("width_scale");
  if (height == nullptr || width == nullptr) return {};
  const float scales[] = {1, 1, height->f, width->f};
  OL_ASSIGN(Tensor t, Tensor::from<float>(pool, Shape{4}, std::span(scales)));
  set_input(node, graph, 1, "scales", std::move(t));
  std::erase_if(node->attributes,
                [](const Attribute& a) { return a.name == "height_scale" || a.name == "width_scale"; });
  return {};
}

}  // namespace

Status promote_attributes(IrNode* node, IrGraph* graph, Pool& pool) {
  if (!kAnyKept || !node->domain.empty()) return {};
  if (trim::keeps_operators("Upsample") && node->op_type == "Upsample") OL_TRY(promote_upsample(node, graph, pool));
  for (const Promotion& p : kPromotions) {
    if (!applies(p, *node)) continue;
    const auto at = static_cast<size_t>(p.input);
    const Attribute* a = node->find(p.attribute);
    if (a == nullptr || (at < node->inputs.size() && node->inputs[at] != kAbsent)) continue;
    OL_ASSIGN(Tensor t, as_tensor(*a, pool));
    set_input(node, graph, p.input, p.attribute, std::move(t));
    std::erase_if(node->attributes, [&](const Attribute& b) { return b.name == p.attribute; });
  }
  return {};
}

}  // namespace onnxlet
