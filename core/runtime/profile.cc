#include "runtime/profile.h"

#include "base/json.h"
#include "base/text.h"
#include "runtime/host.h"
#include "runtime/statistics.h"

namespace onnxlet {
namespace {

void write_value(const Value& v, JsonWriter* out) {
  if (v.is_tensor())
    out->value(text(v.tensor().dtype(), v.tensor().shape()));
  else
    out->value(kind_name(v.kind()));
}

std::string node_text(const IrNode& node) { return text(node.path, node.name, " ", node.op_type); }

}  // namespace

double Profile::now() const { return active() ? host_now() : 0; }

void log_line(int level, std::string_view line) { host_log(level, line); }

void Profile::record(const IrNode& node, std::string_view kernel, double start, std::span<const Value* const> inputs,
                     std::span<const Value> outputs) {
  const double duration = host_now() - start;
  JsonWriter in, out;
  in.begin_array();
  for (const Value* v : inputs) write_value(*v, &in);
  in.end_array();
  out.begin_array();
  for (const Value& v : outputs) write_value(v, &out);
  out.end_array();
  if (trace_ >= 2) {
    log_line(2, text(node_text(node), " ", duration, " us ", in.text(), " -> ", out.text(), " ", kernel));
  }
  if (trace_ >= 3) {
    for (const Value& v : outputs) {
      if (v.is_tensor() && v.is_here()) log_line(3, text("  ", describe_tensor(v.tensor(), trace_ >= 4)));
    }
  }
  if (!enabled_) return;
  events_.push_back({text(node.path, node.name), std::string(node.op_type), std::string(node.domain), in.take(),
                     out.take(), std::string(kernel), start, duration});
}

std::string Profile::to_json() const {
  if (trim::kTrimmed) return "[]";
  JsonWriter w;
  w.begin_array();
  for (const Event& e : events_) {
    w.begin_object().field("node", std::string_view(e.node)).field("op_type", std::string_view(e.op_type));
    w.field("domain", std::string_view(e.domain)).key("kernel");
    if (!e.kernel.empty())
      w.value(std::string_view(e.kernel));
    else
      w.null();
    w.field("start_us", e.start).field("duration_us", e.duration);
    w.key("inputs").raw(e.inputs).key("outputs").raw(e.outputs).end_object();
  }
  w.end_array();
  return w.take();
}

}  // namespace onnxlet
