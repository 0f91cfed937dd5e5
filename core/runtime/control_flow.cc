// If, Loop and SequenceMap. Scan is in scan.cc.
#include <algorithm>

#include "base/text.h"
#include "runtime/control.h"
#include "runtime/stack.h"

namespace onnxlet {
namespace {

Result<bool> condition(const Value& v) {
  if (!v.is_tensor() || v.tensor().dtype() != DType::kBool || v.tensor().size() != 1) {
    return run_failed("a condition must be one bool; it is ",
                      v.is_tensor() ? text(v.tensor().dtype(), v.tensor().shape()) : std::string(kind_name(v.kind())));
  }
  return *v.tensor().data<bool>();
}

int body_index(const Step& step, std::string_view attribute) {
  for (size_t i = 0; i < step.node.subgraphs.size(); ++i) {
    if (step.node.subgraphs[i].attribute == attribute) return static_cast<int>(i);
  }
  return -1;
}

// ---- If ----

struct IfState : ControlState {
  int branch;
  bool started = false;
  explicit IfState(int b) : branch(b) {}
  Result<BodyCall> advance(std::vector<Value> results) override {
    BodyCall call;
    if (!started) {
      started = true;
      call.body = branch;
    } else {
      call.outputs = std::move(results);
    }
    return call;
  }
};

struct If : ControlOp {
  Status init(Attrs&) { return {}; }
  Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step, Pool&) const override {
    OL_ASSIGN(const bool yes, condition(inputs[0]));
    return std::unique_ptr<ControlState>(new IfState(body_index(step, yes ? "then_branch" : "else_branch")));
  }
};

// ---- Loop ----

struct LoopState : ControlState {
  Pool& pool;
  const Plan& body;
  int64_t trip_count;  // INT64_MAX when not given
  int64_t iteration = 0;
  bool started = false, go_on;
  std::vector<Value> carried;
  size_t carried_count = 0;  // carried itself is empty while the body runs
  std::vector<std::vector<Tensor>> scans;

  LoopState(Pool& p, const Plan& b) : pool(p), body(b) {}

  Result<BodyCall> advance(std::vector<Value> results) override {
    if (started) OL_TRY(take(std::move(results)));
    started = true;
    BodyCall call;
    if (go_on && iteration < trip_count) {
      call.body = 0;
      OL_ASSIGN(Tensor i, Tensor::from<int64_t>(pool, Shape{}, std::span<const int64_t>(&iteration, 1)));
      OL_ASSIGN(Tensor c, Tensor::from<bool>(pool, Shape{}, std::span<const bool>(&go_on, 1)));
      call.inputs.push_back(Value(std::move(i)));
      call.inputs.push_back(Value(std::move(c)));
      for (Value& v : carried) call.inputs.push_back(std::move(v));
      carried.clear();
      return call;
    }
    call.outputs = std::move(carried);
    for (size_t k = 0; k < scans.size(); ++k) {
      OL_ASSIGN(Tensor t, stack(scans[k], 0, body.output_types[1 + carried_count + k], pool));
      call.outputs.push_back(Value(std::move(t)));
    }
    return call;
  }

  Status take(std::vector<Value> results) {
    OL_ASSIGN(go_on, condition(results[0]));
    carried.assign(carried_count, Value());
    for (size_t k = 0; k < carried_count; ++k) carried[k] = std::move(results[1 + k]);
    for (size_t k = 0; k < scans.size(); ++k) OL_TRY(collect(results[1 + carried_count + k], k, &scans[k]));
    ++iteration;
    return {};
  }
};

struct Loop : ControlOp {
  Status init(Attrs&) { return {}; }
  Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step, Pool& pool) const override {
    const Plan& body = *step.bodies[0];
    auto state = std::make_unique<LoopState>(pool, body);
    state->trip_count = INT64_MAX;
    state->go_on = true;
    if (!inputs.empty() && inputs[0].present()) {
      OL_ASSIGN(state->trip_count, to_int(inputs[0].tensor(), "the trip count of a Loop"));
    }
    if (inputs.size() > 1 && inputs[1].present()) {
      OL_ASSIGN(state->go_on, condition(inputs[1]));
    }
    for (size_t i = 2; i < inputs.size(); ++i) state->carried.push_back(std::move(inputs[i]));
    state->carried_count = state->carried.size();
    if (body.outputs.size() < 1 + state->carried_count) {
      return invalid_graph("the body of a Loop with ", state->carried_count, " carried values gives ",
                           body.outputs.size(), " outputs");
    }
    state->scans.resize(body.outputs.size() - 1 - state->carried_count);
    return std::unique_ptr<ControlState>(std::move(state));
  }
};

// ---- SequenceMap ----

struct SequenceMapState : ControlState {
  std::vector<Value> inputs;
  std::vector<Value::Sequence> outputs;
  size_t at = 0;
  bool started = false;

  Result<BodyCall> advance(std::vector<Value> results) override {
    if (started) {
      for (size_t k = 0; k < outputs.size(); ++k) outputs[k].push_back(std::move(results[k]));
      ++at;
    }
    started = true;
    BodyCall call;
    if (at < inputs[0].sequence().size()) {
      call.body = 0;
      for (const Value& v : inputs) {
        call.inputs.push_back(v.kind() == Value::Kind::kSequence ? v.sequence()[at] : v);
      }
    } else {
      for (Value::Sequence& s : outputs) call.outputs.push_back(Value::sequence(std::move(s)));
    }
    return call;
  }
};

struct SequenceMap : ControlOp {
  Status init(Attrs&) { return {}; }
  Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step, Pool&) const override {
    auto state = std::make_unique<SequenceMapState>();
    if (inputs.empty() || inputs[0].kind() != Value::Kind::kSequence)
      return run_failed("the first input must be a sequence");
    for (const Value& v : inputs) {
      if (v.kind() == Value::Kind::kSequence && v.sequence().size() != inputs[0].sequence().size()) {
        return run_failed("sequences of different length: ", v.sequence().size(), " and ", inputs[0].sequence().size());
      }
    }
    state->inputs = std::move(inputs);
    state->outputs.resize(step.bodies[0]->outputs.size());
    return std::unique_ptr<ControlState>(std::move(state));
  }
};

const OpRow kRows[] = {
    {"If", 1, make<If>, kControl},
    {"Loop", 1, make<Loop>, kControl},
    {"SequenceMap", 17, make<SequenceMap>, kControl},
};

}  // namespace

extern const OpTable kControlFlowOps{"", kRows};

}  // namespace onnxlet
