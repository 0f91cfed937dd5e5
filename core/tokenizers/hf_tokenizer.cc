#include "tokenizers/hf_tokenizer.h"

#include <algorithm>

#include "base/text.h"
#include "tokenizers/config.h"

namespace onnxlet {
namespace {

Result<bool> reads_left(const Json& j) {
  OL_ASSIGN(const std::string direction, read_string(j, "direction", "Right"));
  if (direction != "Left" && direction != "Right") {
    return invalid_graph("a direction in tokenizer.json must be Left or Right; it is \"", direction, "\"");
  }
  return direction == "Left";
}

}  // namespace

Status HfTokenizer::read_truncation(const Json& j) {
  OL_ASSIGN(const int64_t length, read_int(j, "max_length", 512));
  if (length < static_cast<int64_t>(post_processor_.added())) {
    return invalid_graph("truncation to ", length, " tokens leaves no room for the ", post_processor_.added(),
                         " that tokenizer.json adds");
  }
  max_length_ = static_cast<size_t>(length);
  OL_ASSIGN(keep_end_, reads_left(j));
  return {};
}

Status HfTokenizer::read_padding(const Json& j) {
  OL_ASSIGN(const int64_t id, read_int(j, "pad_id", 0));
  fill_id_ = static_cast<int32_t>(id);
  names_fill_ = true;
  OL_ASSIGN(fill_left_, reads_left(j));
  OL_ASSIGN(const int64_t multiple, read_int(j, "pad_to_multiple_of", 1));
  int64_t fixed = 0;
  if (const Json* strategy = member(j, "strategy"); strategy != nullptr && strategy->kind == Json::Kind::kObject) {
    OL_ASSIGN(fixed, read_int(*strategy, "Fixed", 0));
  }
  constexpr int64_t kMost = 1 << 24;
  if (fixed < 0 || fixed > kMost || multiple < 0 || multiple > kMost) {
    return invalid_graph("tokenizer.json asks for padding to ", fixed, " tokens and a multiple of ", multiple);
  }
  fixed_width_ = static_cast<size_t>(fixed);
  multiple_ = static_cast<size_t>(std::max<int64_t>(multiple, 1));
  return {};
}

Result<HfTokenizer> HfTokenizer::read(std::string_view text) {
  OL_ASSIGN(const Json root, parse_json(text, "tokenizer.json is"));
  const Json* model = member(root, "model");
  if (model == nullptr) return invalid_graph("the text of tokenizer.json has no member \"model\"");
  HfTokenizer out;
  OL_ASSIGN(out.normalizer_, Normalizer::read(member(root, "normalizer")));
  OL_ASSIGN(const std::vector<Json>* added, read_array(root, "added_tokens"));
  OL_TRY(out.added_.read(added, out.normalizer_));
  OL_ASSIGN(out.pre_tokenizer_, PreTokenizer::read(member(root, "pre_tokenizer")));
  OL_ASSIGN(out.model_, read_token_model(*model));
  OL_ASSIGN(out.post_processor_, PostProcessor::read(member(root, "post_processor")));
  if (const Json* truncation = member(root, "truncation")) OL_TRY(out.read_truncation(*truncation));
  if (const Json* padding = member(root, "padding")) OL_TRY(out.read_padding(*padding));
  return out;
}

int32_t HfTokenizer::find(std::string_view token) const {
  const int32_t added = added_.find(token);
  return added >= 0 ? added : model_->find(token);
}

Result<std::vector<int32_t>> HfTokenizer::encode_one(std::string_view text) const {
  std::vector<Piece> pieces;
  OL_TRY(added_.split(text, normalizer_, &pieces));
  std::vector<int32_t> ids;
  std::vector<Word> words;
  for (Piece& piece : pieces) {
    if (piece.token >= 0) {
      ids.push_back(piece.token);
      continue;
    }
    words.clear();
    OL_TRY(pre_tokenizer_.apply({std::move(piece.text), piece.first}, &words));
    for (const Word& word : words) model_->encode(word.text, &ids);
  }
  const size_t room = max_length_ == SIZE_MAX ? SIZE_MAX : max_length_ - post_processor_.added();
  if (ids.size() > room) {
    if (keep_end_) ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(room));
    ids.resize(room);
  }
  return post_processor_.apply(ids);
}

Result<HfTokenizer::Batch> HfTokenizer::encode(std::span<const std::string> texts) const {
  Batch batch;
  batch.width = fixed_width_;
  for (const std::string& text : texts) {
    OL_ASSIGN(std::vector<int32_t> ids, encode_one(text));
    if (fixed_width_ == 0 || ids.size() > fixed_width_) batch.width = std::max(batch.width, ids.size());
    batch.rows.push_back(std::move(ids));
  }
  batch.width = (batch.width + multiple_ - 1) / multiple_ * multiple_;
  return batch;
}

}  // namespace onnxlet
