// Kinds and element types of values, and the rules a schema has for them. The same check serves loading, where some
// types are unknown, and running.
#pragma once

#include <array>
#include <string>

#include "base/parallel.h"
#include "schema/schema.h"

namespace onnxlet {

// What is known of a value without running the model.
struct ValueType {
  enum class Kind : uint8_t { kUnknown, kTensor, kSequence, kMap };
  Kind kind = Kind::kUnknown;
  bool optional = false;            // may hold nothing
  DType dtype = DType::kUndefined;  // of the tensor, of the tensors of the sequence, of the map's values

  static ValueType tensor(DType t) { return t == DType::kUndefined ? ValueType() : ValueType{Kind::kTensor, false, t}; }
  static ValueType of(const TypeSpec& declared);
  bool is_tensor() const { return kind == Kind::kTensor && !optional; }
  bool known() const { return kind != Kind::kUnknown || optional; }
  bool operator==(const ValueType&) const = default;
  std::string to_string() const;  // "optional(seq(tensor(float)))"
  TypeSpec to_spec() const;       // as a model would declare it
};

// What the type variables of one call stand for, by index into Schema::types.
struct TypeBindings {
  static constexpr size_t kMost = 16;
  std::array<ValueType, kMost> type{};
  std::array<uint8_t, kMost> argument{};
  uint32_t given = 0;  // bit v: some argument of variable v is there, its type known or not
};

bool allows(const TypeConstraint& constraint, const ValueType& type);
std::string allowed_text(const TypeConstraint& constraint);  // "float, double, sequences"

// The formal parameter of argument i; nullptr beyond the list (promoted attributes stand there).
const FormalParameter* formal_parameter(std::span<const FormalParameter> formals, size_t i);

struct Arguments {
  size_t count;
  FunctionRef<bool(size_t)> given;
  FunctionRef<ValueType(size_t)> type;
};
// Binds the type variables, and tells `problem` of every argument whose type the schema does not allow, or that differs
// from an earlier one of the same variable.
void check_types(const Schema& schema, const Arguments& inputs, TypeBindings* bound,
                 FunctionRef<void(std::string)> problem);

}  // namespace onnxlet
