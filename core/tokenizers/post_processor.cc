#include "tokenizers/post_processor.h"

#include "base/text.h"
#include "tokenizers/config.h"

namespace onnxlet {
namespace {

// ["[SEP]", 102]
Result<int32_t> read_token(const Json& step, std::string_view name) {
  OL_ASSIGN(const std::vector<Json>* pair, read_array(step, name));
  if (pair == nullptr || pair->size() != 2 || (*pair)[1].kind != Json::Kind::kNumber) {
    return invalid_graph("\"", name, "\" of a post-processor in tokenizer.json must be a token and its id");
  }
  return static_cast<int32_t>((*pair)[1].number);
}

// The ids of a special token of a template.
Result<std::vector<int32_t>> template_ids(const Json& step, std::string_view token) {
  const Json* all = member(step, "special_tokens");
  const Json* found = all == nullptr ? nullptr : member(*all, token);
  if (found == nullptr)
    return invalid_graph("the template of tokenizer.json names the token \"", token, "\" without id");
  OL_ASSIGN(const std::vector<Json>* list, read_array(*found, "ids"));
  std::vector<int32_t> ids;
  if (list != nullptr) {
    for (const Json& id : *list) ids.push_back(static_cast<int32_t>(id.number));
  }
  return ids;
}

}  // namespace

Status PostProcessor::add_template(const Json& step) {
  OL_ASSIGN(const std::vector<Json>* single, read_array(step, "single"));
  if (single == nullptr) return invalid_graph("a TemplateProcessing of tokenizer.json has no list \"single\"");
  std::vector<int32_t> before, after;
  bool behind = false;
  for (const Json& item : *single) {
    if (const Json* special = member(item, "SpecialToken")) {
      OL_ASSIGN(const std::string token, read_string(*special, "id", ""));
      OL_ASSIGN(const std::vector<int32_t> ids, template_ids(step, token));
      std::vector<int32_t>& side = behind ? after : before;
      side.insert(side.end(), ids.begin(), ids.end());
    } else if (member(item, "Sequence") != nullptr && !behind) {
      behind = true;
    } else {
      return not_implemented("tokenizer.json: a template must hold special tokens and the text once");
    }
  }
  if (!behind) return invalid_graph("the template of tokenizer.json is without the text");
  before_.insert(before_.begin(), before.begin(), before.end());
  after_.insert(after_.end(), after.begin(), after.end());
  return {};
}

Status PostProcessor::add(const Json& step) {
  OL_ASSIGN(const std::string type, read_type(step, "post-processor"));
  if (type == "TemplateProcessing") return add_template(step);
  if (type == "ByteLevel") return {};  // about offsets only
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    OL_ASSIGN(const int32_t cls, read_token(step, "cls"));
    OL_ASSIGN(const int32_t sep, read_token(step, "sep"));
    before_.insert(before_.begin(), cls);
    after_.push_back(sep);
    return {};
  }
  if (type == "Sequence") {
    OL_ASSIGN(const std::vector<Json>* items, read_array(step, "processors"));
    if (items == nullptr) return invalid_graph("a Sequence of tokenizer.json has no list \"processors\"");
    for (const Json& item : *items) OL_TRY(add(item));
    return {};
  }
  return not_implemented("tokenizer.json: a post-processor of type \"", type, "\" is not supported");
}

Result<PostProcessor> PostProcessor::read(const Json* step) {
  PostProcessor out;
  if (step != nullptr) OL_TRY(out.add(*step));
  return out;
}

std::vector<int32_t> PostProcessor::apply(const std::vector<int32_t>& ids) const {
  std::vector<int32_t> out = before_;
  out.insert(out.end(), ids.begin(), ids.end());
  out.insert(out.end(), after_.begin(), after_.end());
  return out;
}

}  // namespace onnxlet
