// What is done to a text before it is split: the normalizers of tokenizer.json, in their order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace onnxlet {

struct BertCleaning {
  bool clean_text, chinese_chars, strip_accents, lowercase;
};
std::string clean(std::string text, const BertCleaning& how);

class Normalizer {
 public:
  class Step {
   public:
    virtual ~Step() = default;
    virtual Result<std::string> apply(std::string text) const = 0;
  };

  // `normalizer` is nullptr where the file has none.
  static Result<Normalizer> read(const Json* normalizer);
  Result<std::string> apply(std::string text) const;
  bool empty() const { return steps_.empty(); }

 private:
  Status add(const Json& step);
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace onnxlet
