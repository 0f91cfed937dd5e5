#include "base/regex.h"

#include <string>

#include "base/unicode.h"
#include "tests/check.h"

using namespace onnxlet;

namespace {

bool matches(std::string_view pattern, std::string_view text) {
  auto regex = Regex::compile(pattern);
  CHECK(regex.ok());
  return regex.ok() && regex.value().full_match(text);
}

// The match as "begin-end", or "none".
std::string found(std::string_view pattern, std::string_view text, size_t from = 0) {
  auto regex = Regex::compile(pattern);
  CHECK(regex.ok());
  size_t begin = 0, end = 0;
  if (!regex.ok() || !regex.value().find(text, from, &begin, &end)) return "none";
  return std::to_string(begin) + "-" + std::to_string(end);
}

}  // namespace

TEST(regex_matches_whole_texts) {
  CHECK(matches("a|b*c", "bbc"));
  CHECK(!matches("a|b*c", "ac"));
  CHECK(matches("x{0}", ""));
  CHECK(matches("x{2,}", "xxxx"));
  CHECK(matches("a{,3}", "a{,3}"));
  CHECK(matches("\\Q.*\\E+", ".***"));
  CHECK(matches("(?i:ab)C", "AbC"));
  CHECK(!matches("(?i:ab)C", "Abc"));
  CHECK(matches("(?m)a$\\n^b", "a\nb"));
  CHECK(matches("[\\d-]+", "1-2"));
  CHECK(matches("\\101", "A"));
}

TEST(regex_is_linear_where_backtracking_is_not) {
  const std::string text(20000, 'a');
  CHECK(!matches("(a|aa|a*)*b", text));
  std::string list = "x";
  for (int i = 0; i < 20000; ++i) list += "|y";
  CHECK(matches(list, "y"));
}

TEST(regex_finds_the_leftmost_longest_match) {
  CHECK_EQ(found("a|ab|abc", "xxabcd"), std::string("2-5"));
  CHECK_EQ(found("b*", "abb"), std::string("0-0"));
  CHECK_EQ(found("b+", "abb"), std::string("1-3"));
  CHECK_EQ(found("\\bx", "ax x"), std::string("3-4"));
  CHECK_EQ(found("^b", "ab", 1), std::string("none"));
  CHECK_EQ(found("q", "abc"), std::string("none"));
  CHECK_EQ(found("é", "caffé!"), std::string("4-6"));
}

TEST(regex_refuses_what_is_not_valid) {
  for (const char* pattern :
       {"(", ")", "[", "[b-a]", "a{1001}", "a{3,2}", "+", "a+*", "\\", "\\2", "(?<n", "[[:no:]]", "\\pL"}) {
    CHECK(!Regex::compile(pattern).ok());
  }
  CHECK(!Regex::compile(std::string(500, '(') + std::string(500, ')')).ok());
  CHECK(!Regex::compile("((((a{100}){100}){100}){100})").ok());
}

TEST(unicode_maps_case_and_survives_damage) {
  CHECK_EQ(to_lower("ÀÉÎ ΣΩ ЖЯЁ ŁŹ"), std::string("àéî σω жяё łź"));
  CHECK_EQ(to_upper("àéîÿ ςσ жяё łź"), std::string("ÀÉÎŸ ΣΣ ЖЯЁ ŁŹ"));
  const std::string damaged = "a\xff\xc3(\xe2\x82";
  CHECK_EQ(to_upper(damaged), std::string("A\xff\xc3(\xe2\x82"));
  for (int32_t c = 0; c < 0x10ffff; c += 17) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    append_utf8(text, c);
    size_t at = 0;
    CHECK_EQ(next_code_point(text, &at), c);
    CHECK_EQ(at, text.size());
  }
}
