// A tokenizer.json of Hugging Face's tokenizers, from text to ids.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/added_tokens.h"
#include "tokenizers/post_processor.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/token_model.h"

namespace onnxlet {

class HfTokenizer {
 public:
  // What the file asks for and is not known here is refused by name.
  static Result<HfTokenizer> read(std::string_view tokenizer_json);

  // The ids of each text, and how long all rows become when they are filled up with `fill_id`.
  struct Batch {
    std::vector<std::vector<int32_t>> rows;
    size_t width = 0;
  };
  Result<Batch> encode(std::span<const std::string> texts) const;

  int32_t find(std::string_view token) const;  // -1: unknown
  bool fill_left() const { return fill_left_; }
  int32_t fill_id() const { return fill_id_; }
  void set_fill_id(int32_t id) { fill_id_ = id; }
  bool names_fill() const { return names_fill_; }

 private:
  Status read_truncation(const Json& truncation);
  Status read_padding(const Json& padding);
  Result<std::vector<int32_t>> encode_one(std::string_view text) const;

  Normalizer normalizer_;
  AddedTokens added_;
  PreTokenizer pre_tokenizer_;
  TokenModelPtr model_;
  PostProcessor post_processor_;
  size_t max_length_ = SIZE_MAX, fixed_width_ = 0, multiple_ = 1;
  bool keep_end_ = false, fill_left_ = false, names_fill_ = false;
  int32_t fill_id_ = 0;
};

}  // namespace onnxlet
