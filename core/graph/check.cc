#include "graph/check.h"

#include <algorithm>

#include "base/text.h"
#include "base/trim.h"

namespace onnxlet {
namespace {

constexpr size_t kMaxShown = 50;

const char* attribute_type_name(Attribute::Type type) {
  constexpr const char* kNames[] = {"undefined",      "float",      "int",        "string",  "tensor", "graph",
                                    "floats",         "ints",       "strings",    "tensors", "graphs", "sparse_tensor",
                                    "sparse_tensors", "type_proto", "type_protos"};
  const auto i = static_cast<size_t>(type);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

void check_count(const IrNode& ir, const char* what, size_t have, uint16_t least, uint16_t most, Problems* problems) {
  if (have >= least && have <= most) return;
  std::string wanted = text(least);
  if (most == UINT16_MAX)
    append(wanted, " or more");
  else if (most != least)
    append(wanted, text(" to ", most));
  problems->add(Code::kInvalidGraph,
                text(ir.describe(), " has ", have, " ", what, "; the specification asks for ", wanted));
}

bool has_attribute(const IrNode& ir, std::string_view name) {
  for (const IrSubgraph& s : ir.subgraphs) {
    if (s.attribute == name) return true;
  }
  return ir.find(name) != nullptr;
}

}  // namespace

void Problems::add(Code code, std::string message) {
  if (messages_.empty()) code_ = code;
  if (std::find(messages_.begin(), messages_.end(), message) == messages_.end())
    messages_.push_back(std::move(message));
}

Status Problems::report() const {
  if (messages_.empty()) return {};
  if (messages_.size() == 1) return {code_, messages_[0]};
  std::string all = text("the model has ", messages_.size(), " problems:");
  for (size_t i = 0; i < messages_.size() && i < kMaxShown; ++i) append(all, text("\n- ", messages_[i]));
  if (messages_.size() > kMaxShown) append(all, text("\n- and ", messages_.size() - kMaxShown, " more"));
  return {code_, all};
}

void report_missing_operator(const IrNode& n, Problems* problems) {
  const std::string op = n.domain.empty() ? std::string(n.op_type) : text(n.domain, ".", n.op_type);
  if (trim::kTrimmed) {
    const std::string version = n.schema != nullptr ? text("-", n.opset) : "";
    return problems->add(left_out(op + version));
  }
  if (n.schema != nullptr) {
    problems->add(Code::kNotImplemented, text("operator ", op, "-", n.since_version(), " is not in this build"));
  } else if (const Schema* first = first_schema(n.domain, n.op_type)) {
    problems->add(Code::kInvalidGraph, text("operator ", op, " does not exist in version ", n.opset,
                                            " of its domain; it came with version ", first->since_version));
  } else {
    problems->add(Code::kNotImplemented, text("operator ", op, " (", n.describe(),
                                              ") is unknown; if it is yours, register it as a custom operator"));
  }
}

void check_host_attributes(const IrNode& ir, Problems* problems) {
  const auto refuse = [&](std::string_view name, const char* type) {
    problems->add(Code::kNotImplemented, text("attribute '", name, "' of ", ir.describe(), " is of type ", type,
                                              "; a custom operator gets numbers, strings and lists of them"));
  };
  for (const IrSubgraph& s : ir.subgraphs) refuse(s.attribute, "graph");
  for (const Attribute& a : ir.attributes) {
    switch (a.type) {
      case Attribute::Type::kFloat:
      case Attribute::Type::kInt:
      case Attribute::Type::kString:
      case Attribute::Type::kFloats:
      case Attribute::Type::kInts:
      case Attribute::Type::kStrings:
        break;
      default:
        refuse(a.name, attribute_type_name(a.type));
    }
  }
}

void check_against_schema(const Node& node, const IrNode& ir, Problems* problems) {
  const Schema* s = ir.schema;
  if (s == nullptr || s->left_out) return;
  check_count(ir, "inputs", node.inputs.size(), s->min_input, s->max_input, problems);
  check_count(ir, "outputs", node.outputs.size(), s->min_output, s->max_output, problems);
  for (size_t i = 0; i < std::min<size_t>(node.inputs.size(), s->inputs.size()); ++i) {
    if (node.inputs[i].empty() && s->inputs[i].option == FormalParameter::kSingle && i < s->min_input) {
      problems->add(Code::kInvalidGraph,
                    text(ir.describe(), " leaves out its required input '", s->inputs[i].name, "'"));
    }
  }
  for (const Attribute& a : ir.attributes) {
    const auto spec = std::find_if(s->attributes.begin(), s->attributes.end(),
                                   [&](const AttributeSpec& candidate) { return a.name == candidate.name; });
    if (spec == s->attributes.end()) {
      problems->add(Code::kInvalidGraph,
                    text(ir.describe(), " has the attribute '", a.name, "', which its version does not know"));
    } else if (a.type != spec->type) {
      problems->add(Code::kInvalidGraph,
                    text("attribute '", a.name, "' of ", ir.describe(), " is of type ", attribute_type_name(a.type),
                         "; the specification has ", attribute_type_name(spec->type)));
    }
  }
  for (const AttributeSpec& spec : s->attributes) {
    const bool hint = std::string_view(spec.name) == "consumed_inputs";  // dropped when the graph is built
    if (spec.required && !hint && !has_attribute(ir, spec.name)) {
      problems->add(Code::kInvalidGraph, text(ir.describe(), " lacks the required attribute '", spec.name, "'"));
    }
  }
}

}  // namespace onnxlet
