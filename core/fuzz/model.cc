#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "abi/onnxlet.h"
#include "base/json.h"
#include "fuzz/targets.h"

namespace onnxlet::fuzz {
namespace {

constexpr std::string_view kOptions = R"({"max_memory": 67108864, "profile": true, "seed": 1})";
constexpr int32_t kSliceMicroseconds = 50000;
constexpr double kMostSeconds = 2;
constexpr size_t kMostElements = 4096;

// An error has a code with a name and words that tell more than that.
void expect_error() {
  const int32_t code = ol_last_code();
  if (code <= OL_OK || code > OL_INTERNAL) fail("a failure without a code");
  if (code == OL_INTERNAL) fail(ol_last_message());
  if (std::strlen(ol_last_message()) < 10) fail(std::string("a failure with few words: ") + ol_last_message());
}

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

bool feed(ol_run* run, const Json& inputs, Draws& draws) {
  for (const Json& argument : inputs.items) {
    const Json* name = argument.find("name");
    ol_value* value = made_up(argument, draws);
    if (name == nullptr || value == nullptr) return false;
    const int32_t answer = ol_run_feed(run, name->string.data(), name->string.size(), value);
    ol_value_free(value);
    if (answer < 0) return expect_error(), false;
  }
  return true;
}

void finish(ol_run* run) {
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
      return expect_error();
    } else {
      break;
    }
  }
  for (int32_t i = 0; i < ol_run_output_count(run); ++i) ol_value_free(ol_run_output(run, i));
}

}  // namespace

void run_model(std::string_view file) {
  void* bytes = ol_alloc(file.size());
  if (bytes == nullptr) return;
  std::memcpy(bytes, file.data(), file.size());
  ol_model* model = ol_model_open(bytes, file.size());
  if (model == nullptr) return expect_error();
  Result<Json> described = parse_json(ol_model_describe(model));
  if (!described.ok()) fail("a description that is not JSON");
  ol_session* session = ol_session_create(model, kOptions.data(), kOptions.size());
  if (session == nullptr) return expect_error();
  Result<Json> planned = parse_json(ol_session_describe(session));
  const Json* inputs = planned.ok() ? planned.value().find("inputs") : nullptr;
  if (inputs == nullptr) fail("a session without a description");
  Draws draws(file.size());
  for (int again = 0; again < 2; ++again) {  // the second time in the memory that the first has planned
    ol_run* run = ol_run_new(session);
    if (run != nullptr && feed(run, *inputs, draws)) finish(run);
    ol_run_free(run);
  }
  if (!parse_json(ol_session_profile(session)).ok()) fail("a profile that is not JSON");
  ol_session_free(session);
}

}  // namespace onnxlet::fuzz
