// NGramRepeatBlock of com.microsoft: takes tokens that would repeat an n-gram out of the scores.
#include <algorithm>
#include <limits>

#include "ops/op.h"

namespace onnxlet {
namespace {

struct NGramRepeatBlock : Op {
  int64_t size = 1;

  Status init(Attrs& a) {
    size = a.i("ngram_size");
    if (size < 1) return invalid_graph("ngram_size must be positive; it is ", size);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &ids = ctx.in(0), &scores = ctx.in(1);
    if (ids.rank() != 2 || scores.rank() != 2 || ids.dim(0) != scores.dim(0)) {
      return run_failed("input_ids and scores must be [batch, length] and [batch, tokens]; their shapes are ",
                        ids.shape(), " and ", scores.shape());
    }
    const int64_t length = ids.dim(1), tokens = scores.dim(1);
    OL_ASSIGN(Tensor * y, ctx.out(0, scores.dtype(), scores.shape()));
    std::copy_n(scores.data<float>(), scores.size(), y->mutable_data<float>());
    for (int64_t b = 0; b < ids.dim(0); ++b) {
      const int64_t* row = ids.data<int64_t>() + b * length;
      if (length < size) continue;
      const int64_t* recent = row + length - (size - 1);
      for (int64_t i = 0; i + size <= length; ++i) {
        if (!std::equal(recent, row + length, row + i)) continue;
        const int64_t token = row[i + size - 1];
        if (token < 0 || token >= tokens) return run_failed("token ", token, " is outside [0, ", tokens - 1, "]");
        y->mutable_data<float>()[b * tokens + token] = -std::numeric_limits<float>::infinity();
      }
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"NGramRepeatBlock", 1, make<NGramRepeatBlock>},
};

}  // namespace

extern const OpTable kGenerationContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
