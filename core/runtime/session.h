// A model, planned and ready to run; and one execution of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/level.h"
#include "base/parallel.h"
#include "graph/passes.h"
#include "runtime/interpreter.h"
#include "runtime/plan.h"
#include "runtime/profile.h"

namespace onnxlet {

// Bytes from the host, which got them from allocate_bytes().
struct HostBytes {
  char* data = nullptr;
  size_t size = 0;
  HostBytes(void* d, size_t n) : data(static_cast<char*>(d)), size(n) {}
  HostBytes(HostBytes&& other) noexcept;
  HostBytes& operator=(HostBytes&&) = delete;
  ~HostBytes();
  std::string_view view() const { return {data, size}; }
};

// A parsed file before it becomes a session. External data arrives here.
class ModelFile {
 public:
  static Result<std::unique_ptr<ModelFile>> open(HostBytes bytes);
  Status provide(std::string_view file, HostBytes bytes);
  std::string describe() const;

  Model model;

 private:
  friend class Session;
  explicit ModelFile(HostBytes bytes) : bytes_(std::move(bytes)) {}
  void each_external(FunctionRef<void(TensorRef&)> f);

  HostBytes bytes_;
  std::vector<HostBytes> external_;
};

struct SessionOptions {
  GraphOptions graph;
  uint64_t max_memory = 0, max_tensor_bytes = 0, max_steps = 0;  // 0: no limit
  bool profile = false, deterministic = false, memory_plan = true;
  int trace = 0;
  uint64_t seed = 0;
  DeviceOptions device;
  int accuracy_level = -1;  // of every MatMulNBits, instead of the model's
};
Result<SessionOptions> parse_options(std::string_view json);

class Session {
 public:
  static Result<std::unique_ptr<Session>> create(std::unique_ptr<ModelFile> file, SessionOptions options);
  ~Session();

  std::string describe() const;
  std::string memory() const;
  const Profile& profile() const { return profile_; }
  const GraphInterface& interface() const { return interface_; }
  const Plan& plan() const { return *plan_; }
  Pool& pool() const { return *pool_; }
  Device* device() const { return on_device_ ? device_.get() : nullptr; }  // null: everything runs on the CPU
  void leave_device() { on_device_ = false; }                              // from the next run on

 private:
  friend class Run;
  Session() = default;
  Status initialize(std::unique_ptr<ModelFile> file);
  Level level() const;

  PoolPtr pool_{new Pool};
  std::unique_ptr<ModelFile> file_;
  std::unique_ptr<Device> device_;
  bool on_device_ = true;
  SessionOptions options_;
  GraphInterface interface_;
  std::vector<Value> defaults_;  // beside the plan's inputs: values of overridable initializers
  std::vector<const ValueInfo*> plan_inputs_;
  std::unique_ptr<Plan> plan_;
  std::vector<PassReport> passes_;
  Profile profile_;
  uint64_t random_state_ = 0;
  // Memory plans by the shapes that were fed, most recent last.
  std::vector<std::pair<std::string, MemoryPlan>> memory_plans_;
  bool memory_run_active_ = false;
};

// JSON for the host: the custom operator that a pending run waits for, with its attributes.
std::string describe_pending(const Step& step);

class Run {
 public:
  explicit Run(Session& session);
  Status feed(std::string_view name, const Value& value);
  Status fetch(std::string_view name);
  Status keep(int index);  // of the outputs that are fetched: it stays on the session's device
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  Result<Progress> step(double microseconds);  // as Interpreter::step
  void abort() { interpreter_.abort(); }
  Interpreter& interpreter() { return interpreter_; }
  int output_count() const { return static_cast<int>(results_.size()); }
  const Value& output(int i) const { return results_[static_cast<size_t>(i)]; }

 private:
  Status begin();
  void begin_memory();
  void end_memory(bool completed);
  Session& session_;
  Interpreter interpreter_;
  std::vector<Value> feeds_;     // beside the plan's inputs
  std::vector<size_t> fetches_;  // indices of graph outputs
  std::vector<Value> results_;
  std::string signature_;  // dtypes and shapes of the feeds, the key of a memory plan
  bool begun_ = false, done_ = false, in_memory_run_ = false;
};

}  // namespace onnxlet
