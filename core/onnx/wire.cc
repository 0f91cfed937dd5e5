#include "onnx/wire.h"

#include <cstring>

namespace onnxlet::wire {

Result<uint64_t> Reader::varint() {
  const uint64_t start = offset();
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) return invalid_protobuf("the file is damaged: a number is cut off at byte ", start);
    const auto byte = static_cast<uint8_t>(*at_++);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return invalid_protobuf("the file is damaged: a number of more than 10 bytes at byte ", start);
}

Status Reader::fixed(int size, uint64_t* value) {
  if (end_ - at_ < size) return invalid_protobuf("the file is damaged: a fixed number is cut off at byte ", offset());
  *value = 0;
  std::memcpy(value, at_, static_cast<size_t>(size));
  at_ += size;
  return {};
}

Status Reader::next(Field* field) {
  field->offset = offset();
  OL_ASSIGN(const uint64_t tag, varint());
  field->number = static_cast<uint32_t>(tag >> 3);
  field->type = static_cast<Type>(tag & 7);
  if (field->number == 0 || tag >> 32 != 0) {
    return invalid_protobuf("the file is damaged: no field can start with tag ", tag, " at byte ", field->offset);
  }
  switch (field->type) {
    case kVarint: {
      OL_ASSIGN(field->scalar, varint());
      return {};
    }
    case kFixed64:
      return fixed(8, &field->scalar);
    case kFixed32:
      return fixed(4, &field->scalar);
    case kBytes: {
      OL_ASSIGN(const uint64_t length, varint());
      if (length > static_cast<uint64_t>(end_ - at_)) {
        return invalid_protobuf("the file is damaged or cut short: field ", field->number, " at byte ", field->offset,
                                " claims ", length, " bytes, ", static_cast<uint64_t>(end_ - at_), " are left");
      }
      field->bytes = {at_, static_cast<size_t>(length)};
      at_ += length;
      return {};
    }
    default:
      return invalid_protobuf("the file is damaged: wire type ", static_cast<int>(field->type), " at byte ",
                              field->offset, " is not used by ONNX");
  }
}

}  // namespace onnxlet::wire
