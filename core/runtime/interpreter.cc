#include "runtime/interpreter.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "base/trim.h"
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

Interpreter::Interpreter(const Plan& plan, Pool& pool, uint64_t* random_state, Profile* profile, Device* device)
    : pool_(pool), random_state_(random_state), profile_(profile), device_(device) {
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
  if (trim::kHostOperators && pending_ != nullptr) OL_TRY(finish_pending());
  if (trim::kDevice && std::exchange(waits_, false)) {
    device_->done();
    if (!pending_error_.empty()) return run_failed("the device: ", std::exchange(pending_error_, {}));
  }
  while (!frames_.empty()) {
    if (aborted_) return Status(Code::kAborted, "the run was aborted");
    Frame& frame = frames_.back();
    const bool finished = frame.at == frame.plan->steps.size();
    const bool counts = trim::kSubgraphs && most_steps_ != 0 && !(finished && frames_.size() == 1);
    if (counts && steps_++ == most_steps_) return too_many_steps();
    if (!finished) {
      const Step& step = frame.plan->steps[frame.at];
      if (trim::kDevice && device_ != nullptr) {
        OL_ASSIGN(const bool taken, run_on_device(frame, step));
        if (taken) continue;
        OL_TRY(fetch_inputs(frame, step));
        if (waits_) return Progress::kPending;
      }
      if (trim::kHostOperators && step.node.custom) {
        pending_ = &step;
        pending_since_ = profile_->now();
        return Progress::kPending;
      }
      OL_TRY(run_step(frame, step));
      if (end > 0 && host_now() >= end) return Progress::kYielded;
      continue;
    }
    if (trim::kDevice && device_ != nullptr) {
      OL_TRY(fetch_outputs(frame));
      if (waits_) return Progress::kPending;
    }
    std::vector<Value> results = results_of(frame);
    frames_.pop_back();
    if (!trim::kSubgraphs || frames_.empty()) {
      outputs_ = std::move(results);
      if (trim::kDevice) OL_TRY(keep_outputs());
      if (waits_) return Progress::kPending;
    } else {
      OL_TRY(advance_control(std::move(results)));
      if (end > 0 && host_now() >= end) return Progress::kYielded;  // a body may have no steps
    }
  }
  return Progress::kDone;
}

Status Interpreter::too_many_steps() const {
  const Frame& outermost = frames_.front();
  return run_failed(outermost.plan->steps[outermost.at].node.describe(), ": the run was stopped after ", most_steps_,
                    " steps, as many as max_steps allows: a loop does not end, or more are needed");
}

std::vector<Value> Interpreter::results_of(Frame& frame) {
  std::vector<Value> results;
  for (const Ref& r : frame.plan->outputs) results.push_back(value(frame, r));
  return results;
}

OpCall Interpreter::call_of(Frame& frame, const Step& step) {
  step_inputs_.clear();
  step_last_use_.clear();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    step_inputs_.push_back(&value(frame, step.inputs[i]));
    step_last_use_.push_back(step.input_dies[i] ? &frame.slots[static_cast<size_t>(step.inputs[i].slot_index())]
                                                : nullptr);
  }
  const size_t outputs = std::min(step.outputs.size(), std::size(step_wanted_));
  for (size_t i = 0; i < outputs; ++i) step_wanted_[i] = step.outputs[i] >= 0;
  return {step.op.get(),           step.row, step.schema,  step_inputs_, step_last_use_,
          {step_wanted_, outputs}, &pool_,   random_state_};
}

Status Interpreter::failed(const Step& step, const Status& status) const {
  return Status(status.code(),
                text(step.node.describe(), ": ", status.message(), " [inputs: ", shapes_text(step_inputs_), "]"));
}

Status Interpreter::run_step(Frame& frame, const Step& step) {
  if (trim::kSubgraphs && (step.row->flags & kControl) != 0) return start_control(frame, step);
  if (step.outputs.size() > std::size(step_wanted_)) {
    return not_implemented(step.node.describe(), ": more than 64 outputs");
  }
  const OpCall call = call_of(frame, step);
  const double start = profile_->now();
  std::vector<Value> outputs;
  const char* kernel = nullptr;
  Status status = run_op(call, &outputs, &kernel);
  if (status.ok() && take_worker_failure())
    status = internal_error("a worker thread trapped while it ran this operator");
  if (!status.ok()) return failed(step, status);
  if (trim::kDevice && device_ != nullptr && (step.row->flags & kShapeOnly) != 0 && !call.inputs[0]->is_here()) {
    for (Value& v : outputs) {
      if (v.is_tensor() && v.tensor().raw() == nullptr) v.add_device(call.inputs[0]->device());
    }
  }
  if (profile_->active()) profile_->record(step.node, kernel != nullptr ? kernel : "", start, call.inputs, outputs);
  store(frame, step, std::move(outputs));
  return {};
}

Result<bool> Interpreter::run_on_device(Frame& frame, const Step& step) {
  if (step.outputs.size() > std::size(step_wanted_)) return false;
  const OpCall call = call_of(frame, step);
  const double start = profile_->now();
  std::vector<Value> outputs;
  std::string kernel;
  if (step.device != nullptr) {
    Status status = check_call(call);
    if (!status.ok()) return failed(step, status);
  }
  Result<bool> taken = device_->run(step.node, step.device.get(), call, &outputs, &kernel);
  if (!taken.ok()) return failed(step, taken.status());
  if (!taken.value()) return false;
  if (profile_->active()) profile_->record(step.node, kernel, start, call.inputs, outputs);
  store(frame, step, std::move(outputs));
  return true;
}

Status Interpreter::fetch(Frame& frame, std::span<const Ref> values) {
  for (const Ref& r : values) {
    if (!r.is_slot()) continue;
    Value& v = frame.slots[static_cast<size_t>(r.slot_index())];
    if (v.is_here()) continue;
    OL_TRY(device_->fetch(&v, pool_));
    waits_ = true;
  }
  return {};
}

Status Interpreter::fetch_inputs(Frame& frame, const Step& step) {
  const bool shape_only = step.row != nullptr && (step.row->flags & kShapeOnly) != 0;
  const std::span<const Ref> inputs(step.inputs);
  return fetch(frame, shape_only && !inputs.empty() ? inputs.subspan(1) : inputs);
}

Status Interpreter::fetch_outputs(Frame& frame) {
  std::vector<Ref> wanted;
  for (size_t i = 0; i < frame.plan->outputs.size(); ++i) {
    const bool kept = frames_.size() == 1 && std::find(kept_.begin(), kept_.end(), i) != kept_.end();
    if (!kept) wanted.push_back(frame.plan->outputs[i]);
  }
  return fetch(frame, wanted);
}

Status Interpreter::keep_outputs() {
  for (size_t i : kept_) {
    Value& v = outputs_[i];
    if (!v.is_tensor() || v.tensor().dtype() == DType::kString) continue;
    OL_TRY(device_->keep(&v));
    waits_ = true;
  }
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
    if (i < outputs.size() && outputs[i].present()) {
      OL_ASSIGN(outputs[i], with_valid_bools(std::move(outputs[i]), pool_));
      continue;
    }
    if (step.outputs[i] < 0) continue;
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
