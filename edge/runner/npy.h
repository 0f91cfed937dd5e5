// numpy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>

#include "engine.h"

namespace runner {

struct Array {
  onnxlet::DType dtype;
  std::vector<int64_t> shape;
  std::string elements;            // in C's order
  std::vector<std::string> texts;  // instead, of strings
};

// path: for messages.
Array parse_npy(std::string_view bytes, const std::string& path);

// Number formats that numpy has not are written as the next larger one that it has.
std::string to_npy(const Value& tensor, std::string_view name);

}  // namespace runner
