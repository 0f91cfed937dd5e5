// The operator signatures of the ONNX specification, generated from onnx.defs into schema_data.gen.cc. Some 700 of them
// are in every engine: the order and width of the fields count.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.h"
#include "onnx/model.h"

namespace onnxlet {

struct AttributeSpec {
  const char* name;
  const char* s;        // default of kString; of kStrings: list_size texts, each ended by a NUL
  const int64_t* list;  // default of kInts, list_size numbers
  int32_t i;            // default of kInt
  float f;              // default of kFloat
  uint16_t list_size;
  Attribute::Type type;
  bool required : 1;
  bool has_default : 1;
};

struct FormalParameter {
  enum Option : uint8_t { kSingle, kOptional, kVariadic };
  const char* name;
  Option option;
  uint8_t type;      // index into Schema::types
  bool homogeneous;  // of a variadic one: all actual arguments have one type
};

static_assert(kDTypeCount <= 32, "TypeConstraint::tensors has one bit for each");
struct TypeConstraint {
  const char* name;  // "T", or the type string itself where the schema names one directly
  uint32_t tensors;  // bit d: tensor of DType d allowed
  uint32_t others;   // bit 0 sequences, 1 maps, 2 optionals, 3 sparse tensors
};

struct FunctionBody {
  std::string_view bytes;  // serialized FunctionProto; its nodes are of the versions that it imports itself
  int opset;               // from this opset of the operator's domain on, up to the next body
};

struct Schema {
  const char* domain;
  const char* name;
  int since_version;
  uint16_t min_input, max_input, min_output, max_output;  // 65535: unbounded
  bool deprecated;
  bool left_out;  // this build is trimmed, and of this version only name and number are in it
  std::span<const FormalParameter> inputs, outputs;
  std::span<const AttributeSpec> attributes;
  std::span<const TypeConstraint> types;
  std::span<const FunctionBody> function_bodies;  // oldest first
};

// The body that serves a model of this opset: the newest that is not above it, else the oldest. nullptr: there is none.
const FunctionBody* function_body(const Schema& schema, int opset);

// The schema a node means: the largest since_version not above `opset`. nullptr when there is none.
const Schema* find_schema(std::string_view domain, std::string_view op_type, int opset);
// The operator's oldest schema. nullptr when the domain has none of this name at any version.
const Schema* first_schema(std::string_view domain, std::string_view op_type);
// The newest version of a domain that the specification had when this was built; 0 for a domain it has nothing of.
int latest_version(std::string_view domain);

}  // namespace onnxlet
