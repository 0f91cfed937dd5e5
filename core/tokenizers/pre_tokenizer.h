// What splits a text into the words that the model sees: the pre-tokenizers of tokenizer.json, in their order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace onnxlet {

struct Word {
  std::string text;
  bool first;  // begins where the input does
};

class PreTokenizer {
 public:
  class Step {
   public:
    virtual ~Step() = default;
    virtual Status apply(const Word& word, std::vector<Word>* out) const = 0;
  };

  // `pre_tokenizer` is nullptr where the file has none.
  static Result<PreTokenizer> read(const Json* pre_tokenizer);
  static PreTokenizer bert();
  Status apply(Word word, std::vector<Word>* out) const;

 private:
  Status add(const Json& step);
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace onnxlet
