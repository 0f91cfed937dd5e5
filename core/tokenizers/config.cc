#include "tokenizers/config.h"

#include "base/text.h"

namespace onnxlet {
namespace {

Status wrong(std::string_view name, const char* what) {
  return invalid_graph("member \"", name, "\" of tokenizer.json must be ", what);
}

}  // namespace

const Json* member(const Json& object, std::string_view name) {
  const Json* found = object.find(name);
  return found == nullptr || found->kind == Json::Kind::kNull ? nullptr : found;
}

Result<bool> read_bool(const Json& object, std::string_view name, bool fallback) {
  const Json* found = member(object, name);
  if (found == nullptr) return fallback;
  if (found->kind != Json::Kind::kBool) return wrong(name, "true or false");
  return found->boolean;
}

Result<double> read_double(const Json& object, std::string_view name, double fallback) {
  const Json* found = member(object, name);
  if (found == nullptr) return fallback;
  if (found->kind != Json::Kind::kNumber) return wrong(name, "a number");
  return found->number;
}

Result<int64_t> read_int(const Json& object, std::string_view name, int64_t fallback) {
  OL_ASSIGN(const double number, read_double(object, name, static_cast<double>(fallback)));
  if (!(number >= -0x1p31 && number < 0x1p31)) return wrong(name, "a number of 32 bits");
  return static_cast<int64_t>(number);
}

Result<std::string> read_string(const Json& object, std::string_view name, std::string_view fallback) {
  const Json* found = member(object, name);
  if (found == nullptr) return std::string(fallback);
  if (found->kind != Json::Kind::kString) return wrong(name, "a string");
  return std::string(found->string);
}

Result<const std::vector<Json>*> read_array(const Json& object, std::string_view name) {
  const Json* found = member(object, name);
  if (found == nullptr) return static_cast<const std::vector<Json>*>(nullptr);
  if (found->kind != Json::Kind::kArray) return wrong(name, "a list");
  return &found->items;
}

Result<std::string> read_type(const Json& component, std::string_view what) {
  if (component.kind != Json::Kind::kObject) return wrong(what, "an object");
  OL_ASSIGN(std::string type, read_string(component, "type", ""));
  if (type.empty()) return invalid_graph("a ", what, " of tokenizer.json has no \"type\"");
  return type;
}

Result<PatternText> read_pattern(const Json& object) {
  const Json* pattern = member(object, "pattern");
  if (pattern == nullptr) return wrong("pattern", "given");
  if (pattern->kind == Json::Kind::kString) return PatternText{pattern->string, false};
  OL_ASSIGN(std::string text, read_string(*pattern, "String", ""));
  if (member(*pattern, "String") != nullptr) return PatternText{std::move(text), false};
  OL_ASSIGN(std::string expression, read_string(*pattern, "Regex", ""));
  if (expression.empty()) return wrong("pattern", "a String or a Regex");
  return PatternText{std::move(expression), true};
}

}  // namespace onnxlet
