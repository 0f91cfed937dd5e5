#include "fuzz/trial.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

namespace onnxlet::fuzz {
namespace {

constexpr int32_t kSliceMicroseconds = 50000;
constexpr double kMostSeconds = 2;
constexpr size_t kMostElements = 4096;
constexpr double kMostExternal = 1 << 20;

void fill(ol_value* tensor, size_t elements, int32_t dtype, Draws& draws) {
  constexpr int32_t kFloat = 1, kString = 8, kDouble = 11;
  if (dtype == kString) {
    constexpr std::string_view kWords[] = {"", "a", "b 1.5", "\xc3\xa9"};
    for (size_t i = 0; i < elements; ++i) {
      const std::string_view word = kWords[draws.below(std::size(kWords))];
      ol_tensor_set_string(tensor, i, word.data(), word.size());
    }
    return;
  }
  auto* bytes = static_cast<uint8_t*>(ol_tensor_data(tensor));
  const size_t size = ol_tensor_bytes(tensor), width = elements == 0 ? 1 : size / elements;
  for (size_t i = 0; i < size; ++i) bytes[i] = 0;
  for (size_t i = 0; i < elements && width > 0; ++i) {
    uint8_t* at = bytes + i * width;
    const int small = static_cast<int>(draws.below(9)) - 3;
    const auto as_float = static_cast<float>(small) / 2;
    const double as_double = as_float;
    if (dtype == kFloat)
      std::memcpy(at, &as_float, 4);
    else if (dtype == kDouble)
      std::memcpy(at, &as_double, 8);
    else
      at[0] = static_cast<uint8_t>(std::abs(small));
  }
}

// Null where the model takes something else than a tensor there, or a large one.
ol_value* made_up(const Json& argument, Draws& draws) {
  const Json *dtype = argument.find("dtype"), *shape = argument.find("shape");
  if (dtype == nullptr || dtype->kind != Json::Kind::kNumber) return nullptr;
  std::vector<int64_t> dims;
  size_t elements = 1;
  if (shape == nullptr || shape->kind != Json::Kind::kArray) {
    dims = {2, 3};
    elements = 6;
  } else {
    for (const Json& dim : shape->items) {
      const bool known = dim.kind == Json::Kind::kNumber && dim.number >= 0 && dim.number <= kMostElements;
      dims.push_back(known ? static_cast<int64_t>(dim.number) : static_cast<int64_t>(draws.below(4)));
      elements *= static_cast<size_t>(dims.back());
      if (elements > kMostElements) return nullptr;
    }
  }
  const auto type = static_cast<int32_t>(dtype->number);
  ol_value* tensor = ol_tensor_new(type, static_cast<int32_t>(dims.size()), dims.data());
  if (tensor == nullptr) return nullptr;
  fill(tensor, elements, type, draws);
  return tensor;
}

}  // namespace

Trial::Trial(std::string_view file, std::string_view options) : draws_(file.size()) { load(file, options); }

void Trial::load(std::string_view file, std::string_view options) {
  void* bytes = ol_alloc(file.size());
  if (bytes == nullptr) return refuse();
  std::memcpy(bytes, file.data(), file.size());
  ol_model* model = ol_model_open(bytes, file.size());
  if (model == nullptr) return refuse();
  Result<Json> described = parse_json(ol_model_describe(model));
  if (!described.ok()) fail("a description that is not JSON");
  if (!provide(model, described.value())) return ol_model_free(model);
  session_ = ol_session_create(model, options.data(), options.size());
  if (session_ == nullptr) return refuse();
  Result<Json> planned = parse_json(ol_session_describe(session_));
  const Json* inputs = planned.ok() ? planned.value().find("inputs") : nullptr;
  if (inputs == nullptr) fail("a session without a description");
  inputs_ = *inputs;
}

Trial::~Trial() { ol_session_free(session_); }

// An error has a code with a name and words that tell more than that.
void Trial::refuse() {
  code_ = ol_last_code();
  if (code_ <= OL_OK || code_ > OL_INTERNAL) fail("a failure without a code");
  if (code_ == OL_INTERNAL) fail(ol_last_message());
  if (std::strlen(ol_last_message()) < 10) fail(std::string("a failure with few words: ") + ol_last_message());
}

// External data is as long as the model wants it, or now and then not quite.
bool Trial::provide(ol_model* model, const Json& described) {
  const Json* external = described.find("external");
  if (external == nullptr) return true;
  for (const Json& entry : external->items) {
    const Json *name = entry.find("file"), *bytes = entry.find("bytes");
    if (name == nullptr || bytes == nullptr || bytes->number > kMostExternal) return false;
    const auto wanted = static_cast<size_t>(bytes->number);
    const size_t size = draws_.one_in(4) ? draws_.below(wanted + 2) : wanted;
    void* data = ol_alloc(size);
    if (data == nullptr) return refuse(), false;
    std::memset(data, static_cast<int>(draws_.below(2)), size);
    if (ol_model_provide(model, name->string.data(), name->string.size(), data, size) < 0) return refuse(), false;
  }
  return true;
}

bool Trial::feed(ol_run* run) {
  for (const Json& argument : inputs_.items) {
    const Json* name = argument.find("name");
    ol_value* value = made_up(argument, draws_);
    if (name == nullptr || value == nullptr) return false;
    const int32_t answer = ol_run_feed(run, name->string.data(), name->string.size(), value);
    ol_value_free(value);
    if (answer < 0) return refuse(), false;
  }
  return true;
}

bool Trial::finish(ol_run* run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (;;) {
    const int32_t answer = ol_run_slice(run, kSliceMicroseconds);
    if (answer == OL_PENDING) {
      constexpr std::string_view kNobody = "nobody does this here";
      ol_run_pending_fail(run, kNobody.data(), kNobody.size());
    } else if (answer == OL_YIELDED) {
      if (std::chrono::duration<double>(Clock::now() - start).count() > kMostSeconds) ol_run_abort(run);
    } else if (answer < 0) {
      return refuse(), false;
    } else {
      return true;
    }
  }
}

bool Trial::run() {
  outputs_.clear();
  ol_run* run = ol_run_new(session_);
  const bool done = feed(run) && finish(run);
  for (int32_t i = 0; done && i < ol_run_output_count(run); ++i) {
    ol_value* value = ol_run_output(run, i);
    Output output{ol_value_kind(value), ol_tensor_dtype(value), {}};
    const int64_t* dims = ol_tensor_dims(value);
    if (dims != nullptr) output.dims.assign(dims, dims + ol_tensor_rank(value));
    outputs_.push_back(std::move(output));
    ol_value_free(value);
  }
  ol_run_free(run);
  return done;
}

}  // namespace onnxlet::fuzz
