#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "abi/onnxlet.h"
#include "fuzz/message.h"
#include "fuzz/targets.h"

namespace onnxlet::fuzz {
namespace {

// y = Relu(x), z = x + 1, as little as a model can be.
std::string small_model() {
  const auto text = [](uint32_t number, std::string_view s) { return Field{number, wire::kBytes, 0, std::string(s)}; };
  const auto number = [](uint32_t field, uint64_t value) { return Field{field, wire::kVarint, value}; };
  const auto message = [](uint32_t field, Kind kind, std::vector<Field> children) {
    return Field{field, wire::kBytes, 0, {}, kind, std::move(children)};
  };
  const auto value = [&](uint32_t field, std::string_view name) {
    Field dim = message(1, Kind::kLeaf, {text(2, "n")});
    Field type = message(1, Kind::kTensorType, {number(1, 1), message(2, Kind::kShape, {std::move(dim)})});
    return message(field, Kind::kValueInfo, {text(1, name), message(2, Kind::kType, {std::move(type)})});
  };
  Field relu = message(1, Kind::kNode, {text(1, "x"), text(2, "y"), text(4, "Relu")});
  Field sum = message(1, Kind::kNode, {text(1, "x"), text(1, "y"), text(2, "z"), text(4, "Add")});
  Field graph = message(7, Kind::kGraph, {relu, sum, text(2, "g"), value(11, "x"), value(12, "y"), value(12, "z")});
  return write(message(0, Kind::kModel, {number(1, 8), graph, message(8, Kind::kLeaf, {text(1, ""), number(2, 17)})}));
}

// What the calls work on: some slots of each kind of handle, and bytes that say what comes next.
class Caller {
 public:
  explicit Caller(std::string_view script) : script_(script) {}
  ~Caller() {
    for (ol_run*& run : runs_) ol_run_free(run);
    for (ol_session*& session : sessions_) ol_session_free(session);
    for (ol_model*& model : models_) ol_model_free(model);
    for (ol_value*& value : values_) ol_value_free(value);
  }
  bool done() const { return at_ == script_.size(); }
  void call();

 private:
  static constexpr size_t kSlots = 4;
  template <class T>
  using Slots = std::array<T*, kSlots>;

  uint8_t byte() { return done() ? 0 : static_cast<uint8_t>(script_[at_++]); }
  template <class T>
  T*& slot(Slots<T>& slots) {
    return slots[byte() % kSlots];
  }
  std::string_view name() {
    constexpr std::string_view kNames[] = {"x", "y", "z", "none", ""};
    return kNames[byte() % std::size(kNames)];
  }
  void open();
  void plan();
  void step(ol_run* run);
  void look_at(ol_value* value);
  void make_tensor();
  void make_container();

  std::string_view script_;
  size_t at_ = 0;
  Slots<ol_model> models_{};
  Slots<ol_session> sessions_{};
  Slots<ol_run> runs_{};
  Slots<ol_value> values_{};
};

void Caller::open() {
  static const std::string* const file = new std::string(small_model());
  ol_model*& model = slot(models_);
  ol_model_free(model);
  const size_t size = byte() % 8 == 0 ? byte() % file->size() : file->size();
  void* bytes = ol_alloc(size);
  if (bytes != nullptr) std::memcpy(bytes, file->data(), size);
  model = bytes == nullptr ? nullptr : ol_model_open(bytes, size);
  if (model != nullptr) (void)ol_model_describe(model);
}

void Caller::plan() {
  constexpr std::string_view kOptions[] = {"{}",
                                           R"({"profile": true})",
                                           R"({"max_memory": 100})",
                                           R"({"max)",
                                           "[]",
                                           R"({"free_dimensions": {"n": 3}, "graph_optimization_level": "disabled"})"};
  ol_model*& model = slot(models_);
  ol_session*& session = slot(sessions_);
  if (model == nullptr) return;
  for (ol_run*& run : runs_) ol_run_free(run), run = nullptr;  // a session has to outlive its runs
  ol_session_free(session);
  const std::string_view options = kOptions[byte() % std::size(kOptions)];
  session = ol_session_create(model, options.data(), options.size());
  model = nullptr;
}

void Caller::step(ol_run* run) {
  const uint8_t how = byte();
  if (how % 4 == 0) ol_run_abort(run);
  (void)(how % 2 == 0 ? ol_run_step(run) : ol_run_slice(run, how));
  (void)ol_run_pending(run);
  const int32_t index = static_cast<int8_t>(byte());
  ol_value*& value = slot(values_);
  ol_value_free(value);
  value = ol_run_output(run, index);
}

void Caller::look_at(ol_value* value) {
  const size_t index = byte();
  (void)ol_value_kind(value);
  (void)ol_tensor_dtype(value);
  const int32_t rank = ol_tensor_rank(value);
  const int64_t* dims = ol_tensor_dims(value);
  uint64_t sum = 0;
  for (int32_t i = 0; dims != nullptr && i < rank; ++i) sum += static_cast<uint64_t>(dims[i]);
  const auto* data = static_cast<const uint8_t*>(ol_tensor_data(value));
  for (size_t i = 0; data != nullptr && i < ol_tensor_bytes(value); ++i) sum += data[i];
  (void)ol_tensor_string_length(value, index);
  (void)ol_tensor_string(value, index);
  (void)ol_tensor_set_string(value, index, "text", static_cast<size_t>(sum & 3));
  ol_value_free(ol_sequence_item(value, static_cast<int32_t>(index) - 1));
  ol_value_free(ol_map_keys(value));
  ol_value_free(ol_map_values(value));
  if (ol_sequence_size(value) > 255) fail("a sequence that nobody made");
}

void Caller::make_tensor() {
  ol_value*& value = slot(values_);
  ol_value_free(value);
  const auto dtype = static_cast<int8_t>(byte()), rank = static_cast<int8_t>(byte() % 12 - 1);
  int64_t dims[12] = {};
  for (int64_t& dim : dims) dim = byte() % 16 == 0 ? INT64_MAX / (1 + byte()) : byte() % 4 - (byte() % 32 == 0);
  value = ol_tensor_new(dtype, rank, dims);
  if (value != nullptr && ol_tensor_data(value) != nullptr)
    std::memset(ol_tensor_data(value), 1, ol_tensor_bytes(value));
}

void Caller::make_container() {
  ol_value *first = slot(values_), *second = slot(values_);
  ol_value*& made = slot(values_);
  switch (byte() % 4) {
    case 0:
      if (first != nullptr && second != nullptr && first != second) (void)ol_sequence_push(first, second);
      return;
    case 1: {
      ol_value* map = ol_map_new(first, second);
      ol_value_free(made);
      made = map;
      return;
    }
    case 2:
      ol_value_free(made);
      made = ol_sequence_new();
      return;
    default:
      ol_value_free(made);
      made = ol_optional_empty();
  }
}

void Caller::call() {
  switch (byte() % 9) {
    case 0:
      return open();
    case 1:
      return plan();
    case 2: {
      ol_session* session = slot(sessions_);
      ol_run*& run = slot(runs_);
      ol_run_free(run);
      run = session == nullptr ? nullptr : ol_run_new(session);
      return;
    }
    case 3: {
      ol_run* run = slot(runs_);
      ol_value* value = slot(values_);
      const std::string_view input = name();
      if (run != nullptr && value != nullptr) (void)ol_run_feed(run, input.data(), input.size(), value);
      return;
    }
    case 4: {
      ol_run* run = slot(runs_);
      const std::string_view output = name();
      if (run != nullptr) (void)ol_run_fetch(run, output.data(), output.size());
      return;
    }
    case 5:
      if (ol_run* run = slot(runs_); run != nullptr) step(run);
      return;
    case 6:
      return make_tensor();
    case 7:
      return make_container();
    default:
      if (ol_value* value = slot(values_); value != nullptr) look_at(value);
  }
}

}  // namespace

void run_calls(std::string_view file) {
  Caller caller(file.substr(0, 4096));
  while (!caller.done()) caller.call();
}

}  // namespace onnxlet::fuzz
