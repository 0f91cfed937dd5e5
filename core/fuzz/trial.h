// A model loaded as hosts do it, and run on made-up values for the inputs that have no default.
#pragma once

#include <string_view>
#include <vector>

#include "abi/onnxlet.h"
#include "base/json.h"
#include "fuzz/draws.h"

namespace onnxlet::fuzz {

class Trial {
 public:
  struct Output {
    int32_t kind, dtype;
    std::vector<int64_t> dims;
    bool operator==(const Output&) const = default;
  };

  Trial(std::string_view file, std::string_view options);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial();

  ol_session* session() const { return session_; }  // null: the model is refused
  bool run();                                       // whether it came to its end
  const std::vector<Output>& outputs() const { return outputs_; }
  int32_t code() const { return code_; }  // of the last error

 private:
  void load(std::string_view file, std::string_view options);
  void refuse();
  bool provide(ol_model* model, const Json& described);
  bool feed(ol_run* run);
  bool finish(ol_run* run);

  Draws draws_;
  ol_session* session_ = nullptr;
  Json inputs_;
  std::vector<Output> outputs_;
  int32_t code_ = OL_OK;
};

}  // namespace onnxlet::fuzz
