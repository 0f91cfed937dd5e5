// Operators on strings.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/regex.h"
#include "base/unicode.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct StringConcat : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &y = ctx.in(1);
    OL_ASSIGN(const Shape shape, broadcast(x.shape(), y.shape()));
    OL_ASSIGN(Tensor * z, ctx.out(0, DType::kString, shape));
    std::string* out = z->mutable_data<std::string>();
    const std::array<Shape, 2> strides{broadcast_strides(x.shape(), shape), broadcast_strides(y.shape(), shape)};
    for (StridedIterator it(shape, strides); !it.done(); it.next()) {
      for (int64_t i = 0; i < it.inner(); ++i) {
        const std::string& left = x.data<std::string>()[it.offset(0) + i * it.inner_stride(0)];
        *out = left;
        *out++ += y.data<std::string>()[it.offset(1) + i * it.inner_stride(1)];
      }
    }
    return {};
  }
};

struct StringSplit : Op {
  std::string delimiter;  // empty: runs of white space
  int64_t max_split;      // negative: no limit

  Status init(Attrs& a) {
    delimiter = a.s("delimiter");
    max_split = a.has("maxsplit") ? a.i("maxsplit") : -1;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() == Shape::kMaxRank) return not_implemented("an input of rank ", x.rank(), " is not supported");
    OL_ASSIGN(Tensor * counts, ctx.out(1, DType::kInt64, x.shape()));
    std::vector<std::string_view> parts;
    int64_t widest = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      const size_t before = parts.size();
      split(x.data<std::string>()[i], &parts);
      const auto n = static_cast<int64_t>(parts.size() - before);
      counts->mutable_data<int64_t>()[i] = n;
      widest = std::max(widest, n);
    }
    Shape shape = x.shape();
    shape.push_back(widest);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, shape));
    size_t at = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      for (int64_t j = 0; j < counts->data<int64_t>()[i]; ++j)
        y->mutable_data<std::string>()[i * widest + j] = parts[at++];
    }
    return {};
  }

  void split(std::string_view text, std::vector<std::string_view>* parts) const {
    if (delimiter.empty()) return split_words(text, parts);
    for (int64_t n = 0; max_split < 0 || n < max_split; ++n) {
      const size_t end = text.find(delimiter);
      if (end == std::string_view::npos) break;
      parts->push_back(text.substr(0, end));
      text.remove_prefix(end + delimiter.size());
    }
    parts->push_back(text);
  }

  void split_words(std::string_view text, std::vector<std::string_view>* parts) const {
    int64_t n = 0;
    for (size_t at = 0; at < text.size();) {
      size_t from = at;
      if (is_space(next_code_point(text, &at))) continue;
      if (max_split >= 0 && n++ == max_split) {
        parts->push_back(text.substr(from));
        return;
      }
      size_t end = at;
      while (end < text.size()) {
        size_t next = end;
        if (is_space(next_code_point(text, &next))) break;
        end = next;
      }
      parts->push_back(text.substr(from, end - from));
      at = end;
    }
  }
};

struct StringNormalizer : Op {
  enum class Case { kNone, kLower, kUpper };
  Case change;
  bool case_sensitive;
  std::vector<std::string> stopwords;  // in lower case unless case_sensitive

  Status init(Attrs& a) {
    const std::string_view action = a.s("case_change_action", "NONE");
    if (action == "NONE")
      change = Case::kNone;
    else if (action == "LOWER")
      change = Case::kLower;
    else if (action == "UPPER")
      change = Case::kUpper;
    else
      return invalid_graph("case_change_action must be LOWER, UPPER or NONE; it is ", action);
    case_sensitive = a.i("is_case_sensitive", 0) != 0;
    a.ignore("locale");  // the mapping of cases is Unicode's, the same everywhere
    for (const std::string_view word : a.strings("stopwords")) {
      stopwords.push_back(case_sensitive ? std::string(word) : to_lower(word));
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() < 1 || x.rank() > 2 || (x.rank() == 2 && x.dim(0) != 1)) {
      return run_failed("the input must be [C] or [1,C]; it has shape ", x.shape());
    }
    std::vector<std::string> kept;
    for (const std::string& s : x.values<std::string>()) {
      if (is_stopword(case_sensitive ? s : to_lower(s))) continue;
      kept.push_back(change == Case::kNone ? s : change == Case::kLower ? to_lower(s) : to_upper(s));
    }
    if (kept.empty()) kept.emplace_back();  // the specification wants one empty string
    Shape shape = x.shape();
    shape[x.rank() - 1] = static_cast<int64_t>(kept.size());
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, shape));
    std::move(kept.begin(), kept.end(), y->mutable_data<std::string>());
    return {};
  }

  bool is_stopword(const std::string& s) const {
    return std::find(stopwords.begin(), stopwords.end(), s) != stopwords.end();
  }
};

struct RegexFullMatch : Op {
  Regex regex;

  Status init(Attrs& a) {
    OL_ASSIGN(regex, Regex::compile(a.s("pattern")));
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kBool, x.shape()));
    for (int64_t i = 0; i < x.size(); ++i) y->mutable_data<bool>()[i] = regex.full_match(x.data<std::string>()[i]);
    return {};
  }
};

const OpRow kRows[] = {
    {"StringConcat", 20, make<StringConcat>},
    {"StringSplit", 20, make<StringSplit>},
    {"StringNormalizer", 10, make<StringNormalizer>},
    {"RegexFullMatch", 20, make<RegexFullMatch>},
};

}  // namespace

extern const OpTable kStringOps{"", kRows};

}  // namespace onnxlet
