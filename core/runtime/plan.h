// What a session runs: a flat list of steps per graph, with slots for values and the point where each value dies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/value.h"
#include "ir/ir.h"
#include "ops/device.h"
#include "ops/op.h"

namespace onnxlet {

// Where a step finds a value: a slot of the frame, a constant of the plan, or nowhere.
class Ref {
 public:
  Ref() = default;
  static Ref slot(int i) { return Ref(i); }
  static Ref constant(int i) { return Ref(-2 - i); }
  bool absent() const { return at_ == -1; }
  bool is_slot() const { return at_ >= 0; }
  int slot_index() const { return at_; }
  int constant_index() const { return -2 - at_; }

 private:
  explicit Ref(int at) : at_(at) {}
  int at_ = -1;
};

struct Plan;

struct Step {
  OpPtr op;                // null for a custom operator: the host runs it
  DeviceKernelPtr device;  // null: only the CPU runs it
  const OpRow* row = nullptr;
  const Schema* schema = nullptr;
  IrNode node;  // names and attributes, for messages, profiles and custom operators
  std::vector<Ref> inputs;
  std::vector<uint8_t> input_dies;            // beside inputs: this step is the last reader of the slot
  std::vector<int> outputs;                   // slots, or -1
  std::vector<int> dying;                     // slots to clear afterwards
  std::vector<std::unique_ptr<Plan>> bodies;  // of control flow, in the order of node.subgraphs
  std::vector<std::vector<int>> captured;     // beside bodies: slots here that go into the body's capture slots
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Value> constants;
  int slots = 0;
  std::vector<int> input_slots;    // -1: an input nobody reads
  std::vector<int> capture_slots;  // filled from the enclosing frame
  std::vector<Ref> outputs;
  std::vector<const TypeSpec*> output_types;
};

// Consumes the graph. Creates every operator, packs constant weights, and reports all problems at once. `device` may be
// null; weights of what it runs stay as they are.
Result<std::unique_ptr<Plan>> make_plan(std::unique_ptr<IrGraph> graph, Pool& pool, Device* device);

}  // namespace onnxlet
