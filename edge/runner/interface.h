// interface.json: how to ask the model, and how to show its answer. onnxlet/bundle/application.py says what the kinds
// mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace runner {

struct Input {
  std::string name, kind, label;
  onnxlet::DType dtype;
  std::vector<int64_t> shape;      // -1: left open
  std::vector<std::string> sizes;  // the same for people: "3", "rows", "?"

  bool is_file() const { return kind == "image" || kind == "audio" || kind == "bytes"; }
  bool is_table() const { return kind == "column" || kind == "matrix"; }
};

struct Output {
  std::string name, kind, label, scores, labels;
};

struct Interface {
  std::string name, title, description;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

Interface parse_interface(std::string_view json);

std::string dtype_text(onnxlet::DType dtype);  // "float32", as interface.json says it
std::string describe(const Input& input);      // "float32 [1, 3, ?, ?]"
std::string what_to_give(const Input& input);  // "path of a picture"

}  // namespace runner
