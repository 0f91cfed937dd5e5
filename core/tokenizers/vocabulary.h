// Tokens and their ids: all tokens in one string, found by hash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace onnxlet {

class Vocabulary {
 public:
  void reserve(size_t tokens, size_t bytes);
  // An id may have several tokens; a token that comes again takes the new id.
  void add(std::string_view token, int32_t id);
  int32_t find(std::string_view token) const;  // -1: unknown
  // Calls found(length, id) for every token that the text begins with, the shortest first.
  template <class F>
  void prefixes(std::string_view text, F found) const {
    uint32_t state = kHashStart;
    for (size_t length = 1; length <= std::min(text.size(), longest_); ++length) {
      state = hash_step(state, text[length - 1]);
      const uint32_t entry = slots_[slot(text.substr(0, length), hash_end(state))];
      if (entry != 0) found(length, entries_[entry - 1].id);
    }
  }
  size_t longest() const { return longest_; }  // bytes of the longest token

 private:
  struct Entry {
    uint32_t begin, length;
    int32_t id;
  };
  // FNV-1a
  static constexpr uint32_t kHashStart = 0x811c9dc5;
  static uint32_t hash_step(uint32_t state, char c) { return (state ^ static_cast<uint8_t>(c)) * 0x01000193; }
  static uint32_t hash_end(uint32_t state) { return state ^ state >> 15; }
  static uint32_t hash(std::string_view s);
  size_t slot(std::string_view token, uint32_t hash) const;  // of the token, or where it would go
  std::string_view text(const Entry& e) const { return std::string_view(bytes_).substr(e.begin, e.length); }

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // index of an entry + 1; 0 is free
  size_t longest_ = 0;
};

}  // namespace onnxlet
