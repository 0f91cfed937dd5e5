#include "tokenizers/split.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/config.h"

namespace onnxlet {
namespace {

constexpr std::pair<std::string_view, SplitBehavior> kBehaviors[] = {
    {"Removed", SplitBehavior::kRemoved},
    {"Isolated", SplitBehavior::kIsolated},
    {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
    {"MergedWithNext", SplitBehavior::kMergedWithNext},
    {"Contiguous", SplitBehavior::kContiguous},
};

// Whether a segment joins the neighbour that came before it, in the direction of the walk.
bool joins(SplitBehavior behavior, const Segment& before, const Segment& s) {
  return behavior == SplitBehavior::kContiguous ? before.match == s.match : s.match && !before.match;
}

}  // namespace

Result<SplitBehavior> read_behavior(const Json& object, SplitBehavior fallback) {
  OL_ASSIGN(const std::string name, read_string(object, "behavior", ""));
  if (name.empty()) return fallback;
  for (const auto& [known, behavior] : kBehaviors) {
    if (name == known) return behavior;
  }
  return not_implemented("tokenizer.json: the behavior \"", name, "\" is not supported");
}

Status match_segments(const Pattern& pattern, std::string_view text, bool invert, std::vector<Segment>* out) {
  std::vector<int32_t> characters;
  std::vector<size_t> places;  // where each begins
  for (size_t i = 0; i < text.size();) {
    places.push_back(i);
    characters.push_back(next_code_point(text, &i));
  }
  places.push_back(text.size());
  std::vector<Pattern::Match> matches;
  OL_TRY(pattern.find_all(characters, &matches));
  size_t at = 0;
  for (const Pattern::Match& m : matches) {
    out->push_back({at, places[m.begin], invert});
    out->push_back({places[m.begin], places[m.end], !invert});
    at = places[m.end];
  }
  out->push_back({at, text.size(), invert});
  return {};
}

std::vector<Segment> split(const std::vector<Segment>& segments, SplitBehavior behavior) {
  const bool backwards = behavior == SplitBehavior::kMergedWithNext;
  const bool joining = behavior != SplitBehavior::kRemoved && behavior != SplitBehavior::kIsolated;
  std::vector<Segment> out;
  Segment before{};
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[backwards ? segments.size() - 1 - i : i];
    if (s.begin == s.end) continue;
    if (joining && !out.empty() && joins(behavior, before, s)) {
      out.back().begin = std::min(out.back().begin, s.begin);
      out.back().end = std::max(out.back().end, s.end);
    } else if (behavior != SplitBehavior::kRemoved || !s.match) {
      out.push_back(s);
    }
    before = s;
  }
  if (backwards) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace onnxlet
