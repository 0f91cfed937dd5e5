// The C functions of onnxlet.h: handles in, errors kept for ol_last_code and ol_last_message.
#include <algorithm>
#include <string>
#include <utility>

#include "abi/flavour.h"
#include "abi/handles.h"
#include "abi/onnxlet.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/trim.h"
#include "ops/table.h"
#include "runtime/session.h"

using namespace onnxlet;
using namespace onnxlet::abi;

namespace {

struct EngineState {
  int32_t code = OL_OK;
  std::string message;
  std::string text;  // the last string handed out
  std::vector<std::pair<std::string, std::string>> custom_ops;
  struct Worker {
    void* stack;
    void* tls;
  };
  std::vector<Worker> workers;
};

EngineState& state() {
  static EngineState* const s = new EngineState;  // never destroyed: no static destructor
  return *s;
}

}  // namespace

int32_t abi::fail(const Status& status) {
  state().code = static_cast<int32_t>(status.code());
  state().message = status.message();
  // Names from a model may hold what would end the text here.
  std::replace(state().message.begin(), state().message.end(), '\0', '?');
  return -state().code;
}

const char* abi::give(std::string text) {
  state().text = std::move(text);
  return state().text.c_str();
}

namespace {

int32_t answer(const Status& status) { return status.ok() ? 0 : fail(status); }

Status wrong_kind(const ol_value* v, const char* wanted) {
  return invalid_argument("the value is a ", v == nullptr ? "null pointer" : kind_name(v->value.kind()), ", not a ",
                          wanted);
}

bool is_tensor(const ol_value* v) { return v != nullptr && v->value.is_tensor(); }
bool is_sequence(const ol_value* v) {
  return trim::kContainers && v != nullptr && v->value.kind() == Value::Kind::kSequence;
}
bool is_map(const ol_value* v) { return trim::kContainers && v != nullptr && v->value.kind() == Value::Kind::kMap; }

const Step* pending_step(ol_run* run) {
  return trim::kHostOperators && run != nullptr ? run->run.interpreter().pending() : nullptr;
}

std::string* string_at(ol_value* v, size_t index) {
  if (!trim::keeps_type(DType::kString)) return nullptr;
  if (!is_tensor(v) || v->value.tensor().dtype() != DType::kString) return nullptr;
  Tensor& t = v->value.tensor();
  return index < static_cast<size_t>(t.size()) ? t.mutable_data<std::string>() + index : nullptr;
}

}  // namespace

int32_t ol_abi_version(void) { return OL_ABI_VERSION; }
const char* ol_version(void) { return "0.1.0"; }

const char* ol_build_info(void) {
  JsonWriter w;
  w.begin_object().field("version", ol_version()).field("abi", OL_ABI_VERSION);
  w.field("flavour", kFlavour.name).field("simd", kFlavour.simd).field("relaxed", kFlavour.relaxed);
  w.field("threads", kFlavour.threads);
  w.key("operators").begin_array();
  for (const OpTable* table : op_tables()) {
    for (const OpRow& row : table->rows) {
      if (row.make == nullptr) continue;
      w.begin_array().value(table->domain).value(row.name).value(row.since).end_array();
    }
  }
  w.end_array().end_object();
  return give(w.take());
}

int32_t ol_last_code(void) { return state().code; }
const char* ol_last_message(void) { return state().message.c_str(); }
const char* ol_code_name(int32_t code) { return code_name(static_cast<Code>(code)); }

void* ol_alloc(size_t bytes) { return allocate_bytes(bytes); }
void ol_free(void* block) { release_bytes(block); }

// ---- threads ----

void* ol_worker_stack(int32_t index, size_t stack_bytes, size_t tls_bytes, size_t tls_align) {
  if (index < 1 || index > 255 || tls_align > kAlignment) return nullptr;
  void* tls = ol_alloc(tls_bytes);
  void* stack = ol_alloc(stack_bytes);
  if (tls == nullptr || stack == nullptr) {
    ol_free(tls);
    ol_free(stack);
    return nullptr;
  }
  auto& workers = state().workers;
  if (workers.size() < static_cast<size_t>(index)) workers.resize(static_cast<size_t>(index));
  workers[static_cast<size_t>(index - 1)] = {stack, tls};
  return static_cast<char*>(stack) + stack_bytes / kAlignment * kAlignment;  // stacks grow downwards
}
void* ol_worker_tls(int32_t index) {
  const auto& workers = state().workers;
  return index >= 1 && static_cast<size_t>(index) <= workers.size() ? workers[static_cast<size_t>(index - 1)].tls
                                                                    : nullptr;
}
void ol_worker_main(int32_t index) { worker_main(index); }
void ol_worker_failed(void) { worker_failed(); }
int32_t ol_workers_ready(void) { return workers_ready(); }
void ol_set_workers(int32_t workers) { set_worker_count(workers); }
void ol_stop_workers(void) { stop_workers(); }

// ---- model ----

ol_model* ol_model_open(void* bytes, size_t size) {
  Result<std::unique_ptr<ModelFile>> file = ModelFile::open(HostBytes(bytes, size));
  if (file.ok()) return new ol_model{file.take()};
  fail(file.status());
  return nullptr;
}
void ol_model_free(ol_model* model) { delete model; }
const char* ol_model_describe(ol_model* model) { return model != nullptr ? give(model->file->describe()) : nullptr; }
int32_t ol_model_provide(ol_model* model, const char* file, size_t file_length, void* bytes, size_t size) {
  HostBytes data(bytes, size);
  if (model == nullptr) return fail(no_handle("the model"));
  return answer(model->file->provide({file, file_length}, std::move(data)));
}

// ---- session ----

ol_session* ol_session_create(ol_model* model, const char* options, size_t options_length) {
  std::unique_ptr<ol_model> owned(model);
  if (owned == nullptr) {
    fail(no_handle("the model"));
    return nullptr;
  }
  Result<SessionOptions> parsed =
      parse_options(options != nullptr ? std::string_view(options, options_length) : std::string_view());
  if (!parsed.ok()) {
    fail(parsed.status());
    return nullptr;
  }
  parsed.value().graph.custom_ops = state().custom_ops;
  Result<std::unique_ptr<Session>> session = Session::create(std::move(owned->file), parsed.take());
  if (session.ok()) return new ol_session{session.take()};
  fail(session.status());
  return nullptr;
}
void ol_session_free(ol_session* session) { delete session; }
const char* ol_session_describe(ol_session* s) { return s != nullptr ? give(s->session->describe()) : nullptr; }
const char* ol_session_memory(ol_session* s) { return s != nullptr ? give(s->session->memory()) : nullptr; }
const char* ol_session_profile(ol_session* s) { return s != nullptr ? give(s->session->profile().to_json()) : nullptr; }

// ---- run ----

ol_run* ol_run_new(ol_session* session) {
  if (session != nullptr) return new ol_run{*session->session};
  fail(no_handle("the session"));
  return nullptr;
}
void ol_run_free(ol_run* run) { delete run; }
int32_t ol_run_feed(ol_run* run, const char* name, size_t name_length, ol_value* value) {
  if (run == nullptr || value == nullptr) return fail(no_handle(run == nullptr ? "the run" : "the value"));
  return answer(run->run.feed({name, name_length}, value->value));
}
int32_t ol_run_fetch(ol_run* run, const char* name, size_t name_length) {
  if (run == nullptr) return fail(no_handle("the run"));
  return answer(run->run.fetch({name, name_length}));
}
int32_t ol_run_step(ol_run* run) { return ol_run_slice(run, 0); }
int32_t ol_run_slice(ol_run* run, int32_t microseconds) {
  if (run == nullptr) return fail(no_handle("the run"));
  Result<Progress> progress = run->run.step(microseconds);
  return progress.ok() ? static_cast<int32_t>(progress.value()) : fail(progress.status());
}
void ol_run_abort(ol_run* run) {
  if (run != nullptr) run->run.abort();
}
static std::span<const uint32_t> commands_of(ol_run* run) {
  const Device* device = run != nullptr ? run->run.interpreter().waits_for() : nullptr;
  return device != nullptr ? device->commands() : std::span<const uint32_t>();
}
const void* ol_run_commands(ol_run* run) { return commands_of(run).data(); }
size_t ol_run_commands_size(ol_run* run) { return commands_of(run).size(); }
const char* ol_run_pending(ol_run* run) {
  if (run != nullptr && run->run.interpreter().waits_for() != nullptr) return give("{\"kind\":\"device\"}");
  const Step* step = pending_step(run);
  return step != nullptr ? give(describe_pending(*step)) : nullptr;
}
ol_value* ol_run_pending_input(ol_run* run, int32_t index) {
  const Step* step = pending_step(run);
  if (step == nullptr || index < 0 || static_cast<size_t>(index) >= step->inputs.size()) return nullptr;
  const Value& v = run->run.interpreter().pending_input(static_cast<size_t>(index));
  return v.present() ? hand_out(v) : nullptr;
}
int32_t ol_run_pending_output(ol_run* run, int32_t index, ol_value* value) {
  const Step* step = pending_step(run);
  if (step == nullptr || value == nullptr)
    return fail(invalid_argument("no custom operator is waiting for this value"));
  if (index < 0 || static_cast<size_t>(index) >= step->outputs.size()) {
    return fail(
        invalid_argument("output ", index, " is outside [0, ", static_cast<int64_t>(step->outputs.size()) - 1, "]"));
  }
  run->run.interpreter().set_pending_output(static_cast<size_t>(index), value->value);
  return 0;
}
void ol_run_pending_fail(ol_run* run, const char* message, size_t message_length) {
  if (run != nullptr) run->run.interpreter().fail_pending(std::string(message, message_length));
}
int32_t ol_run_output_count(ol_run* run) { return run != nullptr ? run->run.output_count() : 0; }
ol_value* ol_run_output(ol_run* run, int32_t index) {
  if (run == nullptr || index < 0 || index >= run->run.output_count()) {
    fail(invalid_argument("output ", index, " is outside the ", run != nullptr ? run->run.output_count() : 0,
                          " outputs"));
    return nullptr;
  }
  const Value& v = run->run.output(index);
  if (!v.is_tensor() || !v.is_here() || !v.tensor().borrowed()) return hand_out(v);
  Result<Tensor> copy = v.tensor().copy(host_pool());  // the model's bytes go with the session, the value may stay
  if (copy.ok()) return hand_out(Value(copy.take()));
  fail(copy.status());
  return nullptr;
}

// ---- values ----

ol_value* ol_tensor_new(int32_t dtype, int32_t rank, const int64_t* dims) {
  Status status;
  if (dtype <= 0 || dtype >= kDTypeCount)
    status = invalid_argument("element type ", dtype, " is not one of ONNX");
  else if (rank < 0 || rank > Shape::kMaxRank)
    status = not_implemented("a tensor of rank ", rank, "; at most ", Shape::kMaxRank);
  if (status.ok()) {
    Result<Tensor> t =
        Tensor::allocate(host_pool(), static_cast<DType>(dtype), Shape(std::span(dims, static_cast<size_t>(rank))));
    if (t.ok()) return hand_out(Value(t.take()));
    status = t.status();
  }
  fail(status);
  return nullptr;
}
void ol_value_free(ol_value* value) { delete value; }
int32_t ol_value_kind(ol_value* v) { return v != nullptr ? static_cast<int32_t>(v->value.kind()) : OL_NONE; }
int32_t ol_tensor_dtype(ol_value* v) { return is_tensor(v) ? static_cast<int32_t>(v->value.tensor().dtype()) : 0; }
int32_t ol_tensor_rank(ol_value* v) { return is_tensor(v) ? v->value.tensor().rank() : 0; }
const int64_t* ol_tensor_dims(ol_value* v) { return is_tensor(v) ? v->value.tensor().shape().begin() : nullptr; }
void* ol_tensor_data(ol_value* v) {
  if (!is_tensor(v) || v->value.tensor().dtype() == DType::kString || v->value.tensor().size() == 0) return nullptr;
  return v->value.tensor().mutable_raw();
}
size_t ol_tensor_bytes(ol_value* v) {
  if (!is_tensor(v) || v->value.tensor().dtype() == DType::kString) return 0;
  return static_cast<size_t>(v->value.tensor().bytes());
}
const char* ol_tensor_string(ol_value* v, size_t index) {
  const std::string* s = string_at(v, index);
  return s != nullptr ? s->c_str() : nullptr;
}
size_t ol_tensor_string_length(ol_value* v, size_t index) {
  const std::string* s = string_at(v, index);
  return s != nullptr ? s->size() : 0;
}
int32_t ol_tensor_set_string(ol_value* v, size_t index, const char* text, size_t length) {
  std::string* s = string_at(v, index);
  if (s == nullptr) return fail(invalid_argument("no string element ", static_cast<uint64_t>(index)));
  s->assign(text, length);
  return 0;
}
ol_value* ol_sequence_new(void) {
  if (trim::kContainers) return hand_out(Value::sequence({}));
  fail(left_out("the sequence"));
  return nullptr;
}
int32_t ol_sequence_push(ol_value* sequence, ol_value* item) {
  if (!is_sequence(sequence) || item == nullptr) return fail(wrong_kind(sequence, "sequence"));
  sequence->value.mutable_sequence().push_back(item->value);
  return 0;
}
int32_t ol_sequence_size(ol_value* s) {
  return is_sequence(s) ? static_cast<int32_t>(s->value.sequence().size()) : fail(wrong_kind(s, "sequence"));
}
ol_value* ol_sequence_item(ol_value* s, int32_t index) {
  if (is_sequence(s) && index >= 0 && static_cast<size_t>(index) < s->value.sequence().size()) {
    return hand_out(s->value.sequence()[static_cast<size_t>(index)]);
  }
  fail(is_sequence(s) ? invalid_argument("item ", index, " is outside the sequence") : wrong_kind(s, "sequence"));
  return nullptr;
}
ol_value* ol_map_new(ol_value* keys, ol_value* values) {
  if (trim::kContainers && is_tensor(keys) && is_tensor(values) && keys->value.tensor().rank() == 1 &&
      keys->value.tensor().shape() == values->value.tensor().shape()) {
    return hand_out(Value::map({keys->value.tensor(), values->value.tensor()}));
  }
  fail(invalid_argument("a map needs two one-dimensional tensors of the same length"));
  return nullptr;
}
ol_value* ol_map_keys(ol_value* m) {
  if (is_map(m)) return hand_out(Value(m->value.map().keys));
  fail(wrong_kind(m, "map"));
  return nullptr;
}
ol_value* ol_map_values(ol_value* m) {
  if (is_map(m)) return hand_out(Value(m->value.map().values));
  fail(wrong_kind(m, "map"));
  return nullptr;
}
ol_value* ol_optional_empty(void) { return hand_out(Value::empty_optional()); }

int32_t ol_register_custom_op(const char* domain, size_t domain_length, const char* op_type, size_t op_type_length) {
  // It is there for models that this build is not for. A node that needs it is refused by name.
  if (!trim::kHostOperators) return 0;
  if (op_type_length == 0) return fail(invalid_argument("a custom operator needs a name"));
  const std::string d(canonical_domain({domain, domain_length}));
  std::pair<std::string, std::string> op(d, std::string(op_type, op_type_length));
  auto& known = state().custom_ops;
  if (std::find(known.begin(), known.end(), op) == known.end()) known.push_back(std::move(op));
  return 0;
}
