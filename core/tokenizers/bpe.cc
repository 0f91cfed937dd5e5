#include "tokenizers/bpe.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/config.h"

namespace onnxlet {

void MergeTable::reserve(size_t count) {
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  slots_.assign(size, Slot());
}

size_t MergeTable::slot(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 32) & mask;
  while (slots_[at].key != UINT64_MAX && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void MergeTable::add(int32_t left, int32_t right, Merge merge) {
  const uint64_t key = static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  slots_[slot(key)] = {key, merge};
}

const MergeTable::Merge* MergeTable::find(int32_t left, int32_t right) const {
  const uint64_t key = static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  const Slot& found = slots_[slot(key)];
  return found.key == key ? &found.merge : nullptr;
}

bool append_byte_tokens(const Vocabulary& vocabulary, std::string_view text, std::vector<int32_t>* ids) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const size_t before = ids->size();
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const char name[] = {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 15], '>'};
    const int32_t id = vocabulary.find({name, sizeof name});
    if (id < 0) {
      ids->resize(before);
      return false;
    }
    ids->push_back(id);
  }
  return true;
}

Result<TokenModelPtr> Bpe::read(const Json& model) {
  auto out = std::make_unique<Bpe>();
  OL_ASSIGN(out->vocabulary_, read_vocabulary(model));
  OL_ASSIGN(const double dropout, read_double(model, "dropout", 0));
  if (dropout != 0) return not_implemented("tokenizer.json: a BPE model with dropout is not supported");
  OL_ASSIGN(out->prefix_, read_string(model, "continuing_subword_prefix", ""));
  OL_ASSIGN(out->suffix_, read_string(model, "end_of_word_suffix", ""));
  OL_ASSIGN(out->fuse_unknown_, read_bool(model, "fuse_unk", false));
  OL_ASSIGN(out->byte_fallback_, read_bool(model, "byte_fallback", false));
  OL_ASSIGN(out->ignore_merges_, read_bool(model, "ignore_merges", false));
  OL_ASSIGN(const std::string unknown, read_string(model, "unk_token", ""));
  if (member(model, "unk_token") != nullptr) {
    out->unknown_ = out->vocabulary_.find(unknown);
    if (out->unknown_ < 0) return invalid_graph("the vocabulary of tokenizer.json lacks its unk_token ", unknown);
  }
  OL_TRY(out->read_merges(model));
  return TokenModelPtr(std::move(out));
}

Status Bpe::read_merges(const Json& model) {
  OL_ASSIGN(const std::vector<Json>* list, read_array(model, "merges"));
  if (list == nullptr) return invalid_graph("the BPE model of tokenizer.json has no list \"merges\"");
  merges_.reserve(list->size());
  for (size_t rank = 0; rank < list->size(); ++rank) {
    const Json& pair = (*list)[rank];
    const std::string_view text = pair.string;
    const size_t space = text.find(' ');
    if (pair.kind == Json::Kind::kArray && pair.items.size() == 2) {
      OL_TRY(add_merge(pair.items[0].string, pair.items[1].string, rank));
    } else if (pair.kind == Json::Kind::kString && space != std::string_view::npos) {  // of older files
      OL_TRY(add_merge(text.substr(0, space), text.substr(space + 1), rank));
    } else {
      return invalid_graph("merge ", rank, " of tokenizer.json is no pair of tokens");
    }
  }
  return {};
}

Status Bpe::add_merge(std::string_view left, std::string_view right, size_t rank) {
  if (right.size() < prefix_.size())
    return invalid_graph("merge ", rank, " of tokenizer.json lacks the prefix ", prefix_);
  const std::string both = std::string(left).append(right.substr(prefix_.size()));
  const int32_t ids[] = {vocabulary_.find(left), vocabulary_.find(right), vocabulary_.find(both)};
  if (ids[0] < 0 || ids[1] < 0 || ids[2] < 0) {
    return invalid_graph("merge ", rank, " of tokenizer.json is of tokens that are not in its vocabulary: \"", left,
                         "\" and \"", right, "\"");
  }
  merges_.add(ids[0], ids[1], {static_cast<int32_t>(rank), ids[2]});
  return {};
}

std::vector<int32_t> Bpe::characters(std::string_view word) const {
  std::vector<int32_t> ids;
  bool pending = false;  // an unknown one that may go on
  std::string decorated;
  for (size_t at = 0; at < word.size();) {
    const size_t from = at;
    next_code_point(word, &at);
    std::string_view text = word.substr(from, at - from);
    if (!prefix_.empty() || !suffix_.empty()) {
      decorated = from == 0 ? std::string() : prefix_;
      decorated += text;
      if (at == word.size()) decorated += suffix_;
      text = decorated;
    }
    const int32_t id = vocabulary_.find(text);
    if (id >= 0) {
      if (pending) ids.push_back(unknown_);
      pending = false;
      ids.push_back(id);
      continue;
    }
    if (byte_fallback_ && append_byte_tokens(vocabulary_, text, &ids)) continue;
    if (unknown_ < 0) continue;
    if (pending && !fuse_unknown_) ids.push_back(unknown_);
    pending = true;
  }
  if (pending) ids.push_back(unknown_);
  return ids;
}

// The pairs that can merge lie in a heap, by rank and then by place; tokens are linked to their neighbours.
void Bpe::merge(std::vector<int32_t>* tokens) const {
  struct Link {
    int32_t before, behind;
  };
  constexpr int32_t kNone = -1;
  const auto count = static_cast<int32_t>(tokens->size());
  std::vector<Link> links(tokens->size());
  std::vector<uint64_t> heap;
  const auto token = [&](int32_t i) -> int32_t& { return (*tokens)[static_cast<size_t>(i)]; };
  const auto link = [&](int32_t i) -> Link& { return links[static_cast<size_t>(i)]; };
  const auto look = [&](int32_t left) {
    const int32_t right = left == kNone ? kNone : link(left).behind;
    const MergeTable::Merge* found = right == kNone ? nullptr : merges_.find(token(left), token(right));
    if (found == nullptr) return;
    heap.push_back(static_cast<uint64_t>(found->rank) << 32 | static_cast<uint32_t>(left));
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  for (int32_t i = 0; i < count; ++i) link(i) = {i - 1, i + 1 < count ? i + 1 : kNone};
  for (int32_t i = 0; i < count; ++i) look(i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const uint64_t best = heap.back();
    heap.pop_back();
    const auto left = static_cast<int32_t>(best & 0xffffffff);
    const int32_t right = token(left) == kNone ? kNone : link(left).behind;
    if (right == kNone) continue;
    const MergeTable::Merge* found = merges_.find(token(left), token(right));
    if (found == nullptr || static_cast<uint64_t>(found->rank) != best >> 32) continue;  // it has changed since
    token(left) = found->token;
    token(right) = kNone;
    link(left).behind = link(right).behind;
    if (link(right).behind != kNone) link(link(right).behind).before = left;
    look(link(left).before);
    look(left);
  }
  std::erase(*tokens, kNone);
}

void Bpe::encode(std::string_view word, std::vector<int32_t>* ids) const {
  if (ignore_merges_) {
    const int32_t whole = vocabulary_.find(word);
    if (whole >= 0) return ids->push_back(whole);
  }
  std::vector<int32_t> tokens = characters(word);
  merge(&tokens);
  ids->insert(ids->end(), tokens.begin(), tokens.end());
}

}  // namespace onnxlet
