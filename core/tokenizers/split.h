// Cutting a text where something matches, in the five ways of tokenizer.json.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizers/pattern.h"

namespace onnxlet {

enum class SplitBehavior : uint8_t { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

// The member "behavior".
Result<SplitBehavior> read_behavior(const Json& object, SplitBehavior fallback);

// Segments of a text without gaps, in order: matches and what lies between them.
struct Segment {
  size_t begin, end;
  bool match;
};

// What a pattern matches of a UTF-8 text, as segments; `invert`: matches are what lies between.
Status match_segments(const Pattern& pattern, std::string_view text, bool invert, std::vector<Segment>* out);

// The parts [begin, end) that are left, none of them empty.
std::vector<Segment> split(const std::vector<Segment>& segments, SplitBehavior behavior);

}  // namespace onnxlet
