// Unigram: of all ways to cut a word into tokens, the one with the largest sum of scores (Kudo 2018).
#pragma once

#include "tokenizers/token_model.h"

namespace onnxlet {

class Unigram : public TokenModel {
 public:
  static Result<TokenModelPtr> read(const Json& model);

  void encode(std::string_view word, std::vector<int32_t>* ids) const override;
  int32_t find(std::string_view token) const override { return vocabulary_.find(token); }

 private:
  void append_unknown(std::string_view text, std::vector<int32_t>* ids) const;

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  int32_t unknown_ = -1;
  bool byte_fallback_ = false;
};

}  // namespace onnxlet
