// UTF-8 and simple case mapping: what the string operators and the regular expressions need of Unicode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onnxlet {

// The code point at *pos, which moves behind it. A byte that starts no valid sequence gives -1 and is skipped alone.
int32_t next_code_point(std::string_view text, size_t* pos);
void append_utf8(std::string& out, int32_t code_point);

// One-to-one mappings of the Latin, Greek, Cyrillic, Armenian and fullwidth letters; others stay as they are.
int32_t to_lower(int32_t code_point);
int32_t to_upper(int32_t code_point);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

bool is_space(int32_t code_point);  // Unicode White_Space

}  // namespace onnxlet
