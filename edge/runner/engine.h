// The engine behind its C interface: a model, its session, and tensors that free themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "abi/onnxlet.h"
#include "base/dtype.h"
#include "payload.h"

namespace runner {

struct FreeValue {
  void operator()(ol_value* value) const { ol_value_free(value); }
};
using Value = std::unique_ptr<ol_value, FreeValue>;

// With undefined contents. Ends the program where there is no memory.
Value new_tensor(onnxlet::DType dtype, const std::vector<int64_t>& shape);
Value string_tensor(const std::vector<std::string>& texts, const std::vector<int64_t>& shape);

onnxlet::DType dtype_of(const Value& tensor);
std::vector<int64_t> shape_of(const Value& tensor);
int64_t count_of(const std::vector<int64_t>& shape);
std::string_view string_at(const Value& tensor, size_t index);

struct Feed {
  std::string name;
  Value value;
};

class Engine {
 public:
  // threads: 0 chooses.
  Engine(Block model, int threads);
  // All outputs, in the order of the model. Ends the program when the run fails.
  std::vector<Value> run(const std::vector<Feed>& feeds) const;
  int threads() const { return threads_; }

 private:
  ol_session* session_;  // lives as long as the program
  int threads_;
};

}  // namespace runner
