#include "tokenizers/token_model.h"

#include "base/text.h"
#include "tokenizers/bpe.h"
#include "tokenizers/config.h"
#include "tokenizers/unigram.h"
#include "tokenizers/word_piece.h"

namespace onnxlet {

Result<TokenModelPtr> read_token_model(const Json& model) {
  OL_ASSIGN(std::string type, read_string(model, "type", ""));
  if (type == "WordPiece") return WordPiece::read(model);
  if (type == "BPE") return Bpe::read(model);
  if (type == "Unigram") return Unigram::read(model);
  return not_implemented("tokenizer.json: a model of type \"", type,
                         "\" is not supported; WordPiece, BPE and Unigram are");
}

Result<Vocabulary> read_vocabulary(const Json& model) {
  const Json* vocab = member(model, "vocab");
  if (vocab == nullptr || vocab->kind != Json::Kind::kObject) {
    return invalid_graph("the model of tokenizer.json has no object \"vocab\"");
  }
  Vocabulary vocabulary;
  vocabulary.reserve(vocab->members.size(), 0);
  for (const auto& [token, id] : vocab->members) {
    if (id.kind != Json::Kind::kNumber || !(id.number >= 0 && id.number < 0x1p31)) {
      return invalid_graph("the id of \"", token, "\" in the vocabulary of tokenizer.json is not a number from 0 on");
    }
    vocabulary.add(token, static_cast<int32_t>(id.number));
  }
  return vocabulary;
}

}  // namespace onnxlet
