// What turns a word into ids: WordPiece, BPE, Unigram.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizers/vocabulary.h"

namespace onnxlet {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  virtual void encode(std::string_view word, std::vector<int32_t>* ids) const = 0;
  virtual int32_t find(std::string_view token) const = 0;  // -1: unknown
};
using TokenModelPtr = std::unique_ptr<TokenModel>;

Result<TokenModelPtr> read_token_model(const Json& model);

// The member "vocab": an object from tokens to ids.
Result<Vocabulary> read_vocabulary(const Json& model);

}  // namespace onnxlet
