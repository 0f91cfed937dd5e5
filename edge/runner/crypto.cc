#include "crypto.h"

namespace runner {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

int hex_digit(char c) {
  const size_t at = kHex.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// Of both alphabets of RFC 4648.
int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

bool from_hex(std::string_view text, Key* key) {
  for (size_t i = 0; i < key->size(); ++i) {
    const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    (*key)[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

bool from_base64(std::string_view text, Key* key) {
  uint32_t bits = 0;
  int held = 0;
  size_t written = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    if (written < key->size()) (*key)[written++] = static_cast<uint8_t>(bits >> held);
  }
  return written == key->size();
}

}  // namespace

std::string hex(const Digest& digest) {
  std::string out;
  for (const uint8_t byte : digest) {
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
  return out;
}

bool parse_key(std::string_view text, Key* key) {
  text = trimmed(text);
  if (text.size() == 2 * key->size()) return from_hex(text, key);
  constexpr size_t kWithPadding = 44;
  return text.size() == kWithPadding && text.back() == '=' && from_base64(text.substr(0, kWithPadding - 1), key);
}

}  // namespace runner
