#include "engine.h"

#include "program.h"
#include "threads.h"

namespace runner {
namespace {

using onnxlet::DType;

[[noreturn]] void fail_with_last() { fail(Exit::kFailed, ol_last_message()); }

void finish(ol_run* run) {
  const int32_t state = ol_run_step(run);
  if (state < 0) fail_with_last();
  if (state != OL_DONE)
    fail(Exit::kFailed, text("the model has an operator that this program cannot run: ", ol_run_pending(run)));
}

}  // namespace

Value new_tensor(DType dtype, const std::vector<int64_t>& shape) {
  Value value(ol_tensor_new(static_cast<int32_t>(dtype), static_cast<int32_t>(shape.size()), shape.data()));
  if (value == nullptr) fail_with_last();
  return value;
}

Value string_tensor(const std::vector<std::string>& texts, const std::vector<int64_t>& shape) {
  Value value = new_tensor(DType::kString, shape);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (ol_tensor_set_string(value.get(), i, texts[i].data(), texts[i].size()) < 0) fail_with_last();
  }
  return value;
}

DType dtype_of(const Value& tensor) { return static_cast<DType>(ol_tensor_dtype(tensor.get())); }

std::vector<int64_t> shape_of(const Value& tensor) {
  const int64_t* dims = ol_tensor_dims(tensor.get());
  return {dims, dims + ol_tensor_rank(tensor.get())};
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

std::string_view string_at(const Value& tensor, size_t index) {
  return {ol_tensor_string(tensor.get(), index), ol_tensor_string_length(tensor.get(), index)};
}

Engine::Engine(Block model, int threads) : threads_(start_threads(threads)) {
  const size_t size = model.size();
  ol_model* parsed = ol_model_open(model.release(), size);
  if (parsed == nullptr) fail_with_last();
  session_ = ol_session_create(parsed, nullptr, 0);
  if (session_ == nullptr) fail_with_last();
}

std::vector<Value> Engine::run(const std::vector<Feed>& feeds) const {
  ol_run* run = ol_run_new(session_);
  if (run == nullptr) fail_with_last();
  for (const Feed& feed : feeds) {
    if (ol_run_feed(run, feed.name.data(), feed.name.size(), feed.value.get()) < 0) fail_with_last();
  }
  finish(run);
  std::vector<Value> outputs(static_cast<size_t>(ol_run_output_count(run)));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = Value(ol_run_output(run, static_cast<int32_t>(i)));
  ol_run_free(run);
  return outputs;
}

}  // namespace runner
