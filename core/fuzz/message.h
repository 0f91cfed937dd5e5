// An ONNX file as a tree of protobuf fields, which can be changed and written again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/wire.h"

namespace onnxlet::fuzz {

// Messages of onnx.proto, as far as they hold others.
enum class Kind : uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kValueInfo,
  kType,
  kTensorType,
  kShape,
  kOf,
  kFunction,
  kLeaf,  // holds numbers and strings only
  kNone,  // not a message
};

struct Field {
  uint32_t number = 0;
  wire::Type type = wire::kBytes;
  uint64_t scalar = 0;               // kVarint, kFixed64, kFixed32
  std::string bytes = {};            // kBytes that are no message
  Kind kind = Kind::kNone;           // of the message that it is
  std::vector<Field> children = {};  // of such
};

// The fields of a model; nothing where the file is none.
std::optional<Field> read_model(std::string_view file);
std::string write(const Field& message);

}  // namespace onnxlet::fuzz
