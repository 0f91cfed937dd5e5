#include "tokenizers/pre_tokenizer.h"

#include <utility>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/config.h"
#include "tokenizers/split.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

using Step = PreTokenizer::Step;

void append_parts(const Word& word, const std::vector<Segment>& segments, SplitBehavior behavior,
                  std::vector<Word>* out) {
  for (const Segment& s : split(segments, behavior)) {
    out->push_back({word.text.substr(s.begin, s.end - s.begin), word.first && s.begin == 0});
  }
}

// Every code point of a kind is a match of its own.
struct SplitAtCharacters : Step {
  bool (*matches)(int32_t);
  SplitBehavior behavior;

  SplitAtCharacters(bool (*which)(int32_t), SplitBehavior how) : matches(which), behavior(how) {}
  Status apply(const Word& word, std::vector<Word>* out) const override {
    std::vector<Segment> segments;
    for (size_t i = 0; i < word.text.size();) {
      const size_t from = i;
      const bool match = matches(next_code_point(word.text, &i));
      if (!match && !segments.empty() && !segments.back().match)
        segments.back().end = i;
      else
        segments.push_back({from, i, match});
    }
    append_parts(word, segments, behavior, out);
    return {};
  }
};

struct SplitAtText : Step {
  std::string sought;
  SplitBehavior behavior;
  bool invert = false;

  Status apply(const Word& word, std::vector<Word>* out) const override {
    std::vector<Segment> segments;
    size_t at = 0;
    for (size_t found; (found = word.text.find(sought, at)) != std::string::npos; at = found + sought.size()) {
      segments.push_back({at, found, invert});
      segments.push_back({found, found + sought.size(), !invert});
    }
    segments.push_back({at, word.text.size(), invert});
    append_parts(word, segments, behavior, out);
    return {};
  }
};

// \w+|[^\w\s]+
struct Whitespace : Step {
  Status apply(const Word& word, std::vector<Word>* out) const override {
    enum class Kind { kNone, kSpace, kWord, kOther };
    Kind before = Kind::kNone;
    size_t begin = 0;
    const auto keep = [&](size_t end) {
      if (before == Kind::kWord || before == Kind::kOther) {
        out->push_back({word.text.substr(begin, end - begin), word.first && begin == 0});
      }
    };
    for (size_t i = 0; i < word.text.size();) {
      const size_t from = i;
      const int32_t c = next_code_point(word.text, &i);
      const Kind kind = is_white_space(c) ? Kind::kSpace : is_word(c) ? Kind::kWord : Kind::kOther;
      if (kind == before) continue;
      keep(from);
      begin = from;
      before = kind;
    }
    keep(word.text.size());
    return {};
  }
};

struct SplitAtPattern : Step {
  Pattern pattern;
  SplitBehavior behavior;
  bool invert = false;

  Status apply(const Word& word, std::vector<Word>* out) const override {
    std::vector<Segment> segments;
    OL_TRY(match_segments(pattern, word.text, invert, &segments));
    append_parts(word, segments, behavior, out);
    return {};
  }
};

struct Metaspace : Step {
  enum class Prepend { kAlways, kFirst, kNever };
  std::string mark;  // stands for a space
  Prepend prepend;
  bool splits;

  Status apply(const Word& word, std::vector<Word>* out) const override {
    std::string text;
    for (const char c : word.text) c == ' ' ? text += mark : text += c;
    const bool wanted = prepend == Prepend::kAlways || (prepend == Prepend::kFirst && word.first);
    if (wanted && text.substr(0, mark.size()) != mark) text.insert(0, mark);
    if (!splits) {
      out->push_back({std::move(text), word.first});
      return {};
    }
    SplitAtText at_mark;
    at_mark.sought = mark;
    at_mark.behavior = SplitBehavior::kMergedWithNext;
    return at_mark.apply({std::move(text), word.first}, out);
  }
};

// How GPT-2 splits text.
constexpr std::string_view kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct ByteLevel : Step {
  bool add_space, splits;
  Pattern pattern;

  Status apply(const Word& word, std::vector<Word>* out) const override {
    std::string text = word.text;
    if (add_space && text.substr(0, 1) != " ") text.insert(0, " ");
    std::vector<Segment> segments;
    if (splits)
      OL_TRY(match_segments(pattern, text, false, &segments));
    else
      segments.push_back({0, text.size(), false});
    for (const Segment& s : split(segments, SplitBehavior::kIsolated)) {
      const std::string_view part = std::string_view(text).substr(s.begin, s.end - s.begin);
      out->push_back({bytes_to_characters(part), word.first && s.begin == 0});
    }
    return {};
  }
};

using StepPtr = std::unique_ptr<Step>;

StepPtr at_characters(bool (*which)(int32_t), SplitBehavior how) {
  return std::make_unique<SplitAtCharacters>(which, how);
}

Result<StepPtr> metaspace(const Json& j) {
  auto step = std::make_unique<Metaspace>();
  OL_ASSIGN(step->mark, read_string(j, "replacement", "\xe2\x96\x81"));
  if (step->mark.empty()) return invalid_graph("the replacement of a Metaspace in tokenizer.json is empty");
  OL_ASSIGN(const bool add_space, read_bool(j, "add_prefix_space", true));  // of older files
  OL_ASSIGN(const std::string scheme, read_string(j, "prepend_scheme", add_space ? "always" : "never"));
  if (scheme == "always")
    step->prepend = Metaspace::Prepend::kAlways;
  else if (scheme == "first")
    step->prepend = Metaspace::Prepend::kFirst;
  else if (scheme == "never")
    step->prepend = Metaspace::Prepend::kNever;
  else
    return not_implemented("tokenizer.json: the prepend_scheme \"", scheme, "\" is not supported");
  OL_ASSIGN(step->splits, read_bool(j, "split", true));
  return StepPtr(std::move(step));
}

Result<StepPtr> split_step(const Json& j) {
  OL_ASSIGN(PatternText pattern, read_pattern(j));
  OL_ASSIGN(const SplitBehavior behavior, read_behavior(j, SplitBehavior::kIsolated));
  OL_ASSIGN(const bool invert, read_bool(j, "invert", false));
  if (pattern.text.empty()) return invalid_graph("a Split of tokenizer.json has an empty pattern");
  if (pattern.regex) {
    auto step = std::make_unique<SplitAtPattern>();
    OL_ASSIGN(step->pattern, Pattern::compile(pattern.text));
    step->behavior = behavior;
    step->invert = invert;
    return StepPtr(std::move(step));
  }
  auto step = std::make_unique<SplitAtText>();
  step->sought = std::move(pattern.text);
  step->behavior = behavior;
  step->invert = invert;
  return StepPtr(std::move(step));
}

Result<StepPtr> byte_level(const Json& j) {
  auto step = std::make_unique<ByteLevel>();
  OL_ASSIGN(step->add_space, read_bool(j, "add_prefix_space", true));
  OL_ASSIGN(step->splits, read_bool(j, "use_regex", true));
  if (step->splits) {
    OL_ASSIGN(step->pattern, Pattern::compile(kGpt2));
  }
  return StepPtr(std::move(step));
}

Result<StepPtr> read_step(const Json& j, std::string_view type) {
  if (type == "WhitespaceSplit") return at_characters(is_white_space, SplitBehavior::kRemoved);
  if (type == "Whitespace") return StepPtr(new Whitespace);
  if (type == "Metaspace") return metaspace(j);
  if (type == "Split") return split_step(j);
  if (type == "ByteLevel") return byte_level(j);
  if (type == "Punctuation") {
    OL_ASSIGN(const SplitBehavior behavior, read_behavior(j, SplitBehavior::kIsolated));
    return at_characters(is_punctuation, behavior);
  }
  if (type == "Digits") {
    OL_ASSIGN(const bool individual, read_bool(j, "individual_digits", false));
    return at_characters(is_number, individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
  }
  if (type == "CharDelimiterSplit") {
    auto step = std::make_unique<SplitAtText>();
    step->behavior = SplitBehavior::kRemoved;
    OL_ASSIGN(step->sought, read_string(j, "delimiter", ""));
    if (step->sought.empty()) return invalid_graph("a CharDelimiterSplit of tokenizer.json has no delimiter");
    return StepPtr(std::move(step));
  }
  return not_implemented("tokenizer.json: a pre-tokenizer of type \"", type, "\" is not supported");
}

}  // namespace

PreTokenizer PreTokenizer::bert() {
  PreTokenizer out;
  out.steps_.push_back(at_characters(is_white_space, SplitBehavior::kRemoved));
  out.steps_.push_back(at_characters(is_punctuation, SplitBehavior::kIsolated));
  return out;
}

Status PreTokenizer::add(const Json& j) {
  OL_ASSIGN(const std::string type, read_type(j, "pre-tokenizer"));
  if (type == "BertPreTokenizer") {
    for (StepPtr& step : bert().steps_) steps_.push_back(std::move(step));
    return {};
  }
  if (type == "Sequence") {
    OL_ASSIGN(const std::vector<Json>* items, read_array(j, "pretokenizers"));
    if (items == nullptr) return invalid_graph("a Sequence of tokenizer.json has no list \"pretokenizers\"");
    for (const Json& item : *items) OL_TRY(add(item));
    return {};
  }
  OL_ASSIGN(StepPtr step, read_step(j, type));
  steps_.push_back(std::move(step));
  return {};
}

Result<PreTokenizer> PreTokenizer::read(const Json* j) {
  PreTokenizer out;
  if (j != nullptr) OL_TRY(out.add(*j));
  return out;
}

Status PreTokenizer::apply(Word word, std::vector<Word>* out) const {
  std::vector<Word> words, next;
  words.push_back(std::move(word));
  for (const auto& step : steps_) {
    next.clear();
    for (const Word& w : words) OL_TRY(step->apply(w, &next));
    std::swap(words, next);
  }
  for (Word& w : words) {
    if (!w.text.empty()) out->push_back(std::move(w));
  }
  return {};
}

}  // namespace onnxlet
