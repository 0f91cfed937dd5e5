#include "interface.h"

#include "base/json.h"
#include "program.h"

namespace runner {
namespace {

using onnxlet::DType;
using onnxlet::Json;

std::string text_of(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  return found == nullptr ? "" : found->string;
}

DType dtype_of_name(std::string_view name) {
  if (name == "float32") return DType::kFloat;
  return name == "float64" ? DType::kDouble : onnxlet::dtype_from_name(name);
}

Input parse_input(const Json& json) {
  Input input{text_of(json, "name"),
              text_of(json, "kind"),
              text_of(json, "label"),
              dtype_of_name(text_of(json, "dtype")),
              {},
              {}};
  if (const Json* shape = json.find("shape")) {
    for (const Json& size : shape->items) {
      input.shape.push_back(size.kind == Json::Kind::kNumber ? static_cast<int64_t>(size.number) : -1);
      input.sizes.push_back(size.string.empty() ? "?" : size.string);
    }
  }
  return input;
}

Output parse_output(const Json& json) {
  return {text_of(json, "name"), text_of(json, "kind"), text_of(json, "label"), text_of(json, "scores"),
          text_of(json, "labels")};
}

}  // namespace

Interface parse_interface(std::string_view json) {
  onnxlet::Result<Json> parsed = onnxlet::parse_json(json, "the interface is");
  if (!parsed.ok()) fail(Exit::kAltered, parsed.status().message());
  const Json& root = parsed.value();
  constexpr double kFormat = 1;
  const Json *format = root.find("format"), *inputs = root.find("inputs"), *outputs = root.find("outputs");
  if (format == nullptr || format->number != kFormat || inputs == nullptr || outputs == nullptr)
    fail(Exit::kFailed, "the interface is of a format that this program does not know");
  Interface interface{text_of(root, "name"), text_of(root, "title"), text_of(root, "description"), {}, {}};
  for (const Json& input : inputs->items) interface.inputs.push_back(parse_input(input));
  for (const Json& output : outputs->items) interface.outputs.push_back(parse_output(output));
  return interface;
}

std::string dtype_text(DType dtype) {
  if (dtype == DType::kFloat) return "float32";
  return dtype == DType::kDouble ? "float64" : onnxlet::dtype_name(dtype);
}

std::string describe(const Input& input) {
  std::string out = dtype_text(input.dtype) + " [";
  for (const std::string& size : input.sizes) out += text(out.back() == '[' ? "" : ", ", size);
  return out + "]";
}

std::string what_to_give(const Input& input) {
  if (input.kind == "image") return "path of a picture";
  if (input.kind == "audio") return "path of a sound file";
  if (input.kind == "bytes") return "path of a file";
  if (input.kind == "text") return "words, or @FILE";
  if (input.kind == "column") return text(describe(input), ", a JSON list, or a column of --table");
  if (input.kind == "matrix") return text(describe(input), ", all columns of --table, a .npy file or JSON");
  return text(describe(input), ", path of a .npy file or JSON");
}

}  // namespace runner
