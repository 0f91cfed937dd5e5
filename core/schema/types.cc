#include "schema/types.h"

#include <algorithm>

#include "base/text.h"

namespace onnxlet {
namespace {

enum Others : uint32_t { kSequences = 1, kMaps = 2, kOptionals = 4 };

bool is_attribute(const Schema& schema, std::string_view name) {
  return std::any_of(schema.attributes.begin(), schema.attributes.end(),
                     [&](const AttributeSpec& a) { return a.name == name; });
}

}  // namespace

ValueType ValueType::of(const TypeSpec& declared) {
  using Declared = TypeSpec::Kind;
  const ValueType inside = declared.elem != nullptr ? of(*declared.elem) : ValueType();
  switch (declared.kind) {
    case Declared::kTensor:
      return tensor(declared.dtype);
    case Declared::kSequence:
      return {Kind::kSequence, false, inside.is_tensor() ? inside.dtype : DType::kUndefined};
    case Declared::kMap:
      return {Kind::kMap, false, inside.dtype};
    case Declared::kOptional:
      return {inside.kind, true, inside.dtype};
    default:
      return {};
  }
}

std::string ValueType::to_string() const {
  std::string out;
  switch (kind) {
    case Kind::kUnknown:
      return optional ? "optional" : "value of unknown type";
    case Kind::kTensor:
      out = text("tensor(", dtype, ")");
      break;
    case Kind::kSequence:
      out = dtype == DType::kUndefined ? std::string("sequence") : text("seq(tensor(", dtype, "))");
      break;
    case Kind::kMap:
      out = "map";
      break;
  }
  return optional ? text("optional(", out, ")") : out;
}

TypeSpec ValueType::to_spec() const {
  TypeSpec spec;
  if (kind == Kind::kUnknown || kind == Kind::kMap || dtype == DType::kUndefined) return spec;
  spec.kind = TypeSpec::Kind::kTensor;
  spec.dtype = dtype;
  const auto wrap = [&](TypeSpec::Kind outer) {
    TypeSpec out;
    out.kind = outer;
    out.elem = std::make_shared<TypeSpec>(std::move(spec));
    spec = std::move(out);
  };
  if (kind == Kind::kSequence) wrap(TypeSpec::Kind::kSequence);
  if (optional) wrap(TypeSpec::Kind::kOptional);
  return spec;
}

bool allows(const TypeConstraint& constraint, const ValueType& type) {
  if (type.optional) return (constraint.others & kOptionals) != 0;
  // A filled optional is its element: an operator that takes optionals may meet any tensor or sequence.
  switch (type.kind) {
    case ValueType::Kind::kUnknown:
      return true;
    case ValueType::Kind::kTensor:
      return (constraint.tensors >> static_cast<int>(type.dtype) & 1) != 0 || (constraint.others & kOptionals) != 0;
    case ValueType::Kind::kSequence:
      return (constraint.others & (kSequences | kOptionals)) != 0;
    case ValueType::Kind::kMap:
      return (constraint.others & kMaps) != 0;
  }
  return false;
}

std::string allowed_text(const TypeConstraint& constraint) {
  std::string out;
  const auto add = [&](const char* what) { append(out, text(out.empty() ? "" : ", ", what)); };
  for (int d = 1; d < kDTypeCount; ++d) {
    if ((constraint.tensors >> d & 1) != 0) add(dtype_name(static_cast<DType>(d)));
  }
  if ((constraint.others & kSequences) != 0) add("sequences");
  if ((constraint.others & kMaps) != 0) add("maps");
  if ((constraint.others & kOptionals) != 0) add("optionals");
  return out;
}

const FormalParameter* formal_parameter(std::span<const FormalParameter> formals, size_t i) {
  if (i < formals.size()) return &formals[i];
  return !formals.empty() && formals.back().option == FormalParameter::kVariadic ? &formals.back() : nullptr;
}

void check_types(const Schema& schema, const Arguments& inputs, TypeBindings* bound,
                 FunctionRef<void(std::string)> problem) {
  for (size_t i = 0; i < inputs.count; ++i) {
    const FormalParameter* formal = formal_parameter(schema.inputs, i);
    if (formal == nullptr) return;
    if (!inputs.given(i)) continue;
    const size_t v = formal->type;
    const bool binds = v < TypeBindings::kMost && (formal->option != FormalParameter::kVariadic || formal->homogeneous);
    if (binds) bound->given |= 1u << v;
    const ValueType type = inputs.type(i);
    if (!type.known()) continue;
    const TypeConstraint& constraint = schema.types[v];
    if (!allows(constraint, type)) {
      if (is_attribute(schema, formal->name)) continue;  // Split-1 has its lengths either way; ints were promoted
      problem(text("input ", i, " ('", formal->name, "') is a ", type.to_string(), "; this version takes ",
                   allowed_text(constraint)));
      continue;
    }
    if (!binds) continue;
    const ValueType& seen = bound->type[v];
    if (!seen.known()) {
      bound->type[v] = type;
      bound->argument[v] = static_cast<uint8_t>(std::min<size_t>(i, 255));
    } else if (seen.is_tensor() && type.is_tensor() && seen.dtype != type.dtype) {
      problem(text("input ", i, " ('", formal->name, "') is a ", type.to_string(), "; input ", bound->argument[v],
                   ", of the same type '", constraint.name, "', is a ", seen.to_string()));
    }
  }
}

}  // namespace onnxlet
