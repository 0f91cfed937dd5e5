#include "base/trim.h"

#include "base/text.h"

namespace onnxlet {

Status left_out(std::string_view what) {
  return not_implemented("this build was trimmed to ", trim::kModels, "; ", what, " is not in it");
}

}  // namespace onnxlet
