#pragma once

#include <string>

#include "base/tensor.h"

namespace onnxlet {

// "float[2,3] min -1 max 4 mean 0.5 nan 0 inf 0", or with `all` every element too (the first 10,000).
std::string describe_tensor(const Tensor& tensor, bool all);

}  // namespace onnxlet
