// Tokens that are found in the text itself, before the model sees what lies between them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizers/normalizer.h"

namespace onnxlet {

// A part of the text, or a token that was found there.
struct Piece {
  std::string text;
  int32_t token = -1;  // -1: text
  bool first = false;  // begins where the input does
};

class AddedTokens {
 public:
  // `tokens` is nullptr where the file has none. Those with "normalized" are looked for in normalized text.
  Status read(const std::vector<Json>* tokens, const Normalizer& normalizer);
  int32_t find(std::string_view content) const;  // -1: unknown

  // Appends the parts of a text, normalized, and the tokens between them.
  Status split(std::string_view text, const Normalizer& normalizer, std::vector<Piece>* out) const;

 private:
  struct Token {
    std::string content, sought;
    int32_t id;
    bool single_word, left_space, right_space;
  };
  // Tokens by their first byte, the longest first.
  using Index = std::array<std::vector<uint32_t>, 256>;

  void add(Index* index, uint32_t token) const;
  const Token* at(const Index& index, std::string_view text, size_t position) const;
  void cut(const Index& index, std::string_view text, bool first, std::vector<Piece>* out) const;

  std::vector<Token> tokens_;
  Index in_text_, in_normalized_;
};

}  // namespace onnxlet
