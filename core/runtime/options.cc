#include "base/json.h"
#include "base/text.h"
#include "base/trim.h"
#include "runtime/session.h"

namespace onnxlet {
namespace {

Status wrong_type(std::string_view key, const char* wanted) {
  return invalid_argument("session option '", key, "' must be ", wanted);
}

Status take_bool(std::string_view key, const Json& v, bool* out) {
  if (v.kind != Json::Kind::kBool) return wrong_type(key, "true or false");
  *out = v.boolean;
  return {};
}

Status take_count(std::string_view key, const Json& v, uint64_t* out) {
  if (v.kind != Json::Kind::kNumber || v.number < 0 || v.number > 9007199254740992.0)
    return wrong_type(key, "a whole number, not negative");
  *out = static_cast<uint64_t>(v.number);
  return {};
}

Status take_level(const Json& v, int* out) {
  constexpr std::pair<const char*, int> kLevels[] = {
      {"disabled", 0}, {"basic", 1}, {"extended", 2}, {"layout", 2}, {"all", 2}};
  for (const auto& [name, level] : kLevels) {
    if (v.string == name) {
      *out = level;
      return {};
    }
  }
  return wrong_type("graph_optimization_level", "one of disabled, basic, extended, layout, all");
}

Status take_passes(const Json& v, std::vector<std::string>* out) {
  for (const Json& item : v.items) {
    bool known = false;
    for (const Pass& p : passes()) known = known || item.string == p.name;
    if (!known) {
      std::string names;
      for (const Pass& p : passes()) append(names, text(names.empty() ? "" : ", ", p.name));
      return invalid_argument("there is no pass '", item.string, "'; the passes are ", names);
    }
    out->push_back(item.string);
  }
  return {};
}

// A trimmed build measures nothing and writes no trace.
Status check_measuring(std::string_view key, const SessionOptions& options) {
  if (!trim::kTrimmed || (!options.profile && options.trace == 0)) return {};
  return left_out(text("the session option '", key, "'"));
}

Status take_device(const Json& v, DeviceOptions* out) {
  out->on = true;
  for (const auto& [name, value] : v.members) {
    if (name == "min_bytes") {
      OL_TRY(take_count("device.min_bytes", value, &out->min_bytes));
    } else if (name == "max_buffer") {
      OL_TRY(take_count("device.max_buffer", value, &out->max_buffer));
    } else if (name == "max_bytes") {
      OL_TRY(take_count("device.max_bytes", value, &out->max_bytes));
    } else if (name == "on_processor") {
      OL_TRY(take_bool("device.on_processor", value, &out->on_processor));
    } else if (name == "packed_dots") {
      OL_TRY(take_bool("device.packed_dots", value, &out->packed_dots));
    } else {
      return invalid_argument("there is no session option 'device.", name, "'");
    }
  }
  return {};
}

Status take_option(std::string_view key, const Json& v, SessionOptions* out) {
  if (key == "graph_optimization_level") return take_level(v, &out->graph.level);
  if (key == "disabled_passes") return trim::kAnyPass ? take_passes(v, &out->graph.disabled_passes) : Status();
  if (key == "max_memory") return take_count(key, v, &out->max_memory);
  if (key == "max_tensor_bytes") return take_count(key, v, &out->max_tensor_bytes);
  if (key == "max_steps") return take_count(key, v, &out->max_steps);
  if (key == "seed") return take_count(key, v, &out->seed);
  if (key == "profile") return take_bool(key, v, &out->profile);
  if (key == "deterministic") return take_bool(key, v, &out->deterministic);
  if (key == "function_bodies") return take_bool(key, v, &out->graph.function_bodies);
  if (key == "memory_plan") return take_bool(key, v, &out->memory_plan);
  if (trim::kDevice && key == "device") return take_device(v, &out->device);
  if (key == "trace") {
    uint64_t level = 0;
    OL_TRY(take_count(key, v, &level));
    if (level > 4) return wrong_type(key, "0 to 4");
    out->trace = static_cast<int>(level);
    return {};
  }
  if (key == "accuracy_level") {
    uint64_t level = 0;
    OL_TRY(take_count(key, v, &level));
    if (level > 4) return wrong_type(key, "0 to 4");
    out->accuracy_level = static_cast<int>(level);
    return {};
  }
  if (key == "free_dimensions") {
    for (const auto& [name, size] : v.members) {
      uint64_t n = 0;
      OL_TRY(take_count(text(key, ".", name), size, &n));
      out->graph.free_dimensions.emplace_back(name, static_cast<int64_t>(n));
    }
    return {};
  }
  return invalid_argument("there is no session option '", key, "'");
}

}  // namespace

Result<SessionOptions> parse_options(std::string_view json) {
  SessionOptions options;
  if (json.empty()) return options;
  OL_ASSIGN(const Json root, parse_json(json));
  if (root.kind != Json::Kind::kObject) return invalid_argument("the options must be a JSON object");
  for (const auto& [key, value] : root.members) {
    OL_TRY(take_option(key, value, &options));
    OL_TRY(check_measuring(key, options));
  }
  return options;
}

}  // namespace onnxlet
