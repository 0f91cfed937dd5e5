// Runs a plan. Never blocks: where the host has to act it returns kPending and continues at the next step().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/control.h"
#include "runtime/plan.h"
#include "runtime/profile.h"

namespace onnxlet {

enum class Progress { kDone = 0, kPending = 1, kYielded = 2 };

class Interpreter {
 public:
  Interpreter(const Plan& plan, Pool& pool, uint64_t* random_state, Profile* profile, Device* device);

  void set_input(size_t index, Value value);
  // With `microseconds` above 0 it answers kYielded between two steps once these have passed.
  Result<Progress> step(double microseconds);
  void abort() { aborted_ = true; }
  // Ends the run with an error after so many nodes, counted as often as they run, and passes through bodies. 0: never.
  void limit_steps(uint64_t most) { most_steps_ = most; }
  // Leaves an output of the graph on the device.
  void keep(size_t output) { kept_.push_back(output); }
  // Call once step() has answered kDone.
  std::vector<Value>& outputs() { return outputs_; }

  // While pending: the custom operator the host has to run; null where it has to do the device's commands.
  const Step* pending() const { return pending_; }
  const Device* waits_for() const { return waits_ ? device_ : nullptr; }
  const Value& pending_input(size_t index) const;
  void set_pending_output(size_t index, Value value);
  void fail_pending(std::string message) {
    pending_error_ = message.empty() ? "no reason was given" : std::move(message);
  }

 private:
  struct Frame {
    const Plan* plan;
    std::vector<Value> slots;
    size_t at = 0;                          // next step
    std::unique_ptr<ControlState> control;  // of plan->steps[at], while it runs bodies
  };

  const Value& value(const Frame& frame, Ref ref) const;
  Status run_step(Frame& frame, const Step& step);
  OpCall call_of(Frame& frame, const Step& step);
  Status failed(const Step& step, const Status& status) const;
  Status too_many_steps() const;
  // The device has taken the step.
  Result<bool> run_on_device(Frame& frame, const Step& step);
  // Has elements that only the device has sent for, and then waits_.
  Status fetch(Frame& frame, std::span<const Ref> values);
  Status fetch_inputs(Frame& frame, const Step& step);
  Status fetch_outputs(Frame& frame);
  Status keep_outputs();
  Status start_control(Frame& frame, const Step& step);
  Status advance_control(std::vector<Value> results);
  Status finish_pending();
  void store(Frame& frame, const Step& step, std::vector<Value> outputs);
  std::vector<Value> results_of(Frame& frame);

  Pool& pool_;
  uint64_t* random_state_;
  Profile* profile_;
  Device* device_;
  std::vector<Frame> frames_;
  std::vector<Value> outputs_;
  const Step* pending_ = nullptr;
  double pending_since_ = 0;               // for the profile
  std::vector<const Value*> step_inputs_;  // of the step that runs; kept so that a step allocates nothing for them
  std::vector<Value*> step_last_use_;
  bool step_wanted_[64];
  std::vector<Value> pending_outputs_;
  std::string pending_error_;
  std::vector<size_t> kept_;
  bool waits_ = false;  // for the device's commands to be done
  bool aborted_ = false;
  uint64_t most_steps_ = 0, steps_ = 0;
};

}  // namespace onnxlet
