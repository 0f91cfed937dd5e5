#include "tokenizers/character_map.h"

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

// A unit of the trie: label in the low 8 bits, whether it ends a key, and where its children are; or a key's value.
constexpr uint32_t kIsValue = uint32_t{1} << 31;
uint32_t label(uint32_t unit) { return unit & (kIsValue | 0xff); }
bool ends_key(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t offset(uint32_t unit) { return unit >> 10 << ((unit & 1 << 9) >> 6); }

Result<std::string> from_base64(std::string_view encoded) {
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : encoded) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) return invalid_graph("precompiled_charsmap of tokenizer.json is not base64");
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>(bits >> held & 0xff));
  }
  return out;
}

uint32_t little(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << 8 * i;
  return value;
}

// Whether the code point belongs to the character before it.
bool extends(int32_t c) { return is_mark(c) || c == 0x200c || c == 0x200d; }

}  // namespace

Result<CharacterMap> CharacterMap::read(std::string_view encoded) {
  constexpr size_t kUnit = 4;
  OL_ASSIGN(const std::string bytes, from_base64(encoded));
  const size_t size = bytes.size() < kUnit ? 0 : little(bytes, 0);
  if (size < kUnit || size % kUnit != 0 || size > bytes.size() - kUnit) {
    return invalid_graph("precompiled_charsmap of tokenizer.json is of ", bytes.size(), " bytes, with a trie of ",
                         size);
  }
  CharacterMap out;
  for (size_t at = kUnit; at < kUnit + size; at += kUnit) out.trie_.push_back(little(bytes, at));
  out.texts_ = bytes.substr(kUnit + size) + '\0';
  return out;
}

const char* CharacterMap::find(std::string_view key) const {
  size_t at = offset(trie_[0]);
  for (const char c : key) {
    at ^= static_cast<uint8_t>(c);
    if (c == '\0' || at >= trie_.size() || label(trie_[at]) != static_cast<uint8_t>(c)) return nullptr;
    const uint32_t unit = trie_[at];
    at ^= offset(unit);
    if (!ends_key(unit)) continue;
    const size_t text = at < trie_.size() ? trie_[at] & ~kIsValue : texts_.size();
    return text < texts_.size() ? texts_.c_str() + text : nullptr;
  }
  return nullptr;
}

void CharacterMap::append_mapped(std::string_view character, std::string* out) const {
  constexpr size_t kShort = 6;  // bytes; longer ones are looked up code point by code point
  const char* whole = character.size() < kShort ? find(character) : nullptr;
  if (whole != nullptr) {
    *out += whole;
    return;
  }
  for (size_t i = 0; i < character.size();) {
    const size_t from = i;
    next_code_point(character, &i);
    const std::string_view part = character.substr(from, i - from);
    const char* mapped = find(part);
    mapped != nullptr ? * out += mapped : * out += part;
  }
}

std::string CharacterMap::apply(std::string_view text) const {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    const int32_t first = next_code_point(text, &i);
    if (first == '\r' && text.substr(i, 1) == "\n") ++i;
    const bool control = is_other(first) || first == 0x2028 || first == 0x2029;
    for (size_t next = i; !control && next < text.size() && extends(next_code_point(text, &next)); i = next) {
    }
    append_mapped(text.substr(from, i - from), &out);
  }
  return out;
}

}  // namespace onnxlet
