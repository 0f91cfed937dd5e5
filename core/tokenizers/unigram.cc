#include "tokenizers/unigram.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/bpe.h"
#include "tokenizers/config.h"

namespace onnxlet {

Result<TokenModelPtr> Unigram::read(const Json& model) {
  constexpr double kPenalty = 10;  // of an unknown character, below the smallest score
  auto out = std::make_unique<Unigram>();
  OL_ASSIGN(const std::vector<Json>* list, read_array(model, "vocab"));
  if (list == nullptr || list->empty())
    return invalid_graph("the Unigram model of tokenizer.json has no list \"vocab\"");
  out->vocabulary_.reserve(list->size(), 0);
  for (const Json& entry : *list) {
    double score = 0;
    if (entry.items.size() != 2 || entry.items[0].kind != Json::Kind::kString ||
        entry.items[1].kind != Json::Kind::kNumber || !parse_double(entry.items[1].string, false, &score)) {
      return invalid_graph("entry ", out->scores_.size(),
                           " of the vocabulary of tokenizer.json is no token with a score");
    }
    out->vocabulary_.add(entry.items[0].string, static_cast<int32_t>(out->scores_.size()));
    out->scores_.push_back(score);
  }
  OL_ASSIGN(const int64_t unknown, read_int(model, "unk_id", -1));
  if (unknown < 0 || unknown >= static_cast<int64_t>(list->size())) {
    return not_implemented("tokenizer.json: a Unigram model without unk_id is not supported");
  }
  out->unknown_ = static_cast<int32_t>(unknown);
  OL_ASSIGN(out->byte_fallback_, read_bool(model, "byte_fallback", false));
  out->unknown_score_ = *std::min_element(out->scores_.begin(), out->scores_.end()) - kPenalty;
  return TokenModelPtr(std::move(out));
}

void Unigram::append_unknown(std::string_view text, std::vector<int32_t>* ids) const {
  if (const int32_t known = vocabulary_.find(text); known >= 0) return ids->push_back(known);
  if (byte_fallback_ && append_byte_tokens(vocabulary_, text, ids)) return;
  ids->push_back(unknown_);
}

void Unigram::encode(std::string_view word, std::vector<int32_t>* ids) const {
  struct End {  // the best way to cut what ends here
    double score = 0;
    size_t begin = SIZE_MAX;
    int32_t id = -1;
  };
  std::vector<End> ends(word.size() + 1);
  for (size_t at = 0; at < word.size();) {
    const double before = ends[at].score;
    size_t behind = at;
    next_code_point(word, &behind);
    bool single = false;
    const auto offer = [&](size_t end, int32_t id, double score) {
      if (ends[end].begin == SIZE_MAX || before + score > ends[end].score) ends[end] = {before + score, at, id};
    };
    vocabulary_.prefixes(word.substr(at), [&](size_t length, int32_t id) {
      offer(at + length, id, scores_[static_cast<size_t>(id)]);
      single = single || at + length == behind;
    });
    if (!single) offer(behind, unknown_, unknown_score_);
    at = behind;
  }
  std::vector<size_t> path;  // the ends of tokens, the last first
  for (size_t end = word.size(); end > 0; end = ends[end].begin) path.push_back(end);
  for (size_t i = path.size(); i-- > 0;) {
    if (ends[path[i]].id != unknown_) {
      ids->push_back(ends[path[i]].id);
      continue;
    }
    const size_t begin = ends[path[i]].begin;  // unknown neighbours are one
    while (i > 0 && ends[path[i - 1]].id == unknown_) --i;
    append_unknown(word.substr(begin, path[i] - begin), ids);
  }
}

}  // namespace onnxlet
