// The tokens that are put around a text: [CLS] ... [SEP] and the like.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace onnxlet {

class PostProcessor {
 public:
  // `post_processor` is nullptr where the file has none.
  static Result<PostProcessor> read(const Json* post_processor);
  size_t added() const { return before_.size() + after_.size(); }
  std::vector<int32_t> apply(const std::vector<int32_t>& ids) const;

 private:
  Status add(const Json& step);
  Status add_template(const Json& step);
  std::vector<int32_t> before_, after_;
};

}  // namespace onnxlet
