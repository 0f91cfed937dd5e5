#include "base/unicode.h"

namespace onnxlet {
namespace {

// Upper-case letters [first, last]: delta to the lower-case one, or kPairs where upper and lower alternate.
struct CaseRange {
  uint16_t first, last;
  int16_t delta;
};
constexpr int16_t kPairs = 1;  // first, first + 2 ... are upper case, each followed by its lower case
constexpr CaseRange kCases[] = {
    {0x41, 0x5a, 32},       {0xc0, 0xd6, 32},         {0xd8, 0xde, 32},         {0x100, 0x12e, kPairs},
    {0x132, 0x136, kPairs}, {0x139, 0x147, kPairs},   {0x14a, 0x176, kPairs},   {0x178, 0x178, -121},
    {0x179, 0x17d, kPairs}, {0x386, 0x386, 38},       {0x388, 0x38a, 37},       {0x38c, 0x38c, 64},
    {0x38e, 0x38f, 63},     {0x391, 0x3a1, 32},       {0x3a3, 0x3ab, 32},       {0x400, 0x40f, 80},
    {0x410, 0x42f, 32},     {0x460, 0x480, kPairs},   {0x48a, 0x4be, kPairs},   {0x4d0, 0x52e, kPairs},
    {0x531, 0x556, 48},     {0x1e00, 0x1e94, kPairs}, {0x1ea0, 0x1efe, kPairs}, {0xff21, 0xff3a, 32},
};

}  // namespace

int32_t next_code_point(std::string_view text, size_t* pos) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte((*pos)++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 && lead < 0xf5   ? 3
                   : lead >= 0xe0 && lead < 0xf0 ? 2
                   : lead >= 0xc2 && lead < 0xe0 ? 1
                                                 : 0;
  if (more == 0 || *pos + static_cast<size_t>(more) > text.size()) return -1;
  int32_t c = lead & (0x3f >> more);
  for (int i = 0; i < more; ++i) {
    const uint8_t next = byte(*pos + static_cast<size_t>(i));
    if ((next & 0xc0) != 0x80) return -1;
    c = c << 6 | (next & 0x3f);
  }
  constexpr int32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return -1;
  *pos += static_cast<size_t>(more);
  return c;
}

void append_utf8(std::string& out, int32_t c) {
  const auto put = [&](int32_t b) { out.push_back(static_cast<char>(b)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xe0 | c >> 12);
    } else {
      put(0xf0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3f));
    }
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

int32_t to_lower(int32_t c) {
  for (const CaseRange& r : kCases) {
    if (c < r.first || c > r.last) continue;
    return r.delta == kPairs && (c - r.first) % 2 != 0 ? c : c + r.delta;
  }
  return c;
}

int32_t to_upper(int32_t c) {
  if (c == 0xb5) return 0x39c;
  if (c == 0x3c2) return 0x3a3;
  for (const CaseRange& r : kCases) {
    if (c < r.first + r.delta || c > r.last + r.delta) continue;
    return r.delta == kPairs && (c - r.first) % 2 == 0 ? c : c - r.delta;
  }
  return c;
}

namespace {
std::string map_text(std::string_view text, int32_t (*map)(int32_t)) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    const int32_t c = next_code_point(text, &i);
    if (c < 0)
      out.append(text.substr(from, i - from));
    else
      append_utf8(out, map(c));
  }
  return out;
}
}  // namespace

std::string to_lower(std::string_view text) { return map_text(text, to_lower); }
std::string to_upper(std::string_view text) { return map_text(text, to_upper); }

bool is_space(int32_t c) {
  return (c >= 9 && c <= 13) || c == 32 || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

}  // namespace onnxlet
