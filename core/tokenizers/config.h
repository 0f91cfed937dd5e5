// Members of a tokenizer.json, read with their types checked. Each error names the member.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace onnxlet {

// The member; nullptr when it is absent or null.
const Json* member(const Json& object, std::string_view name);

Result<bool> read_bool(const Json& object, std::string_view name, bool fallback);
Result<int64_t> read_int(const Json& object, std::string_view name, int64_t fallback);
Result<double> read_double(const Json& object, std::string_view name, double fallback);
Result<std::string> read_string(const Json& object, std::string_view name, std::string_view fallback);
// The array's items; nullptr when it is absent or null.
Result<const std::vector<Json>*> read_array(const Json& object, std::string_view name);
// A component's "type".
Result<std::string> read_type(const Json& component, std::string_view what);
// {"String": "..."} or {"Regex": "..."}.
struct PatternText {
  std::string text;
  bool regex;
};
Result<PatternText> read_pattern(const Json& object);

}  // namespace onnxlet
