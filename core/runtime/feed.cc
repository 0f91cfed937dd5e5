#include "runtime/feed.h"

#include "base/text.h"

namespace onnxlet {
namespace {

std::string declared_shape(const TypeSpec& type) {
  std::string out = "[";
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (i > 0) append(out, ",");
    if (type.dims[i] >= 0)
      append(out, type.dims[i]);
    else
      append(out, type.dim_names[i].empty() ? "?" : type.dim_names[i]);
  }
  append(out, "]");
  return out;
}

Status check_tensor(const ValueInfo& declared, const TypeSpec& type, const Tensor& t,
                    const FreeDimensions& free_dimensions) {
  if (type.dtype != DType::kUndefined && t.dtype() != type.dtype) {
    return invalid_argument("input '", declared.name, "' is a tensor(", t.dtype(), "); the model declares tensor(",
                            type.dtype, ")");
  }
  if (!type.has_shape) return {};
  bool fits = static_cast<size_t>(t.rank()) == type.dims.size();
  for (size_t i = 0; fits && i < type.dims.size(); ++i) {
    const int64_t dim = fixed_dim(type, i, free_dimensions);
    fits = dim < 0 || dim == t.dim(static_cast<int>(i));
  }
  if (fits) return {};
  return invalid_argument("input '", declared.name, "' has shape ", t.shape(), "; the model declares ",
                          declared_shape(type));
}

}  // namespace

int64_t fixed_dim(const TypeSpec& type, size_t i, const FreeDimensions& free_dimensions) {
  for (const auto& [name, size] : free_dimensions) {
    if (type.dims[i] < 0 && type.dim_names[i] == name) return size;
  }
  return type.dims[i];
}

Status check_feed(const ValueInfo& declared, const Value& value, const FreeDimensions& free_dimensions) {
  const TypeSpec* type = &declared.type;
  const bool optional = type->kind == TypeSpec::Kind::kOptional;
  if (optional) {
    if (!value.has_element()) return {};
    if (type->elem != nullptr) type = type->elem.get();
  }
  using Kind = TypeSpec::Kind;
  const auto wrong_kind = [&] {
    return invalid_argument("input '", declared.name, "' is a ", kind_name(value.kind()), "; the model declares ",
                            declared.type.to_string());
  };
  switch (type->kind) {
    case Kind::kTensor:
      return value.is_tensor() ? check_tensor(declared, *type, value.tensor(), free_dimensions) : wrong_kind();
    case Kind::kSequence:
      return value.kind() == Value::Kind::kSequence ? Status() : wrong_kind();
    case Kind::kMap:
      return value.kind() == Value::Kind::kMap ? Status() : wrong_kind();
    default:
      return value.present() ? Status() : wrong_kind();
  }
}

}  // namespace onnxlet
