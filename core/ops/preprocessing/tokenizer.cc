// Tokenizers of onnxruntime-extensions: text to the ids that a language model takes.
#include <algorithm>
#include <string>

#include "ops/op.h"
#include "tokenizers/config.h"
#include "tokenizers/hf_tokenizer.h"
#include "tokenizers/word_piece.h"

namespace onnxlet {
namespace {

Status write_row(OpContext& ctx, int output, const std::vector<int64_t>& values) {
  OL_ASSIGN(Tensor * y, ctx.out(output, DType::kInt64, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), y->mutable_data<int64_t>());
  return {};
}

// The vocabulary is a file of one token a line. Takes one text or a pair of them, and gives one row.
struct BertTokenizer : Op {
  bool basic;
  BertCleaning cleaning{true, true, false, true};
  PreTokenizer split = PreTokenizer::bert();
  TokenModelPtr model;
  int64_t begin_id, separator_id, max_length;

  Status init(Attrs& a) {
    basic = a.i("do_basic_tokenize") != 0;
    cleaning.lowercase = a.i("do_lower_case") != 0;
    cleaning.chinese_chars = a.i("tokenize_chinese_chars") != 0;
    cleaning.strip_accents = a.i("strip_accents") != 0;
    max_length = a.i("max_length");
    a.ignore("pad_token"), a.ignore("mask_token");  // nothing is filled up or masked here
    if (a.s("truncation_strategy_name") != "longest_first") {
      return not_implemented("truncation_strategy_name must be longest_first; it is ", a.s("truncation_strategy_name"));
    }
    Vocabulary vocabulary;
    int32_t line = 0;
    for (std::string_view rest = a.s("vocab_file"); !rest.empty(); ++line) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view token = rest.substr(0, end);
      if (!token.empty() && token.back() == '\r') token.remove_suffix(1);
      vocabulary.add(token, line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::string_view names[] = {a.s("unk_token"), a.s("cls_token"), a.s("sep_token")};
    int32_t ids[3];
    for (size_t i = 0; i < 3; ++i) {
      ids[i] = vocabulary.find(names[i]);
      if (ids[i] < 0) return invalid_graph("vocab_file lacks the token ", names[i]);
    }
    begin_id = ids[1], separator_id = ids[2];
    constexpr size_t kMostCharacters = 100;  // as in BERT's own code
    model = std::make_unique<WordPiece>(std::move(vocabulary), ids[0], std::string(a.s("suffix_indicator")),
                                        kMostCharacters);
    return {};
  }

  Result<std::vector<int32_t>> encode(const std::string& text) const {
    std::vector<Word> words;
    if (basic) {
      OL_TRY(split.apply({clean(text, cleaning), true}, &words));
    } else {
      for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.push_back({text.substr(at, end - at), at == 0});
        at = end + 1;
      }
    }
    std::vector<int32_t> ids;
    for (const Word& word : words) model->encode(word.text, &ids);
    return ids;
  }

  // The longer of both gives up its end until they fit.
  void truncate(std::vector<int32_t>* first, std::vector<int32_t>* second, size_t added) const {
    if (max_length < 0) return;
    const size_t room = static_cast<size_t>(max_length) > added ? static_cast<size_t>(max_length) - added : 0;
    while (first->size() + second->size() > room) (first->size() > second->size() ? first : second)->pop_back();
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.size() != 1 && x.size() != 2) return run_failed("text must be one or two strings; it has shape ", x.shape());
    OL_ASSIGN(std::vector<int32_t> first, encode(x.data<std::string>()[0]));
    std::vector<int32_t> second;
    if (x.size() == 2) {
      OL_ASSIGN(second, encode(x.data<std::string>()[1]));
      if (x.data<std::string>()[0].empty()) std::swap(first, second);
    }
    const bool pair = x.size() == 2 && !x.data<std::string>()[0].empty() && !x.data<std::string>()[1].empty();
    truncate(&first, &second, pair ? 3 : 2);
    std::vector<int64_t> ids{begin_id};
    ids.insert(ids.end(), first.begin(), first.end());
    ids.push_back(separator_id);
    std::vector<int64_t> types(ids.size(), 0);
    if (pair) {
      ids.insert(ids.end(), second.begin(), second.end());
      ids.push_back(separator_id);
      types.resize(ids.size(), 1);
    }
    OL_TRY(write_row(ctx, 0, ids));
    if (ctx.wants(1)) OL_TRY(write_row(ctx, 1, types));
    if (ctx.wants(2)) OL_TRY(write_row(ctx, 2, std::vector<int64_t>(ids.size(), 1)));
    return {};
  }
};

// Takes strings of any shape, and gives a last axis with the ids of each.
struct HfJsonTokenizer : Op {
  HfTokenizer tokenizer;

  Status init(Attrs& a) {
    if (a.output_used(2)) return not_implemented("HfJsonTokenizer does not compute offset_mapping");
    const bool both = a.has("tokenizer_vocab");
    const std::string_view config = a.s("tokenizer_config");
    OL_ASSIGN(tokenizer, HfTokenizer::read(both ? a.s("tokenizer_vocab") : config));
    return both && !tokenizer.names_fill() ? read_fill(config) : Status();
  }

  // tokenizer_config.json: what of it tokenizer.json does not say itself is the token that fills up short rows.
  Status read_fill(std::string_view config) {
    OL_ASSIGN(const Json root, parse_json(config, "tokenizer_config is"));
    const Json* token = member(root, "pad_token");
    if (token == nullptr) return {};
    if (token->kind == Json::Kind::kObject) token = member(*token, "content");
    const int32_t id = token == nullptr ? -1 : tokenizer.find(token->string);
    if (id < 0) return invalid_graph("the pad_token of tokenizer_config is not in the vocabulary");
    tokenizer.set_fill_id(id);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() == Shape::kMaxRank) return not_implemented("an input of rank ", x.rank(), " is not supported");
    OL_ASSIGN(const HfTokenizer::Batch batch, tokenizer.encode(x.values<std::string>()));
    Shape shape = x.shape();
    shape.push_back(static_cast<int64_t>(batch.width));
    OL_ASSIGN(Tensor * ids, ctx.out(0, DType::kInt64, shape));
    OL_ASSIGN(Tensor * mask, ctx.out(1, DType::kInt64, shape));
    int64_t *id = ids->mutable_data<int64_t>(), *known = mask->mutable_data<int64_t>();
    for (const std::vector<int32_t>& row : batch.rows) {
      const size_t fill = batch.width - row.size(), before = tokenizer.fill_left() ? fill : 0;
      std::fill_n(id, batch.width, tokenizer.fill_id());
      std::fill_n(known, batch.width, 0);
      std::copy(row.begin(), row.end(), id + before);
      std::fill_n(known + before, row.size(), 1);
      id += batch.width, known += batch.width;
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"BertTokenizer", 1, make<BertTokenizer>},
    {"HfJsonTokenizer", 1, make<HfJsonTokenizer>},
};

}  // namespace

extern const OpTable kTokenizerOps{"ai.onnx.contrib", kRows};

}  // namespace onnxlet
