#include "json_tensor.h"

#include <algorithm>

#include "base/json.h"
#include "numbers.h"
#include "program.h"

namespace runner {
namespace {

using onnxlet::DType;
using onnxlet::Json;

class TensorReader {
 public:
  explicit TensorReader(const Input& input) : input_(input) {}

  Value read(const Json& json) {
    const Json* data = json.find("data");
    const Json* shape = json.find("shape");
    if (data != nullptr && shape != nullptr) {
      take(*data, 0);
      shape_.clear();
      for (const Json& size : shape->items) shape_.push_back(static_cast<int64_t>(size.number));
    } else {
      take(json, 0);
      if (shape_.size() < 2) spread();
    }
    if (count_of(shape_) != static_cast<int64_t>(elements_.size()))
      refuse(text("has ", elements_.size(), " elements; its shape has ", count_of(shape_)));
    return make();
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail(Exit::kFailed, text("input '", input_.name, "' ", what, "; it takes ", describe(input_)));
  }

  void take(const Json& json, size_t depth) {
    if (json.kind != Json::Kind::kArray) {
      if (depth != shape_.size()) refuse("has lists of different depths");
      elements_.push_back(&json);
      return;
    }
    if (depth == shape_.size() && elements_.empty()) shape_.push_back(static_cast<int64_t>(json.items.size()));
    if (depth >= shape_.size()) refuse("has lists of different depths");
    if (shape_[depth] != static_cast<int64_t>(json.items.size())) refuse("has lists of different lengths");
    for (const Json& item : json.items) take(item, depth + 1);
  }

  // A flat list takes the input's shape, where at most one size of it is open.
  void spread() {
    const auto open = static_cast<size_t>(std::count(input_.shape.begin(), input_.shape.end(), -1));
    if (open > 1 || shape_.size() == input_.shape.size()) return;
    int64_t known = 1;
    for (const int64_t size : input_.shape) known *= size < 0 ? 1 : size;
    const auto count = static_cast<int64_t>(elements_.size());
    if (known == 0 || count % known != 0 || (open == 0 && count != known))
      refuse(text("has ", count, " elements in a flat list"));
    shape_ = input_.shape;
    for (int64_t& size : shape_) size = size < 0 ? count / known : size;
  }

  Value make() const {
    if (input_.dtype == DType::kString) {
      std::vector<std::string> texts;
      for (const Json* element : elements_) {
        if (element->kind != Json::Kind::kString) refuse("has an element that is no string");
        texts.push_back(element->string);
      }
      return string_tensor(texts, shape_);
    }
    Value value = new_tensor(input_.dtype, shape_);
    for (size_t i = 0; i < elements_.size(); ++i) {
      const Json& element = *elements_[i];
      const std::string_view truth = element.boolean ? "true" : "false";
      const std::string_view word = element.kind == Json::Kind::kBool ? truth : std::string_view(element.string);
      if (!set_number(word, input_.dtype, ol_tensor_data(value.get()), i))
        refuse(text("has an element that is no ", dtype_text(input_.dtype), ", '", word, "'"));
    }
    return value;
  }

  const Input& input_;
  std::vector<int64_t> shape_;
  std::vector<const Json*> elements_;
};

}  // namespace

Value parse_tensor(std::string_view json, const Input& input) {
  onnxlet::Result<Json> parsed = onnxlet::parse_json(json, text("input '", input.name, "' is"));
  if (!parsed.ok()) fail(Exit::kFailed, text(parsed.status().message(), "; it takes ", what_to_give(input)));
  return TensorReader(input).read(parsed.value());
}

}  // namespace runner
