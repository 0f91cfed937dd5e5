#include "gpu/placement.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace onnxlet::gpu {
namespace {

struct ByDesign {
  std::string_view op, reason;
};
constexpr std::string_view kSizes = "the operator runs on the CPU by design: the size of its result depends on values";
constexpr ByDesign kByDesign[] = {
    {"NonMaxSuppression",
     "the operator runs on the CPU by design: each box that is kept decides on the next, and their number depends on "
     "values"},
    {"Compress", kSizes},
    {"NonZero", kSizes},
    {"Unique", kSizes},
};

}  // namespace

std::string_view why_on_cpu(const IrNode& node) {
  const auto* found = std::find_if(std::begin(kByDesign), std::end(kByDesign),
                                   [&](const ByDesign& row) { return node.domain.empty() && row.op == node.op_type; });
  return found == std::end(kByDesign) ? std::string_view() : found->reason;
}

void Placement::note(const IrNode& node, std::string reason) {
  if (next_ >= entries_.size() || entries_[next_].node != &node) {
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.node == &node; });
    next_ = static_cast<size_t>(known - entries_.begin());
    if (known == entries_.end()) entries_.push_back({&node, {}});
  }
  entries_[next_++].reason = std::move(reason);
}

std::string Placement::to_json() const {
  JsonWriter w;
  w.begin_array();
  for (const auto& [node, reason] : entries_) {
    w.begin_object().field("node", std::string_view(text(node->path, node->name)));
    w.field("op_type", std::string_view(node->op_type)).field("domain", std::string_view(node->domain));
    w.field("provider", reason.empty() ? "webgpu" : "wasm").key("reason");
    if (reason.empty())
      w.null();
    else
      w.value(std::string_view(reason));
    w.end_object();
  }
  w.end_array();
  return w.take();
}

}  // namespace onnxlet::gpu
