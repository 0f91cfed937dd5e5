// Zeros that a Pad puts around the spatial axes before a Conv or an AveragePool, which have pads of their own.
#include <algorithm>

#include "graph/match.h"
#include "graph/passes.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// The pads of the spatial axes, begins before ends, of a Pad that adds zeros there and nothing elsewhere.
std::optional<std::vector<int64_t>> zeros_around(Matcher& m, const IrNode& pad) {
  const Attribute* mode = pad.find("mode");
  const Tensor* pads = m.graph().constant(Matcher::input(pad, 1));
  const ValueId value = Matcher::input(pad, 2);
  if ((mode != nullptr && mode->s != "constant") || pads == nullptr) return std::nullopt;
  if ((value != kAbsent && m.scalar(value) != 0.0) || Matcher::input(pad, 3) != kAbsent) return std::nullopt;
  Result<std::vector<int64_t>> all = to_ints(*pads, "pads");
  if (!all.ok() || all.value().size() < 6) return std::nullopt;
  const size_t rank = all.value().size() / 2;
  std::vector<int64_t> out;
  for (size_t i = 0; i < 2 * rank; ++i) {
    const int64_t n = all.value()[i];
    if (n < 0 || (i % rank < 2 && n != 0)) return std::nullopt;
    if (i % rank >= 2) out.push_back(n);
  }
  return out;
}

Result<bool> pad_before(Matcher& m, IrNode& n, Pool&) {
  const ValueId padded = n.inputs[0];
  const IrNode* pad = m.producer(padded, "Pad");
  const auto zeros = pad != nullptr && m.readers(padded) == 1 ? zeros_around(m, *pad) : std::nullopt;
  const Attribute* automatic = n.find("auto_pad");
  if (!zeros || (automatic != nullptr && automatic->s != "NOTSET")) return false;
  std::vector<int64_t> pads(zeros->size(), 0);
  if (const Attribute* own = n.find("pads")) pads = own->ints;
  if (pads.size() != zeros->size()) return false;
  const bool pool = n.op_type == "AveragePool";
  if (pool) {
    // The zeros of a Pad count in the average, so all pads must.
    const bool none = std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; });
    if ((!none && int_attribute(n, "count_include_pad", 0) == 0) || int_attribute(n, "ceil_mode", 0) != 0) return false;
  }
  std::transform(pads.begin(), pads.end(), zeros->begin(), pads.begin(), [](int64_t a, int64_t b) { return a + b; });
  if (pool) {
    const Attribute* kernel = n.find("kernel_shape");
    if (kernel == nullptr || kernel->ints.size() * 2 != pads.size()) return false;
    for (size_t i = 0; i < pads.size(); ++i) {
      if (pads[i] >= kernel->ints[i % kernel->ints.size()]) return false;
    }
  }
  std::vector<ValueId> inputs = n.inputs;
  inputs[0] = pad->inputs[0];
  m.reconnect(n, std::move(inputs));
  Matcher::unset(n, "pads");
  Matcher::unset(n, "count_include_pad");
  Matcher::set(n, "pads", std::move(pads));
  if (pool) Matcher::set(n, "count_include_pad", int64_t{1});
  return true;
}

constexpr Rule kRules[] = {{"Conv", pad_before}, {"AveragePool", pad_before}};

}  // namespace

Result<bool> fuse_pad(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
