#include "answer.h"

#include <algorithm>
#include <cmath>

#include "numbers.h"
#include "output.h"
#include "program.h"

namespace runner {
namespace {

constexpr size_t kShown = 8;  // elements of a tensor

size_t elements(const Value& tensor) { return static_cast<size_t>(count_of(shape_of(tensor))); }

// A score with four digits after the point.
std::string score_text(const Value& tensor, size_t index) {
  const double score = number_at(dtype_of(tensor), ol_tensor_data(tensor.get()), index);
  if (!std::isfinite(score)) return element_text(tensor, index);
  constexpr int kDigits = 4;
  constexpr double kUnits = 1e4;
  std::string digits = text(static_cast<int64_t>(std::round(std::fabs(score) * kUnits)));
  if (digits.size() <= kDigits) digits.insert(0, kDigits + 1 - digits.size(), '0');
  digits.insert(digits.size() - kDigits, ".");
  return score < 0 ? "-" + digits : digits;
}

class Answer {
 public:
  Answer(const Interface& interface, const std::vector<Value>& outputs) : interface_(interface), outputs_(outputs) {}

  std::string make() {
    table();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Output& output = interface_.outputs[i];
      if (output.kind != "column" && !is_part_of_another(output.name)) show(output, outputs_[i]);
    }
    return std::move(out_);
  }

 private:
  bool is_part_of_another(const std::string& name) const {
    return std::any_of(interface_.outputs.begin(), interface_.outputs.end(),
                       [&](const Output& other) { return other.scores == name || other.labels == name; });
  }

  const Value* other(const std::string& name) const {
    return name.empty() ? nullptr : &outputs_[output_index(interface_, name)];
  }

  void line(std::string_view words) { (out_ += words) += '\n'; }

  void show(const Output& output, const Value& value) {
    const bool tensor = ol_value_kind(value.get()) == OL_TENSOR;
    if (tensor && output.kind == "text") {
      for (size_t i = 0; i < elements(value); ++i) line(element_text(value, i));
    } else if (tensor && output.kind == "labels") {
      labels(value, other(output.scores));
    } else if (tensor && output.kind == "boxes") {
      boxes(value, other(output.scores), other(output.labels));
    } else {
      summary(output, value, tensor);
    }
  }

  void labels(const Value& names, const Value* scores) {
    size_t width = 0;
    for (size_t i = 0; i < elements(names); ++i) width = std::max(width, element_text(names, i).size());
    for (size_t i = 0; i < elements(names); ++i) {
      std::string name = element_text(names, i);
      if (scores != nullptr && i < elements(*scores)) {
        name.resize(width, ' ');
        name += "  " + score_text(*scores, i);
      }
      line(name);
    }
  }

  void boxes(const Value& corners, const Value* scores, const Value* names) {
    constexpr size_t kCorners = 4;
    for (size_t i = 0; i < elements(corners) / kCorners; ++i) {
      std::string words;
      if (names != nullptr && i < elements(*names)) words += element_text(*names, i) + "  ";
      if (scores != nullptr && i < elements(*scores)) words += score_text(*scores, i) + "  ";
      for (size_t at = 0; at < kCorners; ++at) {
        const double corner = number_at(dtype_of(corners), ol_tensor_data(corners.get()), i * kCorners + at);
        words += text(at == 0 ? "" : " ", static_cast<int64_t>(std::lround(corner)));
      }
      line(words);
    }
  }

  void summary(const Output& output, const Value& value, bool tensor) {
    std::string words = (output.label.empty() ? output.name : output.label) + ": ";
    if (!tensor) return line(words + "no tensor (--json shows it)");
    words += text(dtype_text(dtype_of(value)), " [");
    for (const int64_t size : shape_of(value)) words += text(words.back() == '[' ? "" : ", ", size);
    words += "]";
    for (size_t i = 0; i < std::min(elements(value), kShown); ++i) words += " " + element_text(value, i);
    line(elements(value) > kShown ? words + " ..." : words);
  }

  // ---- tables ----

  void table() {
    std::vector<std::string> lines;  // the first one has the names
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (interface_.outputs[i].kind != "column") continue;
      if (ol_value_kind(outputs_[i].get()) == OL_SEQUENCE)
        add_maps(lines, interface_.outputs[i].name, outputs_[i]);
      else if (ol_value_kind(outputs_[i].get()) == OL_TENSOR)
        add_columns(lines, interface_.outputs[i].name, outputs_[i]);
    }
    for (const std::string& words : lines) line(words);
  }

  static void add_cell(std::vector<std::string>& lines, size_t at, std::string cell) {
    if (lines.size() <= at) lines.resize(at + 1);
    if (cell.find_first_of(",\"\r\n") != std::string::npos) {
      for (size_t quote = 0; (quote = cell.find('"', quote)) != std::string::npos; quote += 2) cell.insert(quote, "\"");
      cell = "\"" + cell + "\"";
    }
    lines[at] += lines[at].empty() ? cell : "," + cell;
  }

  static void add_columns(std::vector<std::string>& lines, const std::string& name, const Value& value) {
    const std::vector<int64_t> shape = shape_of(value);
    const size_t rows = shape.empty() ? 1 : static_cast<size_t>(shape[0]),
                 width = rows == 0 ? 0 : elements(value) / rows;
    for (size_t column = 0; column < width; ++column)
      add_cell(lines, 0, width == 1 ? name : text(name, "[", column, "]"));
    for (size_t i = 0; i < rows * width; ++i) add_cell(lines, 1 + i / width, element_text(value, i));
  }

  static void add_maps(std::vector<std::string>& lines, const std::string& name, const Value& sequence) {
    for (int32_t row = 0; row < ol_sequence_size(sequence.get()); ++row) {
      const Value map(ol_sequence_item(sequence.get(), row));
      if (ol_value_kind(map.get()) != OL_MAP) return;
      const Value keys(ol_map_keys(map.get())), values(ol_map_values(map.get()));
      for (size_t i = 0; i < elements(keys); ++i) {
        if (row == 0) add_cell(lines, 0, text(name, "[", element_text(keys, i), "]"));
        add_cell(lines, static_cast<size_t>(row) + 1, element_text(values, i));
      }
    }
  }

  const Interface& interface_;
  const std::vector<Value>& outputs_;
  std::string out_;
};

}  // namespace

std::string for_people(const Interface& interface, const std::vector<Value>& outputs) {
  return Answer(interface, outputs).make();
}

}  // namespace runner
