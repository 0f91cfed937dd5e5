#include "tokenizers/vocabulary.h"

namespace onnxlet {
uint32_t Vocabulary::hash(std::string_view s) {
  uint32_t state = kHashStart;
  for (const char c : s) state = hash_step(state, c);
  return hash_end(state);
}

void Vocabulary::reserve(size_t tokens, size_t bytes) {
  bytes_.reserve(bytes);
  entries_.reserve(tokens);
  size_t slots = 16;
  while (slots < 2 * tokens) slots *= 2;
  if (slots <= slots_.size()) return;
  slots_.assign(slots, 0);
  for (size_t i = 0; i < entries_.size(); ++i)
    slots_[slot(text(entries_[i]), hash(text(entries_[i])))] = static_cast<uint32_t>(i + 1);
}

size_t Vocabulary::slot(std::string_view token, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at] != 0 && text(entries_[slots_[at] - 1]) != token) at = (at + 1) & mask;
  return at;
}

void Vocabulary::add(std::string_view token, int32_t id) {
  if (2 * (entries_.size() + 1) > slots_.size()) reserve(2 * entries_.size() + 8, bytes_.capacity());
  const size_t at = slot(token, hash(token));
  if (slots_[at] != 0) {
    entries_[slots_[at] - 1].id = id;
    return;
  }
  entries_.push_back({static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(token.size()), id});
  bytes_ += token;
  slots_[at] = static_cast<uint32_t>(entries_.size());
  longest_ = std::max(longest_, token.size());
}

int32_t Vocabulary::find(std::string_view token) const {
  if (slots_.empty()) return -1;
  const uint32_t entry = slots_[slot(token, hash(token))];
  return entry == 0 ? -1 : entries_[entry - 1].id;
}

}  // namespace onnxlet
