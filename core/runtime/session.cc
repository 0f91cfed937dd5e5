#include "runtime/session.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/level.h"
#include "base/text.h"
#include "base/trim.h"
#include "runtime/feed.h"

namespace onnxlet {

constexpr size_t kMostPlans = 8;

namespace {

void set_accuracy_level(IrGraph& graph, int level) {
  constexpr std::string_view kName = "accuracy_level";
  for (IrNode& n : graph.nodes) {
    for (IrSubgraph& s : n.subgraphs) set_accuracy_level(*s.graph, level);
    if (n.op_type != "MatMulNBits" || n.domain != "com.microsoft") continue;
    std::erase_if(n.attributes, [&](const Attribute& a) { return a.name == kName; });
    Attribute a;
    a.name = kName;
    a.type = Attribute::Type::kInt;
    a.i = level;
    n.attributes.push_back(std::move(a));
  }
}

}  // namespace

HostBytes::HostBytes(HostBytes&& other) noexcept : data(std::exchange(other.data, nullptr)), size(other.size) {}
HostBytes::~HostBytes() { release_bytes(data); }

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(std::unique_ptr<ModelFile> file, SessionOptions options) {
  std::unique_ptr<Session> session(new Session);
  session->options_ = std::move(options);
  OL_TRY(session->initialize(std::move(file)));
  return session;
}

Level Session::level() const { return options_.deterministic ? Level::kPortable : best_level(); }

Status Session::initialize(std::unique_ptr<ModelFile> file) {
  set_level(level());
  file_ = std::move(file);
  Model& model = file_->model;
  pool_->set_limit(options_.max_memory);
  pool_->set_limit_of_one(options_.max_tensor_bytes);
  random_state_ = options_.seed;
  profile_.enable(options_.profile);
  profile_.set_trace(options_.trace);
  if (trim::kDevice && options_.device.on) {
    device_ = make_device(options_.device);
    if (device_ == nullptr) return not_implemented("this build of the engine has no device: device.on must be false");
    // What these make is the CPU's way.
    for (const char* pass : {"channels_last", "fuse_attention", "fuse_few_bits", "fuse_qdq"}) {
      options_.graph.disabled_passes.emplace_back(pass);
    }
  }
  interface_ = graph_interface(model);
  OL_ASSIGN(std::unique_ptr<IrGraph> graph, build_graph(model, options_.graph, *pool_));
  OL_TRY(run_passes(*graph, options_.graph, *pool_, &passes_));
  if (trim::keeps_operators("MatMulNBits") && options_.accuracy_level >= 0)
    set_accuracy_level(*graph, options_.accuracy_level);
  for (ValueId id : graph->inputs) {
    const std::string_view name = graph->value(id).name;
    const auto info = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                                   [&](const ValueInfo& v) { return v.name == name; });
    plan_inputs_.push_back(&*info);
    Value initial;
    for (const TensorRef& t : model.graph.initializers) {
      if (t.name != name) continue;
      OL_ASSIGN(Tensor tensor, tensor_from(t, *pool_));
      initial = Value(std::move(tensor));
    }
    defaults_.push_back(std::move(initial));
  }
  OL_ASSIGN(plan_, make_plan(std::move(graph), *pool_, device_.get()));
  if (trim::kDevice && device_ != nullptr) OL_TRY(device_->check_weights());
  pool_->trim();  // what packing needed on the way
  if (profile_.trace() >= 1) {
    for (const PassReport& p : passes_) log_line(1, text("pass ", p.name, p.changed ? ": changed" : ": nothing to do"));
    for (const Step& s : plan_->steps) log_line(1, s.node.describe());
  }
  return {};
}

std::string Session::memory() const {
  uint64_t model_bytes = file_->bytes_.size;
  for (const HostBytes& b : file_->external_) model_bytes += b.size;
  JsonWriter w;
  w.begin_object().field("in_use", pool_->in_use()).field("peak", pool_->peak()).field("limit", options_.max_memory);
  w.field("model_bytes", model_bytes).field("arena", pool_->arena_bytes()).end_object();
  return w.take();
}

Run::Run(Session& session)
    : session_(session),
      interpreter_(*session.plan_, *session.pool_, &session.random_state_, &session.profile_, session.device()),
      feeds_(session.plan_inputs_.size()) {
  interpreter_.limit_steps(session.options_.max_steps);
}

Status Run::feed(std::string_view name, const Value& value) {
  const auto& inputs = session_.plan_inputs_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->name != name) continue;
    OL_TRY(check_feed(*inputs[i], value, session_.options_.graph.free_dimensions));
    OL_ASSIGN(feeds_[i], with_valid_bools(value, session_.pool()));
    return {};
  }
  std::string known;
  for (const ValueInfo* v : inputs) append(known, text(known.empty() ? "'" : ", '", v->name, "'"));
  return invalid_argument("the model has no input '", name, "'; its inputs are ", known.empty() ? "none" : known);
}

Status Run::fetch(std::string_view name) {
  const auto& outputs = session_.interface_.outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->name != name) continue;
    fetches_.push_back(i);
    return {};
  }
  std::string known;
  for (const ValueInfo* v : outputs) append(known, text(known.empty() ? "'" : ", '", v->name, "'"));
  return invalid_argument("the model has no output '", name, "'; its outputs are ", known);
}

Status Run::keep(int index) {
  const size_t count = fetches_.empty() ? session_.interface_.outputs.size() : fetches_.size();
  const auto at = static_cast<size_t>(index);
  if (index < 0 || at >= count) return invalid_argument("output ", index, " is outside the ", count, " outputs");
  if (session_.device() == nullptr) return invalid_argument("the session has no device to leave an output on");
  interpreter_.keep(fetches_.empty() ? at : fetches_[at]);
  return {};
}

Run::~Run() { end_memory(false); }

// Runs of one session may be interleaved by a host (each waits for a custom operator): then only the first counts.
void Run::begin_memory() {
  if (!trim::kMemoryPlan || !session_.options_.memory_plan || session_.memory_run_active_) return;
  session_.memory_run_active_ = in_memory_run_ = true;
  for (const auto& [signature, plan] : session_.memory_plans_) {
    if (signature == signature_) return session_.pool_->begin_replay(plan);
  }
  session_.pool_->begin_recording();
}

void Run::end_memory(bool completed) {
  if (!trim::kMemoryPlan || !in_memory_run_) return;
  session_.memory_run_active_ = in_memory_run_ = false;
  MemoryPlan learnt = session_.pool_->end_run();
  if (!completed || learnt.blocks.empty()) return;
  auto& plans = session_.memory_plans_;
  if (plans.size() == kMostPlans) plans.erase(plans.begin());
  plans.emplace_back(std::move(signature_), std::move(learnt));
}

Status Run::begin() {
  std::string missing;
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (!feeds_[i].present()) feeds_[i] = session_.defaults_[i];
    if (feeds_[i].present()) {
      if (feeds_[i].is_tensor())
        append(signature_, text(feeds_[i].tensor().dtype(), feeds_[i].tensor().shape()));
      else
        append(signature_, "*");
      interpreter_.set_input(i, std::move(feeds_[i]));
    } else {
      append(missing, text(missing.empty() ? "'" : ", '", session_.plan_inputs_[i]->name, "'"));
    }
  }
  if (!missing.empty())
    return invalid_argument("missing input: ", missing, trim::kTrimmed ? "" : "; what has no default must be fed");
  session_.profile_.start_run();
  begin_memory();
  begun_ = true;
  return {};
}

Result<Progress> Run::step(double microseconds) {
  set_level(session_.level());
  if (done_) return Progress::kDone;
  if (!begun_) OL_TRY(begin());
  Result<Progress> progress = interpreter_.step(microseconds);
  if (!progress.ok()) {
    abort();  // what comes after the node that failed is not for another try
    end_memory(false);
    return progress.status();
  }
  if (progress.value() != Progress::kDone) return progress;
  done_ = true;
  end_memory(true);
  std::vector<Value>& outputs = interpreter_.outputs();
  if (fetches_.empty()) {
    results_ = std::move(outputs);
  } else {
    for (size_t i : fetches_) results_.push_back(outputs[i]);
  }
  return progress;
}

}  // namespace onnxlet
