#include "tokenizers/byte_level.h"

#include "base/unicode.h"

namespace onnxlet {
namespace {

constexpr int32_t kFirstMoved = 0x100;

// The character of a byte: itself if Latin-1 prints it, else one from U+0100 on, in order.
constexpr int32_t character_of(int32_t byte) {
  if (byte <= 0x20) return kFirstMoved + byte;
  if (byte >= 0x7f && byte <= 0xa0) return kFirstMoved + 0x21 + (byte - 0x7f);
  return byte == 0xad ? kFirstMoved + 0x43 : byte;
}

}  // namespace

std::string bytes_to_characters(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) append_utf8(out, character_of(static_cast<uint8_t>(c)));
  return out;
}

}  // namespace onnxlet
