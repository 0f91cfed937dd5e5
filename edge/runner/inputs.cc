#include "inputs.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "csv.h"
#include "files.h"
#include "json_tensor.h"
#include "npy.h"
#include "numbers.h"
#include "program.h"

namespace runner {
namespace {

using onnxlet::DType;

Value bytes_tensor(std::string_view bytes) {
  Value value = new_tensor(DType::kUint8, {static_cast<int64_t>(bytes.size())});
  if (!bytes.empty()) std::memcpy(ol_tensor_data(value.get()), bytes.data(), bytes.size());
  return value;
}

// "@FILE" and "-" stand for what is in the file, or in standard input.
std::string words(const std::string& argument) {
  if (argument == "-") return read_file(argument);
  return argument.starts_with('@') ? read_file(argument.substr(1)) : argument;
}

// The array's elements in the input's type, where it holds them.
Value to_tensor(const Array& array, const Input& input, const std::string& path) {
  if (array.dtype == DType::kString && input.dtype == DType::kString) return string_tensor(array.texts, array.shape);
  if (array.dtype == DType::kString || input.dtype == DType::kString) {
    fail(Exit::kFailed,
         text("input '", input.name, "' takes ", describe(input), "; ", path, " has ", dtype_text(array.dtype)));
  }
  Value tensor = new_tensor(input.dtype, array.shape);
  if (array.elements.empty()) return tensor;
  if (array.dtype == input.dtype) {
    std::memcpy(ol_tensor_data(tensor.get()), array.elements.data(), array.elements.size());
    return tensor;
  }
  for (size_t i = 0; i < static_cast<size_t>(count_of(array.shape)); ++i) {
    const std::string number = number_text(array.dtype, array.elements.data(), i);
    if (!set_number(number, input.dtype, ol_tensor_data(tensor.get()), i)) {
      fail(Exit::kFailed, text("input '", input.name, "' takes ", describe(input), "; ", path, " is ",
                               dtype_text(array.dtype), " and has ", number));
    }
  }
  return tensor;
}

Value from_argument(const Input& input, const std::string& argument) {
  if (input.is_file()) return bytes_tensor(read_file(argument));
  if (input.kind == "text") return string_tensor({words(argument)}, {1});
  if (!argument.ends_with(".npy")) return parse_tensor(words(argument), input);
  return to_tensor(parse_npy(read_file(argument), argument), input, argument);
}

// ---- tables ----

void set_cell(const Table& table, size_t row, size_t column, const Input& input, Value& value, size_t index) {
  const std::string& cell = table.rows[row][column];
  const std::string_view word = cell.empty() && onnxlet::is_float(input.dtype) ? "nan" : std::string_view(cell);
  if (set_number(word, input.dtype, ol_tensor_data(value.get()), index)) return;
  fail(Exit::kFailed, text(table.path, ": '", cell, "' in column '", table.names[column], "', row ", row + 1,
                           ", is no ", dtype_text(input.dtype)));
}

// The columns side by side: [rows, columns].
Value from_columns(const Table& table, const std::vector<size_t>& columns, const Input& input) {
  const std::vector<int64_t> shape{static_cast<int64_t>(table.rows.size()), static_cast<int64_t>(columns.size())};
  if (input.dtype == DType::kString) {
    std::vector<std::string> texts;
    for (const std::vector<std::string>& row : table.rows) {
      for (const size_t column : columns) texts.push_back(row[column]);
    }
    return string_tensor(texts, shape);
  }
  Value value = new_tensor(input.dtype, shape);
  size_t index = 0;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    for (const size_t column : columns) set_cell(table, row, column, input, value, index++);
  }
  return value;
}

std::string names_of(const Table& table) {
  std::string names;
  for (const std::string& name : table.names) names += names.empty() ? name : ", " + name;
  return names;
}

Value from_table(const Table& table, const Input& input) {
  if (input.kind == "matrix") {
    std::vector<size_t> all(table.names.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const int64_t wanted = input.shape.size() == 2 ? input.shape[1] : -1;
    if (wanted >= 0 && wanted != static_cast<int64_t>(all.size())) {
      fail(Exit::kFailed, text(table.path, " has ", all.size(), " columns; input '", input.name, "' takes ", wanted));
    }
    return from_columns(table, all, input);
  }
  const auto found = std::find(table.names.begin(), table.names.end(), input.name);
  if (found == table.names.end())
    fail(Exit::kFailed, text(table.path, " has no column '", input.name, "'; it has ", names_of(table)));
  return from_columns(table, {static_cast<size_t>(found - table.names.begin())}, input);
}

// ---- which is which ----

[[noreturn]] void wrong_usage(std::string_view message) {
  fail(Exit::kUsage, text(message, "; --help shows the inputs"));
}

void check_names(const Interface& interface, const Options& options) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const std::string& name = options.inputs[i].first;
    const auto is_it = [&](const auto& item) { return item.name == name; };
    if (std::none_of(interface.inputs.begin(), interface.inputs.end(), is_it))
      wrong_usage(text("there is no input '", name, "'"));
    for (size_t other = 0; other < i; ++other) {
      if (options.inputs[other].first == name) wrong_usage(text("input '", name, "' is given twice"));
    }
  }
}

const std::string* named(const Options& options, const std::string& name) {
  for (const auto& [input, value] : options.inputs) {
    if (input == name) return &value;
  }
  return nullptr;
}

}  // namespace

std::vector<Feed> make_feeds(const Interface& interface, const Options& options) {
  check_names(interface, options);
  std::optional<Table> table;
  if (!options.table.empty()) {
    if (std::none_of(interface.inputs.begin(), interface.inputs.end(), [](const Input& i) { return i.is_table(); }))
      wrong_usage("no input takes a table");
    table = parse_table(read_file(options.table), options.table);
  }
  std::vector<Feed> feeds;
  size_t used = 0;
  for (const Input& input : interface.inputs) {
    if (const std::string* value = named(options, input.name)) {
      feeds.push_back({input.name, from_argument(input, *value)});
    } else if (table && input.is_table()) {
      feeds.push_back({input.name, from_table(*table, input)});
    } else if (used < options.values.size()) {
      feeds.push_back({input.name, from_argument(input, options.values[used++])});
    } else {
      wrong_usage(text("input '", input.name, "' is not given (", what_to_give(input), ")"));
    }
  }
  if (used < options.values.size()) wrong_usage(text("'", options.values[used], "' is one argument too many"));
  return feeds;
}

}  // namespace runner
