#include "runtime/interpreter.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "ops/run.h"
#include "runtime/host.h"

namespace onnxlet {
namespace {

const Value& absent_value() {
  static const Value* const value = new Value;  // never destroyed: no static destructor
  return *value;
}

constexpr size_t kMaxFrames = 256;

std::string shapes_text(std::span<const Value* const> inputs) {
  std::string out;
  for (const Value* v : inputs) {
    if (!out.empty()) append(out, ", ");
    if (v->is_tensor())
      append(out, text(v->tensor().dtype(), v->tensor().shape()));
    else
      append(out, v->present() ? kind_name(v->kind()) : "-");
  }
  return out;
}

}  // namespace

Interpreter::Interpreter(const Plan& plan, Pool& pool, uint64_t* random_state, Profile* profile)
    : pool_(pool), random_state_(random_state), profile_(profile) {
  frames_.push_back({&plan, std::vector<Value>(static_cast<size_t>(plan.slots)), 0, nullptr});
}

void Interpreter::set_input(size_t index, Value value) {
  Frame& frame = frames_.front();
  frame.slots[static_cast<size_t>(frame.plan->input_slots[index])] = std::move(value);
}

const Value& Interpreter::value(const Frame& frame, Ref ref) const {
  if (ref.absent()) return absent_value();
  if (ref.is_slot()) return frame.slots[static_cast<size_t>(ref.slot_index())];
  return frame.plan->constants[static_cast<size_t>(ref.constant_index())];
}

const Value& Interpreter::pending_input(size_t index) const { return value(frames_.back(), pending_->inputs[index]); }

void Interpreter::set_pending_output(size_t index, Value value) {
  if (pending_outputs_.size() <= index) pending_outputs_.resize(index + 1);
  pending_outputs_[index] = std::move(value);
}

Result<Progress> Interpreter::step(double microseconds) {
  const double end = microseconds > 0 ? host_now() + microseconds : 0;
  if (pending_ != nullptr) OL_TRY(finish_pending());
  while (!frames_.empty()) {
    if (aborted_) return Status(Code::kAborted, "the run was aborted");
    Frame& frame = frames_.back();
    if (frame.at < frame.plan->steps.size()) {
      const Step& step = frame.plan->steps[frame.at];
      if (step.node.custom) {
        pending_ = &step;
        pending_since_ = profile_->now();
        return Progress::kPending;
      }
      OL_TRY(run_step(frame, step));
      if (end > 0 && host_now() >= end) return Progress::kYielded;
      continue;
    }
    std::vector<Value> results = results_of(frame);
    frames_.pop_back();
    if (frames_.empty()) {
      outputs_ = std::move(results);
    } else {
      OL_TRY(advance_control(std::move(results)));
    }
  }
  return Progress::kDone;
}

std::vector<Value> Interpreter::results_of(Frame& frame) {
  std::vector<Value> results;
  for (const Ref& r : frame.plan->outputs) results.push_back(value(frame, r));
  return results;
}

Status Interpreter::run_step(Frame& frame, const Step& step) {
  if ((step.row->flags & kControl) != 0) return start_control(frame, step);
  std::vector<const Value*>& inputs = step_inputs_;
  std::vector<Value*>& last_use = step_last_use_;
  inputs.clear();
  last_use.clear();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    inputs.push_back(&value(frame, step.inputs[i]));
    last_use.push_back(step.input_dies[i] ? &frame.slots[static_cast<size_t>(step.inputs[i].slot_index())] : nullptr);
  }
  bool wanted[64];
  const size_t outputs_count = std::min<size_t>(step.outputs.size(), std::size(wanted));
  if (outputs_count < step.outputs.size()) return not_implemented(step.node.describe(), ": more than 64 outputs");
  for (size_t i = 0; i < outputs_count; ++i) wanted[i] = step.outputs[i] >= 0;
  const double start = profile_->now();
  std::vector<Value> outputs;
  const char* kernel = nullptr;
  Status status =
      run_op({step.op.get(), step.row, step.schema, inputs, last_use, {wanted, outputs_count}, &pool_, random_state_},
             &outputs, &kernel);
  if (status.ok() && take_worker_failure())
    status = internal_error("a worker thread trapped while it ran this operator");
  if (!status.ok()) {
    const std::string shapes = shapes_text(inputs);
    const Code code = status.code();
    return Status(code, text(step.node.describe(), ": ", status.message(), " [inputs: ", shapes, "]"));
  }
  if (profile_->active()) profile_->record(step.node, kernel, start, inputs, outputs);
  store(frame, step, std::move(outputs));
  return {};
}

void Interpreter::store(Frame& frame, const Step& step, std::vector<Value> outputs) {
  for (int slot : step.dying) frame.slots[static_cast<size_t>(slot)] = Value();
  for (size_t i = 0; i < step.outputs.size() && i < outputs.size(); ++i) {
    if (step.outputs[i] >= 0) frame.slots[static_cast<size_t>(step.outputs[i])] = std::move(outputs[i]);
  }
  ++frame.at;
}

Status Interpreter::start_control(Frame& frame, const Step& step) {
  std::vector<Value> inputs;
  for (const Ref& r : step.inputs) inputs.push_back(value(frame, r));
  Result<std::unique_ptr<ControlState>> state =
      static_cast<const ControlOp*>(step.op.get())->start(std::move(inputs), step, pool_);
  if (!state.ok()) return state.status().with_context(text(step.node.describe(), ": "));
  frame.control = state.take();
  return advance_control({});
}

Status Interpreter::advance_control(std::vector<Value> results) {
  Frame& frame = frames_.back();
  const Step& step = frame.plan->steps[frame.at];
  Result<BodyCall> next = frame.control->advance(std::move(results));
  if (!next.ok()) return next.status().with_context(text(step.node.describe(), ": "));
  BodyCall& call = next.value();
  if (call.body < 0) {
    frame.control.reset();
    store(frame, step, std::move(call.outputs));
    return {};
  }
  if (frames_.size() >= kMaxFrames)
    return run_failed(step.node.describe(), ": control flow is nested more than ", kMaxFrames, " deep");
  const auto index = static_cast<size_t>(call.body);
  const Plan& body = *step.bodies[index];
  if (call.inputs.size() != body.input_slots.size()) {
    return invalid_graph(step.node.describe(), ": its body takes ", body.input_slots.size(), " inputs; the node gives ",
                         call.inputs.size());
  }
  Frame child{&body, std::vector<Value>(static_cast<size_t>(body.slots)), 0, nullptr};
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (body.input_slots[i] >= 0) child.slots[static_cast<size_t>(body.input_slots[i])] = std::move(call.inputs[i]);
  }
  for (size_t i = 0; i < body.capture_slots.size(); ++i) {
    child.slots[static_cast<size_t>(body.capture_slots[i])] = frame.slots[static_cast<size_t>(step.captured[index][i])];
  }
  frames_.push_back(std::move(child));
  return {};
}

Status Interpreter::finish_pending() {
  const Step& step = *pending_;
  pending_ = nullptr;
  std::vector<Value> outputs = std::exchange(pending_outputs_, {});
  if (!pending_error_.empty()) return run_failed(step.node.describe(), ": ", std::exchange(pending_error_, {}));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] < 0 || (i < outputs.size() && outputs[i].present())) continue;
    return run_failed(step.node.describe(), ": the function of this operator gave no output ", i);
  }
  Frame& frame = frames_.back();
  if (profile_->active()) {
    std::vector<const Value*> inputs;
    for (const Ref& r : step.inputs) inputs.push_back(&value(frame, r));
    profile_->record(step.node, "host", pending_since_, inputs, outputs);
  }
  store(frame, step, std::move(outputs));
  return {};
}

}  // namespace onnxlet
