// Byte-pair encoding: the characters of a word, of which the pair that was merged earliest in training is merged first.
#pragma once

#include <string>

#include "tokenizers/token_model.h"

namespace onnxlet {

// Which token two tokens become, and how early: by open addressing.
class MergeTable {
 public:
  struct Merge {
    int32_t rank, token;
  };
  void reserve(size_t count);
  void add(int32_t left, int32_t right, Merge merge);
  const Merge* find(int32_t left, int32_t right) const;  // nullptr: they do not merge

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    Merge merge{};
  };
  size_t slot(uint64_t key) const;
  std::vector<Slot> slots_;
};

class Bpe : public TokenModel {
 public:
  static Result<TokenModelPtr> read(const Json& model);

  void encode(std::string_view word, std::vector<int32_t>* ids) const override;
  int32_t find(std::string_view token) const override { return vocabulary_.find(token); }

 private:
  Status read_merges(const Json& model);
  Status add_merge(std::string_view left, std::string_view right, size_t rank);
  std::vector<int32_t> characters(std::string_view word) const;
  void merge(std::vector<int32_t>* tokens) const;

  Vocabulary vocabulary_;
  MergeTable merges_;
  std::string prefix_, suffix_;  // of tokens that go on, and of those that end a word
  int32_t unknown_ = -1;         // -1: what is not known is left out
  bool fuse_unknown_ = false, byte_fallback_ = false, ignore_merges_ = false;
};

// The ids of the tokens <0x00> ... <0xFF> for the bytes of a text, appended; false, and none, where one is not known.
bool append_byte_tokens(const Vocabulary& vocabulary, std::string_view text, std::vector<int32_t>* ids);

}  // namespace onnxlet
