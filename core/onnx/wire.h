// Protocol Buffers wire format (https://protobuf.dev/programming-guides/encoding), read in place.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace onnxlet::wire {

enum Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroupStart = 3, kGroupEnd = 4, kFixed32 = 5 };

// One field: its number, how it is written, and its payload.
struct Field {
  uint32_t number = 0;
  Type type = kVarint;
  uint64_t scalar = 0;     // kVarint, kFixed64, kFixed32
  std::string_view bytes;  // kBytes
  uint64_t offset = 0;     // of the tag, in the file
};

// Walks the fields of one message. `file` is the start of the whole file, for offsets in messages.
class Reader {
 public:
  Reader(std::string_view message, const char* file) : at_(message.data()), end_(at_ + message.size()), file_(file) {}
  bool done() const { return at_ == end_; }
  Status next(Field* field);
  Result<uint64_t> varint();
  uint64_t offset() const { return static_cast<uint64_t>(at_ - file_); }
  const char* file() const { return file_; }

 private:
  Status fixed(int size, uint64_t* value);

  const char* at_;
  const char* end_;
  const char* file_;
};

}  // namespace onnxlet::wire
