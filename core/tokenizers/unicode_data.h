// What tokenizers need of the Unicode character database.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onnxlet {

// A set of general categories, one bit each: "L" gives all of letters, "Lu" those that are large. 0: there is none
// such.
uint32_t category_set(std::string_view name);
bool in_categories(int32_t code_point, uint32_t set);

bool is_letter(int32_t code_point);       // L
bool is_number(int32_t code_point);       // N
bool is_punctuation(int32_t code_point);  // P, and the symbols of ASCII
bool is_mark(int32_t code_point);         // M
bool is_nonspacing(int32_t code_point);   // Mn
bool is_other(int32_t code_point);        // C, but for what is not assigned yet
bool is_word(int32_t code_point);         // the \w of regular expressions

// White_Space of Unicode, as the \s of regular expressions.
bool is_white_space(int32_t code_point);

// The small letters of every code point; bytes that are not UTF-8 stay.
std::string lower_case(std::string_view text);

enum class NormalForm : uint8_t { kNfc, kNfd, kNfkc, kNfkd };
std::string normalize(std::string_view text, NormalForm form);

// Code points of a text; a byte that starts no valid sequence becomes U+FFFD.
std::vector<int32_t> code_points(std::string_view text);

}  // namespace onnxlet
