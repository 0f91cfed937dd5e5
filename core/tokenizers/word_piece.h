// WordPiece: the longest token that a word begins with, then the longest that goes on, to its end.
#pragma once

#include <string>

#include "tokenizers/token_model.h"

namespace onnxlet {

class WordPiece : public TokenModel {
 public:
  static Result<TokenModelPtr> read(const Json& model);

  WordPiece(Vocabulary vocabulary, int32_t unknown, std::string prefix, size_t max_chars)
      : vocabulary_(std::move(vocabulary)), unknown_(unknown), prefix_(std::move(prefix)), max_chars_(max_chars) {}
  void encode(std::string_view word, std::vector<int32_t>* ids) const override;
  int32_t find(std::string_view token) const override { return vocabulary_.find(token); }

 private:
  Vocabulary vocabulary_;
  int32_t unknown_;
  std::string prefix_;  // of tokens that go on
  size_t max_chars_;
};

}  // namespace onnxlet
