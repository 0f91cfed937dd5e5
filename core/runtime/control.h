// Control flow (If, Loop, Scan, SequenceMap) as state machines. The interpreter keeps them on its frame stack and asks
// each what to run next, so that execution can be suspended at any depth.
#pragma once

#include <memory>
#include <vector>

#include "ops/op.h"
#include "runtime/plan.h"

namespace onnxlet {

struct BodyCall {
  int body = -1;  // index into Step::bodies; -1: the operator is done and `outputs` holds its results
  std::vector<Value> inputs;
  std::vector<Value> outputs;
};

class ControlState {
 public:
  virtual ~ControlState() = default;
  // `results`: outputs of the body asked for last; empty at the first call.
  virtual Result<BodyCall> advance(std::vector<Value> results) = 0;
};

class ControlOp : public Op {
 public:
  // `inputs` as the node has them, absent ones as empty Values. `step` outlives the state.
  virtual Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step,
                                                      Pool& pool) const = 0;
  Status run(OpContext&) const final { return internal_error("control flow is run by the interpreter"); }
};

}  // namespace onnxlet
