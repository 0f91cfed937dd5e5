#include "npy.h"

#include <cstring>
#include <optional>

#include "base/number_text.h"
#include "base/unicode.h"
#include "numbers.h"
#include "program.h"

namespace runner {
namespace {

using onnxlet::DType;

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  std::string_view name;
  DType dtype;
};
constexpr TypeName kTypes[] = {{"|b1", DType::kBool},      {"|u1", DType::kUint8},      {"|i1", DType::kInt8},
                               {"<u2", DType::kUint16},    {"<i2", DType::kInt16},      {"<u4", DType::kUint32},
                               {"<i4", DType::kInt32},     {"<u8", DType::kUint64},     {"<i8", DType::kInt64},
                               {"<f2", DType::kFloat16},   {"<f4", DType::kFloat},      {"<f8", DType::kDouble},
                               {"<c8", DType::kComplex64}, {"<c16", DType::kComplex128}};

// What follows 'key': in the dictionary of the header.
std::string_view entry(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = header.substr(at + key.size());
  const size_t start = rest.find_first_not_of(" :");
  return start == std::string_view::npos ? std::string_view() : rest.substr(start);
}

std::string_view quoted(std::string_view text) {
  if (text.empty() || text[0] != '\'') return {};
  return text.substr(1, text.find('\'', 1) - 1);
}

// "(3, 4)"; nothing when it is something else.
std::optional<std::vector<int64_t>> parse_shape(std::string_view text) {
  if (text.empty() || text[0] != '(') return std::nullopt;
  text = text.substr(1, text.find(')') - 1);
  std::vector<int64_t> shape;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view size = text.substr(0, comma);
    int64_t value;
    constexpr int64_t kMost = int64_t{1} << 40;
    if (size.find_first_not_of(' ') != std::string_view::npos) {
      if (!onnxlet::parse_integer(size, &value) || value < 0 || value > kMost) return std::nullopt;
      shape.push_back(value);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return shape;
}

struct Header {
  std::string_view descr, data;
  std::vector<int64_t> shape;
  bool reversed;  // in Fortran's order: the first index runs fastest
};

Header parse_header(std::string_view bytes, const std::string& path) {
  const auto damaged = [&](std::string_view what) { fail(Exit::kFailed, text(path, " is no .npy file: ", what)); };
  constexpr size_t kPrefix = 8;
  if (bytes.size() < kPrefix + 4 || !bytes.starts_with(kMagic)) damaged("it does not start like one");
  const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  const bool wide = bytes[6] > 1;  // version 1 has two bytes of length, later ones four
  const size_t start = kPrefix + (wide ? 4 : 2);
  const size_t length = at(8) + (at(9) << 8) + (wide ? (at(10) << 16) + (at(11) << 24) : 0);
  if (length > bytes.size() - start) damaged("its header is cut short");
  const std::string_view text = bytes.substr(start, length);
  const std::optional<std::vector<int64_t>> shape = parse_shape(entry(text, "'shape'"));
  const std::string_view descr = quoted(entry(text, "'descr'"));
  if (!shape || descr.empty()) damaged("its header has no shape or no type");
  const bool reversed = entry(text, "'fortran_order'").starts_with("True") && shape->size() > 1;
  return {descr, bytes.substr(start + length), *shape, reversed};
}

void expect_bytes(const Header& header, uint64_t size, const std::string& path) {
  if (header.data.size() != size)
    fail(Exit::kFailed, text(path, " is damaged: it has ", header.data.size(), " bytes of elements, not ", size));
}

// Where the element that is the index-th in C's order lies in Fortran's.
size_t reversed_place(const std::vector<int64_t>& shape, size_t index) {
  size_t place = 0;
  size_t stride_of_c = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    size_t stride = 1;
    for (size_t before = 0; before < axis; ++before) stride *= static_cast<size_t>(shape[before]);
    place += index / stride_of_c % static_cast<size_t>(shape[axis]) * stride;
    stride_of_c *= static_cast<size_t>(shape[axis]);
  }
  return place;
}

std::string elements_of(const Header& header, size_t size) {
  if (!header.reversed) return std::string(header.data);
  std::string elements;
  for (size_t i = 0; i < header.data.size() / size; ++i)
    elements += header.data.substr(reversed_place(header.shape, i) * size, size);
  return elements;
}

// "<U7": UTF-32, padded with zeros.
Array parse_strings(const Header& header, const std::string& path) {
  int64_t width;
  if (!onnxlet::parse_integer(header.descr.substr(2), &width)) fail(Exit::kFailed, text(path, " is damaged"));
  const auto count = static_cast<size_t>(count_of(header.shape)), characters = static_cast<size_t>(width);
  constexpr size_t kCharacter = 4;
  expect_bytes(header, uint64_t{kCharacter} * count * characters, path);
  const std::string elements = elements_of(header, kCharacter * characters);
  std::vector<std::string> texts(count);
  for (size_t i = 0; i < count * characters; ++i) {
    int32_t code_point;
    std::memcpy(&code_point, elements.data() + kCharacter * i, kCharacter);
    if (code_point != 0) onnxlet::append_utf8(texts[i / characters], code_point);
  }
  return {DType::kString, header.shape, {}, std::move(texts)};
}

std::string_view type_name(DType dtype) {
  for (const TypeName& type : kTypes) {
    if (type.dtype == dtype) return type.name;
  }
  return {};
}

std::string header_text(std::string_view descr, const std::vector<int64_t>& shape) {
  std::string dictionary = text("{'descr': '", descr, "', 'fortran_order': False, 'shape': (");
  for (const int64_t size : shape) dictionary += text(size, ", ");
  if (shape.size() > 1) dictionary.resize(dictionary.size() - 2);
  if (shape.size() == 1) dictionary.pop_back();
  dictionary += "), }";
  constexpr size_t kAlignment = 64, kPrefix = 10;
  while ((kPrefix + dictionary.size() + 1) % kAlignment != 0) dictionary.push_back(' ');
  dictionary.push_back('\n');
  std::string out(kMagic);
  out += {'\x01', '\0', static_cast<char>(dictionary.size() & 255), static_cast<char>(dictionary.size() >> 8)};
  return out + dictionary;
}

std::string strings_to_npy(const Value& tensor) {
  const std::vector<int64_t> shape = shape_of(tensor);
  const auto count = static_cast<size_t>(count_of(shape));
  std::vector<std::vector<int32_t>> texts(count);
  size_t width = 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view string = string_at(tensor, i);
    for (size_t at = 0; at < string.size();) texts[i].push_back(onnxlet::next_code_point(string, &at));
    width = std::max(width, texts[i].size());
  }
  std::string out = header_text(text("<U", width), shape);
  for (std::vector<int32_t>& characters : texts) {
    characters.resize(width);
    out.append(reinterpret_cast<const char*>(characters.data()), 4 * width);
  }
  return out;
}

}  // namespace

Array parse_npy(std::string_view bytes, const std::string& path) {
  const Header header = parse_header(bytes, path);
  if (header.descr.starts_with("<U")) return parse_strings(header, path);
  for (const TypeName& type : kTypes) {
    if (type.name != header.descr) continue;
    expect_bytes(header, onnxlet::packed_bytes(type.dtype, static_cast<uint64_t>(count_of(header.shape))), path);
    return {type.dtype, header.shape, elements_of(header, onnxlet::element_size(type.dtype)), {}};
  }
  fail(Exit::kFailed, text(path, " has elements of numpy's type ", header.descr, ", which no input takes"));
}

std::string to_npy(const Value& tensor, std::string_view name) {
  if (ol_value_kind(tensor.get()) != OL_TENSOR)
    fail(Exit::kFailed, text("output '", name, "' is no tensor; --json shows it"));
  const DType dtype = dtype_of(tensor);
  if (dtype == DType::kString) return strings_to_npy(tensor);
  const std::vector<int64_t> shape = shape_of(tensor);
  const char* data = static_cast<const char*>(ol_tensor_data(tensor.get()));
  if (!type_name(dtype).empty())
    return header_text(type_name(dtype), shape).append(data, ol_tensor_bytes(tensor.get()));
  const bool is_float = onnxlet::is_float(dtype);
  std::string out = header_text(is_float ? "<f4" : "|i1", shape);
  for (size_t i = 0; i < static_cast<size_t>(count_of(shape)); ++i) {
    const double value = number_at(dtype, data, i);
    if (is_float) {
      const auto element = static_cast<float>(value);
      out.append(reinterpret_cast<const char*>(&element), sizeof(element));
    } else {
      out.push_back(static_cast<char>(value));
    }
  }
  return out;
}

}  // namespace runner
