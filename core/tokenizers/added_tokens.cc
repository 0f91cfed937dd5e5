#include "tokenizers/added_tokens.h"

#include <algorithm>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/config.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

// Where the code point that ends at `end` begins.
size_t previous(std::string_view text, size_t end) {
  do {
    --end;
  } while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80);
  return end;
}

int32_t code_point_at(std::string_view text, size_t at) { return next_code_point(text, &at); }

bool stands_alone(std::string_view text, size_t begin, size_t end) {
  const bool word_before = begin > 0 && is_word(code_point_at(text, previous(text, begin)));
  return !word_before && !(end < text.size() && is_word(code_point_at(text, end)));
}

}  // namespace

Status AddedTokens::read(const std::vector<Json>* list, const Normalizer& normalizer) {
  if (list == nullptr) return {};
  for (const Json& j : *list) {
    Token t;
    OL_ASSIGN(t.content, read_string(j, "content", ""));
    OL_ASSIGN(const int64_t id, read_int(j, "id", -1));
    if (id < 0) return invalid_graph("the added token \"", t.content, "\" of tokenizer.json has no id");
    t.id = static_cast<int32_t>(id);
    OL_ASSIGN(const bool special, read_bool(j, "special", false));
    OL_ASSIGN(const bool normalized, read_bool(j, "normalized", !special));
    OL_ASSIGN(t.single_word, read_bool(j, "single_word", false));
    OL_ASSIGN(t.left_space, read_bool(j, "lstrip", false));
    OL_ASSIGN(t.right_space, read_bool(j, "rstrip", false));
    t.sought = t.content;
    if (normalized) {
      OL_ASSIGN(t.sought, normalizer.apply(t.content));
    }
    const bool sought = !t.sought.empty();
    tokens_.push_back(std::move(t));
    if (sought) add(normalized ? &in_normalized_ : &in_text_, static_cast<uint32_t>(tokens_.size() - 1));
  }
  return {};
}

void AddedTokens::add(Index* index, uint32_t token) const {
  const std::string& sought = tokens_[token].sought;
  std::vector<uint32_t>& same = (*index)[static_cast<uint8_t>(sought[0])];
  const auto shorter = std::find_if(same.begin(), same.end(),
                                    [&](uint32_t other) { return tokens_[other].sought.size() < sought.size(); });
  same.insert(shorter, token);
}

int32_t AddedTokens::find(std::string_view content) const {
  for (const Token& t : tokens_) {
    if (t.content == content) return t.id;
  }
  return -1;
}

const AddedTokens::Token* AddedTokens::at(const Index& index, std::string_view text, size_t position) const {
  for (const uint32_t i : index[static_cast<uint8_t>(text[position])]) {
    if (text.substr(position, tokens_[i].sought.size()) == tokens_[i].sought) return &tokens_[i];
  }
  return nullptr;
}

void AddedTokens::cut(const Index& index, std::string_view text, bool first, std::vector<Piece>* out) const {
  size_t from = 0;
  const auto keep = [&](size_t end) {
    if (end > from) out->push_back({std::string(text.substr(from, end - from)), -1, first && from == 0});
  };
  for (size_t at = 0; at < text.size();) {
    const Token* token = this->at(index, text, at);
    if (token == nullptr) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + token->sought.size();
    at = end;
    if (token->single_word && !stands_alone(text, begin, end)) continue;
    while (token->left_space && begin > from && is_white_space(code_point_at(text, previous(text, begin)))) {
      begin = previous(text, begin);
    }
    while (token->right_space && end < text.size() && is_white_space(code_point_at(text, end))) {
      next_code_point(text, &end);
    }
    keep(begin);
    out->push_back({{}, token->id, first && begin == 0});
    from = at = end;
  }
  keep(text.size());
}

Status AddedTokens::split(std::string_view text, const Normalizer& normalizer, std::vector<Piece>* out) const {
  std::vector<Piece> parts;
  cut(in_text_, text, true, &parts);
  for (Piece& part : parts) {
    if (part.token >= 0) {
      out->push_back(std::move(part));
      continue;
    }
    OL_ASSIGN(const std::string normalized, normalizer.apply(std::move(part.text)));
    cut(in_normalized_, normalized, part.first, out);
  }
  return {};
}

}  // namespace onnxlet
