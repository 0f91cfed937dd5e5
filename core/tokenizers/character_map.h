// The "Precompiled" normalizer of tokenizer.json: a table of SentencePiece that gives characters, alone and with the
// marks behind them, other texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace onnxlet {

class CharacterMap {
 public:
  // `encoded` is base64 of: the size of a double-array trie in bytes, the trie, and the texts, each ended by a zero
  // byte.
  static Result<CharacterMap> read(std::string_view encoded);
  std::string apply(std::string_view text) const;

 private:
  // The text for the shortest beginning of `key` that the table has; nullptr: it has none.
  const char* find(std::string_view key) const;
  void append_mapped(std::string_view character, std::string* out) const;

  std::vector<uint32_t> trie_;
  std::string texts_;  // ends in a zero byte
};

}  // namespace onnxlet
