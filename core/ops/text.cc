// Text features: TfIdfVectorizer and com.microsoft's Tokenizer.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/regex.h"
#include "base/unicode.h"
#include "kernels/convert.h"
#include "ops/key_table.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// Children of the nodes of a trie: (node, token) -> node, by open addressing.
class Edges {
 public:
  void reserve(size_t count) {
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    keys_.assign(slots, kFree);
    values_.assign(slots, 0);
  }
  int32_t find(int32_t node, int32_t token) const {  // -1: none
    const uint64_t key = pack(node, token);
    for (size_t i = slot(key);; i = (i + 1) & (keys_.size() - 1)) {
      if (keys_[i] == key) return values_[i];
      if (keys_[i] == kFree) return -1;
    }
  }
  void add(int32_t node, int32_t token, int32_t child) {
    const uint64_t key = pack(node, token);
    size_t i = slot(key);
    while (keys_[i] != kFree) i = (i + 1) & (keys_.size() - 1);
    keys_[i] = key;
    values_[i] = child;
  }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};
  static uint64_t pack(int32_t node, int32_t token) {
    return static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(token);
  }
  size_t slot(uint64_t key) const {
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 20) & (keys_.size() - 1);
  }
  std::vector<uint64_t> keys_;
  std::vector<int32_t> values_;
};

struct TfIdfVectorizer : Op {
  enum class Weighting { kTf, kIdf, kTfIdf };
  Weighting weighting;
  int64_t min_length, max_length, max_skip;
  std::vector<int64_t> columns;  // of each n-gram
  std::vector<float> weights;    // of each column; empty: 1
  int64_t width = 0;
  KeyTable tokens;  // distinct pool entries
  Edges edges;
  std::vector<int32_t> gram_of;  // of each trie node: its n-gram, or -1

  Status init(Attrs& a) {
    const std::string_view mode = a.s("mode");
    if (mode == "TF")
      weighting = Weighting::kTf;
    else if (mode == "IDF")
      weighting = Weighting::kIdf;
    else if (mode == "TFIDF")
      weighting = Weighting::kTfIdf;
    else
      return invalid_graph("mode must be TF, IDF or TFIDF; it is ", mode);
    min_length = a.i("min_gram_length");
    max_length = a.i("max_gram_length");
    max_skip = a.i("max_skip_count");
    columns = a.ints("ngram_indexes");
    const std::vector<float> gram_weights = a.floats("weights");
    if (min_length < 1 || max_length < min_length || max_skip < 0) {
      return invalid_graph("min_gram_length ", min_length, ", max_gram_length ", max_length, " and max_skip_count ",
                           max_skip, " do not fit");
    }
    for (const int64_t c : columns) {
      if (c < 0 || c > 1 << 30) return invalid_graph("ngram_indexes holds ", c);
      width = std::max(width, c + 1);
    }
    if (!gram_weights.empty()) {
      if (gram_weights.size() != columns.size()) {
        return invalid_graph("weights has ", gram_weights.size(), " entries for ", columns.size(), " n-grams");
      }
      weights.assign(static_cast<size_t>(width), 0.0f);
      for (size_t i = 0; i < columns.size(); ++i) weights[static_cast<size_t>(columns[i])] = gram_weights[i];
    }
    return build(a);
  }

  Status build(Attrs& a) {
    const std::vector<int64_t> counts = a.ints("ngram_counts"), pool_ints = a.ints("pool_int64s");
    const auto views = a.strings("pool_strings");
    const std::vector<std::string> pool_strings(views.begin(), views.end());
    if (pool_ints.empty() == pool_strings.empty())
      return invalid_graph("one of pool_int64s and pool_strings must be given");
    const auto total = static_cast<int64_t>(std::max(pool_ints.size(), pool_strings.size()));
    Tensor pool;
    if (pool_ints.empty()) {
      OL_ASSIGN(pool, Tensor::from<std::string>(a.pool(), Shape{total}, pool_strings));
    } else {
      OL_ASSIGN(pool, Tensor::of_ints(a.pool(), pool_ints));
    }
    OL_TRY(tokens.build(pool));
    std::vector<int64_t> ids(static_cast<size_t>(total));  // a token is known by its last position in the pool
    OL_TRY(tokens.find_all(pool, -1, ids.data()));
    edges.reserve(static_cast<size_t>(total));
    gram_of.assign(1, -1);
    int64_t gram = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t length = static_cast<int64_t>(i) + 1, begin = counts[i],
                    end = i + 1 < counts.size() ? counts[i + 1] : total;
      if (begin < 0 || end < begin || end > total || (end - begin) % length != 0) {
        return invalid_graph("ngram_counts does not divide the pool of ", total, ": entry ", i, " is ", begin,
                             ", the next ", end);
      }
      for (int64_t at = begin; at < end; at += length, ++gram) {
        if (length >= min_length && length <= max_length) insert(&ids[static_cast<size_t>(at)], length, gram);
      }
    }
    if (gram > static_cast<int64_t>(columns.size())) {
      return invalid_graph("ngram_indexes has ", columns.size(), " entries for ", gram, " n-grams");
    }
    return {};
  }

  void insert(const int64_t* ids, int64_t length, int64_t gram) {
    int32_t node = 0;
    for (int64_t i = 0; i < length; ++i) {
      const auto token = static_cast<int32_t>(ids[i]);
      int32_t child = edges.find(node, token);
      if (child < 0) {
        child = static_cast<int32_t>(gram_of.size());
        gram_of.push_back(-1);
        edges.add(node, token, child);
      }
      node = child;
    }
    gram_of[static_cast<size_t>(node)] = static_cast<int32_t>(gram);
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() > 2) return run_failed("X must be [C] or [B,C]; it has shape ", x.shape());
    const int64_t rows = x.rank() == 2 ? x.dim(0) : 1, length = x.rank() == 0 ? 1 : x.shape().back();
    OL_ASSIGN(int64_t* ids, ctx.scratch_of<int64_t>(x.size()));
    OL_TRY(tokens.find_all(x, -1, ids));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, x.rank() == 2 ? Shape{rows, width} : Shape{width}));
    float* out = y->mutable_data<float>();
    std::fill_n(out, y->size(), 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      count(ids + r * length, length, out + r * width);
      weigh(out + r * width);
    }
    return {};
  }

  // Adds up every n-gram of a row, the items of one being 1, 2 ... max_skip + 1 apart. Single items do not depend on
  // the distance and count once.
  void count(const int64_t* ids, int64_t length, float* out) const {
    int64_t shortest = min_length;
    for (int64_t distance = 1; distance <= std::min(max_skip, length) + 1 && shortest <= max_length; ++distance) {
      for (int64_t start = 0; start + distance * std::min(shortest - 1, length) < length; ++start) {
        int32_t node = 0;
        int64_t n = 1;
        for (int64_t at = start; at < length && n <= max_length && ids[at] >= 0; at += distance, ++n) {
          node = edges.find(node, static_cast<int32_t>(ids[at]));
          if (node < 0) break;
          const int32_t gram = gram_of[static_cast<size_t>(node)];
          if (n >= shortest && gram >= 0) out[columns[static_cast<size_t>(gram)]] += 1;
        }
      }
      if (shortest == 1) shortest = 2;
    }
  }

  void weigh(float* row) const {
    if (weighting == Weighting::kTf) return;
    for (int64_t i = 0; i < width; ++i) {
      if (row[i] == 0) continue;
      const float w = weights.empty() ? 1.0f : weights[static_cast<size_t>(i)];
      row[i] = weighting == Weighting::kIdf ? w : w * row[i];
    }
  }
};

size_t count_code_points(std::string_view s) {
  size_t n = 0;
  for (size_t i = 0; i < s.size(); ++n) next_code_point(s, &i);
  return n;
}

struct Tokenizer : Op {
  bool mark, by_character = false;
  int64_t min_length;
  std::string pad;
  std::vector<Regex> separators;
  bool has_expression = false;
  Regex expression;

  Status init(Attrs& a) {
    mark = a.i("mark") != 0;
    min_length = a.i("mincharnum");
    pad = a.s("pad_value");
    if (a.has("tokenexp")) {
      OL_ASSIGN(expression, Regex::compile(a.s("tokenexp")));
      has_expression = true;
    }
    const auto list = a.strings("separators");
    by_character = list.size() == 1 && list[0].empty();
    for (const std::string_view s : list) {
      if (by_character) break;
      if (s.empty()) return invalid_graph("an empty separator must be the only one");
      OL_ASSIGN(Regex r, Regex::compile(s));
      separators.push_back(std::move(r));
    }
    if (has_expression != list.empty()) return invalid_graph("one of tokenexp and separators must be given");
    if (min_length < 1) return invalid_graph("mincharnum must be positive; it is ", min_length);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 1 || x.rank() > 2) return run_failed("X must be [C] or [N,C]; it has shape ", x.shape());
    std::vector<std::string_view> tokens;
    std::vector<size_t> ends;
    size_t widest = 0;
    for (const std::string& s : x.values<std::string>()) {
      const size_t before = tokens.size();
      tokenize(s, &tokens);
      ends.push_back(tokens.size());
      widest = std::max(widest, tokens.size() - before);
    }
    const size_t width = widest + (mark && widest > 0 ? 2 : 0);
    Shape shape = x.shape();
    shape.push_back(static_cast<int64_t>(width));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, shape));
    std::string* out = y->mutable_data<std::string>();
    size_t at = 0;
    for (const size_t end : ends) {
      std::string* const row_end = out + width;
      if (mark && width > 0) *out++ = "\x02";
      for (; at < end; ++at) *out++ = tokens[at];
      if (mark && width > 0) *out++ = "\x03";
      while (out < row_end) *out++ = pad;
    }
    return {};
  }

  void tokenize(std::string_view s, std::vector<std::string_view>* out) const {
    if (by_character) {
      if (min_length > 1) return;
      for (size_t i = 0; i < s.size();) {
        const size_t from = i;
        next_code_point(s, &i);
        out->push_back(s.substr(from, i - from));
      }
    } else if (has_expression) {
      for (size_t at = 0, begin = 0, end = 0; at < s.size() && expression.find(s, at, &begin, &end);) {
        keep(s.substr(begin, end - begin), out);
        at = end;
        if (begin == end) next_code_point(s, &at);
      }
    } else {
      split(s, 0, out);
    }
  }

  // Separators apply in their order: each splits what those before it left.
  void split(std::string_view s, size_t which, std::vector<std::string_view>* out) const {
    if (which == separators.size()) return keep(s, out);
    size_t from = 0;
    for (size_t at = 0, begin = 0, end = 0; at < s.size() && separators[which].find(s, at, &begin, &end);) {
      if (begin == end) {
        at = end;
        if (at < s.size()) next_code_point(s, &at);
        continue;
      }
      split(s.substr(from, begin - from), which + 1, out);
      from = at = end;
    }
    split(s.substr(from), which + 1, out);
  }

  void keep(std::string_view token, std::vector<std::string_view>* out) const {
    if (!token.empty() && static_cast<int64_t>(count_code_points(token)) >= min_length) out->push_back(token);
  }
};

const OpRow kRows[] = {{"TfIdfVectorizer", 9, make<TfIdfVectorizer>}};
const OpRow kContribRows[] = {{"Tokenizer", 1, make<Tokenizer>}};

}  // namespace

extern const OpTable kTextOps{"", kRows};
extern const OpTable kTextContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
