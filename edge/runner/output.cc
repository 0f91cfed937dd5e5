#include "output.h"

#include "base/json.h"
#include "files.h"
#include "npy.h"
#include "numbers.h"
#include "program.h"

namespace runner {
namespace {

using onnxlet::DType;
using onnxlet::JsonWriter;

void write_element(JsonWriter& json, const Value& tensor, size_t index) {
  const DType dtype = dtype_of(tensor);
  if (dtype == DType::kString) {
    json.value(string_at(tensor, index));
    return;
  }
  const std::string word = number_text(dtype, ol_tensor_data(tensor.get()), index);
  if (word == "nan") {
    json.value("NaN");
  } else if (word == "inf" || word == "-inf") {
    json.value(word == "inf" ? "Infinity" : "-Infinity");
  } else {
    json.raw(word);
  }
}

void write_shape(JsonWriter& json, const std::vector<int64_t>& shape) {
  json.key("shape").begin_array();
  for (const int64_t size : shape) json.value(size);
  json.end_array();
}

// One of ZipMap's: the score of each label.
void write_map(JsonWriter& json, ol_value* map) {
  const Value keys(ol_map_keys(map)), values(ol_map_values(map));
  json.begin_object();
  for (size_t i = 0; i < static_cast<size_t>(count_of(shape_of(keys))); ++i) {
    json.key(element_text(keys, i));
    write_element(json, values, i);
  }
  json.end_object();
}

void write_tensor(JsonWriter& json, const Value& tensor) {
  const DType dtype = dtype_of(tensor);
  const std::vector<int64_t> shape = shape_of(tensor);
  json.field("dtype", std::string_view(dtype_text(dtype)));
  write_shape(json, shape);
  json.key("data").begin_array();
  for (size_t i = 0; i < static_cast<size_t>(count_of(shape)); ++i) write_element(json, tensor, i);
  json.end_array();
}

void write_maps(JsonWriter& json, const Value& sequence) {
  const int32_t size = ol_sequence_size(sequence.get());
  json.field("dtype", "map");
  write_shape(json, {size});
  json.key("data").begin_array();
  for (int32_t i = 0; i < size; ++i) {
    const Value item(ol_sequence_item(sequence.get(), i));
    if (ol_value_kind(item.get()) != OL_MAP)
      fail(Exit::kFailed, "an output is a sequence of tensors, which this program does not show");
    write_map(json, item.get());
  }
  json.end_array();
}

}  // namespace

std::string element_text(const Value& tensor, size_t index) {
  const DType dtype = dtype_of(tensor);
  if (dtype == DType::kString) return std::string(string_at(tensor, index));
  return number_text(dtype, ol_tensor_data(tensor.get()), index);
}

std::string as_json(const Interface& interface, const std::vector<Value>& outputs) {
  JsonWriter json;
  json.begin_object().key("outputs").begin_object();
  for (size_t i = 0; i < outputs.size(); ++i) {
    json.key(interface.outputs[i].name).begin_object();
    switch (ol_value_kind(outputs[i].get())) {
      case OL_TENSOR:
        write_tensor(json, outputs[i]);
        break;
      case OL_SEQUENCE:
        write_maps(json, outputs[i]);
        break;
      default:
        json.field("dtype", "none");
    }
    json.end_object();
  }
  json.end_object().end_object();
  return json.take() + "\n";
}

void write_files(const Interface& interface, const std::vector<Value>& outputs, const Options& options) {
  for (const auto& [name, file] : options.files) write_file(file, to_npy(outputs[output_index(interface, name)], name));
}

size_t output_index(const Interface& interface, std::string_view name) {
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    if (interface.outputs[i].name == name) return i;
  }
  fail(Exit::kUsage, text("there is no output '", name, "'; --help shows them"));
}

}  // namespace runner
