#include "tokenizers/word_piece.h"

#include <algorithm>

#include "base/text.h"
#include "tokenizers/config.h"

namespace onnxlet {
namespace {

bool begins_character(char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }

}  // namespace

Result<TokenModelPtr> WordPiece::read(const Json& model) {
  OL_ASSIGN(Vocabulary vocabulary, read_vocabulary(model));
  OL_ASSIGN(const std::string unknown, read_string(model, "unk_token", "[UNK]"));
  const int32_t id = vocabulary.find(unknown);
  if (id < 0) return invalid_graph("the vocabulary of tokenizer.json lacks its unk_token ", unknown);
  OL_ASSIGN(std::string prefix, read_string(model, "continuing_subword_prefix", "##"));
  OL_ASSIGN(const int64_t max_chars, read_int(model, "max_input_chars_per_word", 100));
  if (max_chars < 0) return invalid_graph("max_input_chars_per_word of tokenizer.json is ", max_chars);
  return TokenModelPtr(new WordPiece(std::move(vocabulary), id, std::move(prefix), static_cast<size_t>(max_chars)));
}

void WordPiece::encode(std::string_view word, std::vector<int32_t>* ids) const {
  if (static_cast<size_t>(std::count_if(word.begin(), word.end(), begins_character)) > max_chars_) {
    return ids->push_back(unknown_);
  }
  const size_t before = ids->size();
  std::string candidate;
  for (size_t from = 0; from < word.size();) {
    const size_t prefix = from == 0 ? 0 : prefix_.size();
    candidate.assign(prefix_, 0, prefix).append(word.substr(from, vocabulary_.longest()));
    int32_t id = vocabulary_.find(candidate);
    while (id < 0 && candidate.size() > prefix) {
      while (candidate.size() > prefix && !begins_character(candidate.back())) candidate.pop_back();
      if (candidate.size() > prefix) candidate.pop_back();
      if (candidate.size() > prefix) id = vocabulary_.find(candidate);
    }
    if (id < 0) {  // then nothing of the word counts
      ids->resize(before);
      return ids->push_back(unknown_);
    }
    ids->push_back(id);
    from += candidate.size() - prefix;
  }
}

}  // namespace onnxlet
