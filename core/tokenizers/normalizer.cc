#include "tokenizers/normalizer.h"

#include <utility>

#include "base/text.h"
#include "base/unicode.h"
#include "tokenizers/character_map.h"
#include "tokenizers/config.h"
#include "tokenizers/split.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet {
namespace {

// Blocks of the scripts that are written without spaces between words, as BERT's own code lists them.
constexpr std::pair<int32_t, int32_t> kChinese[] = {
    {0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
    {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f},
};

bool is_chinese(int32_t c) {
  for (const auto& [first, last] : kChinese) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

std::string without(std::string_view text, bool (*left_out)(int32_t)) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    const int32_t c = next_code_point(text, &i);
    if (!left_out(c)) out += text.substr(from, i - from);
  }
  return out;
}

bool is_control(int32_t c) { return c != '\t' && c != '\n' && c != '\r' && is_other(c); }

std::string clean_and_space(std::string_view text, const BertCleaning& how) {
  std::string out;
  out.reserve(text.size());
  for (const int32_t c : code_points(text)) {
    if (how.clean_text && (c == 0 || c == 0xfffd || is_control(c))) continue;
    const bool chinese = how.chinese_chars && is_chinese(c);
    if (chinese) out.push_back(' ');
    append_utf8(out, how.clean_text && is_white_space(c) ? ' ' : c);
    if (chinese) out.push_back(' ');
  }
  return out;
}

using Step = Normalizer::Step;

struct Bert : Step {
  BertCleaning how;
  Result<std::string> apply(std::string text) const override { return clean(std::move(text), how); }
};

struct Form : Step {
  NormalForm form;
  Result<std::string> apply(std::string text) const override { return normalize(text, form); }
};

struct Lowercase : Step {
  Result<std::string> apply(std::string text) const override { return lower_case(text); }
};

struct StripAccents : Step {
  Result<std::string> apply(std::string text) const override { return without(text, is_mark); }
};

struct Strip : Step {
  bool left, right;
  Result<std::string> apply(std::string text) const override {
    size_t begin = 0, end = 0;
    bool inside = !left;
    for (size_t i = 0; i < text.size();) {
      const bool space = is_white_space(next_code_point(text, &i));
      if (!inside && space) begin = i;
      inside = inside || !space;
      if (!space) end = i;
    }
    if (!right) end = text.size();
    return end <= begin ? std::string() : text.substr(begin, end - begin);
  }
};

struct Prepend : Step {
  std::string head;
  Result<std::string> apply(std::string text) const override { return text.empty() ? std::move(text) : head + text; }
};

struct Replace : Step {
  std::string from, to;
  Result<std::string> apply(std::string text) const override {
    std::string out;
    size_t at = 0;
    for (size_t found; (found = text.find(from, at)) != std::string::npos; at = found + from.size()) {
      out.append(text, at, found - at) += to;
    }
    out.append(text, at);
    return out;
  }
};

struct ReplacePattern : Step {
  Pattern pattern;
  std::string to;
  Result<std::string> apply(std::string text) const override {
    std::vector<Segment> segments;
    OL_TRY(match_segments(pattern, text, false, &segments));
    std::string out;
    for (const Segment& s : segments) s.match ? out += to : out.append(text, s.begin, s.end - s.begin);
    return out;
  }
};

struct Precompiled : Step {
  CharacterMap map;
  Result<std::string> apply(std::string text) const override { return map.apply(text); }
};

constexpr std::pair<std::string_view, NormalForm> kForms[] = {
    {"NFC", NormalForm::kNfc}, {"NFD", NormalForm::kNfd}, {"NFKC", NormalForm::kNfkc}, {"NFKD", NormalForm::kNfkd}};

Result<std::unique_ptr<Step>> bert(const Json& j) {
  auto step = std::make_unique<Bert>();
  OL_ASSIGN(step->how.clean_text, read_bool(j, "clean_text", true));
  OL_ASSIGN(step->how.chinese_chars, read_bool(j, "handle_chinese_chars", true));
  OL_ASSIGN(step->how.lowercase, read_bool(j, "lowercase", true));
  OL_ASSIGN(step->how.strip_accents, read_bool(j, "strip_accents", step->how.lowercase));
  return std::unique_ptr<Step>(std::move(step));
}

Result<std::unique_ptr<Step>> strip(const Json& j) {
  auto step = std::make_unique<Strip>();
  OL_ASSIGN(step->left, read_bool(j, "strip_left", true));
  OL_ASSIGN(step->right, read_bool(j, "strip_right", true));
  return std::unique_ptr<Step>(std::move(step));
}

Result<std::unique_ptr<Step>> replace(const Json& j) {
  OL_ASSIGN(PatternText pattern, read_pattern(j));
  if (pattern.text.empty()) return invalid_graph("a Replace of tokenizer.json has an empty pattern");
  if (pattern.regex) {
    auto step = std::make_unique<ReplacePattern>();
    OL_ASSIGN(step->pattern, Pattern::compile(pattern.text));
    OL_ASSIGN(step->to, read_string(j, "content", ""));
    return std::unique_ptr<Step>(std::move(step));
  }
  auto step = std::make_unique<Replace>();
  step->from = std::move(pattern.text);
  OL_ASSIGN(step->to, read_string(j, "content", ""));
  return std::unique_ptr<Step>(std::move(step));
}

Result<std::unique_ptr<Step>> read_step(const Json& j, std::string_view type) {
  for (const auto& [name, form] : kForms) {
    if (type != name) continue;
    auto step = std::make_unique<Form>();
    step->form = form;
    return std::unique_ptr<Step>(std::move(step));
  }
  if (type == "BertNormalizer") return bert(j);
  if (type == "Lowercase") return std::unique_ptr<Step>(new Lowercase);
  if (type == "StripAccents") return std::unique_ptr<Step>(new StripAccents);
  if (type == "Strip") return strip(j);
  if (type == "Replace") return replace(j);
  if (type == "Precompiled") {
    auto step = std::make_unique<Precompiled>();
    OL_ASSIGN(const std::string encoded, read_string(j, "precompiled_charsmap", ""));
    OL_ASSIGN(step->map, CharacterMap::read(encoded));
    return std::unique_ptr<Step>(std::move(step));
  }
  if (type == "Prepend") {
    auto step = std::make_unique<Prepend>();
    OL_ASSIGN(step->head, read_string(j, "prepend", ""));
    return std::unique_ptr<Step>(std::move(step));
  }
  return not_implemented("tokenizer.json: a normalizer of type \"", type, "\" is not supported");
}

}  // namespace

std::string clean(std::string text, const BertCleaning& how) {
  if (how.clean_text || how.chinese_chars) text = clean_and_space(text, how);
  if (how.strip_accents) {
    text = without(normalize(text, NormalForm::kNfd), is_nonspacing);
  }
  return how.lowercase ? lower_case(text) : text;
}

Status Normalizer::add(const Json& j) {
  OL_ASSIGN(const std::string type, read_type(j, "normalizer"));
  if (type == "Sequence") {
    OL_ASSIGN(const std::vector<Json>* items, read_array(j, "normalizers"));
    if (items == nullptr) return invalid_graph("a Sequence of tokenizer.json has no list \"normalizers\"");
    for (const Json& item : *items) OL_TRY(add(item));
    return {};
  }
  OL_ASSIGN(std::unique_ptr<Step> step, read_step(j, type));
  steps_.push_back(std::move(step));
  return {};
}

Result<Normalizer> Normalizer::read(const Json* j) {
  Normalizer out;
  if (j != nullptr) OL_TRY(out.add(*j));
  return out;
}

Result<std::string> Normalizer::apply(std::string text) const {
  for (const auto& step : steps_) {
    OL_ASSIGN(text, step->apply(std::move(text)));
  }
  return text;
}

}  // namespace onnxlet
