#include "fuzz/message.h"

namespace onnxlet::fuzz {
namespace {

struct Holds {
  Kind kind;
  uint32_t number;
  Kind what;
};
// onnx.proto3, by message and field number.
constexpr Holds kHolds[] = {
    {Kind::kModel, 7, Kind::kGraph},
    {Kind::kModel, 8, Kind::kLeaf},       // opset_import
    {Kind::kModel, 14, Kind::kLeaf},      // metadata_props
    {Kind::kModel, 25, Kind::kFunction},  // functions
    {Kind::kGraph, 1, Kind::kNode},
    {Kind::kGraph, 5, Kind::kTensor},
    {Kind::kGraph, 11, Kind::kValueInfo},  // input
    {Kind::kGraph, 12, Kind::kValueInfo},  // output
    {Kind::kGraph, 13, Kind::kValueInfo},  // value_info
    {Kind::kGraph, 15, Kind::kSparseTensor},
    {Kind::kNode, 5, Kind::kAttribute},
    {Kind::kAttribute, 5, Kind::kTensor},
    {Kind::kAttribute, 6, Kind::kGraph},
    {Kind::kAttribute, 10, Kind::kTensor},
    {Kind::kAttribute, 11, Kind::kGraph},
    {Kind::kAttribute, 14, Kind::kType},
    {Kind::kAttribute, 15, Kind::kType},
    {Kind::kAttribute, 22, Kind::kSparseTensor},
    {Kind::kAttribute, 23, Kind::kSparseTensor},
    {Kind::kTensor, 3, Kind::kLeaf},   // segment
    {Kind::kTensor, 13, Kind::kLeaf},  // external_data
    {Kind::kSparseTensor, 1, Kind::kTensor},
    {Kind::kSparseTensor, 2, Kind::kTensor},
    {Kind::kValueInfo, 2, Kind::kType},
    {Kind::kType, 1, Kind::kTensorType},
    {Kind::kType, 4, Kind::kOf},          // sequence
    {Kind::kType, 5, Kind::kOf},          // map
    {Kind::kType, 8, Kind::kTensorType},  // sparse
    {Kind::kType, 9, Kind::kOf},          // optional
    {Kind::kTensorType, 2, Kind::kShape},
    {Kind::kShape, 1, Kind::kLeaf},  // dim
    {Kind::kOf, 1, Kind::kType},
    {Kind::kOf, 2, Kind::kType},
    {Kind::kFunction, 7, Kind::kNode},
    {Kind::kFunction, 9, Kind::kLeaf},
    {Kind::kFunction, 11, Kind::kAttribute},
    {Kind::kFunction, 12, Kind::kValueInfo},
};

constexpr int kMostNested = 60;

Kind held(Kind kind, const wire::Field& field) {
  if (field.type != wire::kBytes) return Kind::kNone;
  for (const Holds& row : kHolds) {
    // The key type of a map is a number, the first field of kOf: what is no message stays bytes.
    if (row.kind == kind && row.number == field.number) return row.what;
  }
  return Kind::kNone;
}

bool read(std::string_view message, Kind kind, int depth, std::vector<Field>* out) {
  wire::Reader reader(message, message.data());
  while (!reader.done()) {
    wire::Field found;
    if (!reader.next(&found).ok()) return false;
    Field field{found.number, found.type, found.scalar, std::string(found.bytes)};
    if (const Kind what = held(kind, found); what != Kind::kNone && depth < kMostNested) {
      if (read(found.bytes, what, depth + 1, &field.children)) {
        field.kind = what;
        field.bytes.clear();
      } else {
        field.children.clear();
      }
    }
    out->push_back(std::move(field));
  }
  return true;
}

void put_varint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void put(const Field& field, std::string* out) {
  put_varint(uint64_t{field.number} << 3 | field.type, out);
  switch (field.type) {
    case wire::kVarint:
      put_varint(field.scalar, out);
      break;
    case wire::kBytes: {
      const std::string bytes = field.kind == Kind::kNone ? field.bytes : write(field);
      put_varint(bytes.size(), out);
      out->append(bytes);
      break;
    }
    default:
      out->append(reinterpret_cast<const char*>(&field.scalar), field.type == wire::kFixed64 ? 8 : 4);
  }
}

}  // namespace

std::optional<Field> read_model(std::string_view file) {
  Field model;
  model.kind = Kind::kModel;
  if (!read(file, Kind::kModel, 0, &model.children)) return std::nullopt;
  return model;
}

std::string write(const Field& message) {
  std::string out;
  for (const Field& field : message.children) put(field, &out);
  return out;
}

}  // namespace onnxlet::fuzz
