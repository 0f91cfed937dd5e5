// What each node did: its time, kernel and shapes. Costs nothing when off.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/trim.h"
#include "base/value.h"
#include "ir/ir.h"

namespace onnxlet {

class Profile {
 public:
  void enable(bool on) { enabled_ = on; }
  // 0 off, 1 plan, 2 per node: time, shapes, kernel, 3 tensor statistics, 4 all elements.
  void set_trace(int level) { trace_ = level; }
  int trace() const { return trim::kTrimmed ? 0 : trace_; }
  bool active() const { return !trim::kTrimmed && (enabled_ || trace_ >= 2); }
  double now() const;  // microseconds; 0 when off

  void start_run() { events_.clear(); }
  void record(const IrNode& node, std::string_view kernel, double start, std::span<const Value* const> inputs,
              std::span<const Value> outputs);
  std::string to_json() const;

 private:
  struct Event {
    std::string node, op_type, domain, inputs, outputs, kernel;  // inputs, outputs: JSON lists
    double start, duration;
  };
  bool enabled_ = false;
  int trace_ = 0;
  std::vector<Event> events_;
};

// A line for the host's log. Levels as in set_trace.
void log_line(int level, std::string_view line);

}  // namespace onnxlet
