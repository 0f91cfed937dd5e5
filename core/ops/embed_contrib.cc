// EmbedLayerNormalization and QEmbedLayerNormalization of com.microsoft: rows of two or three tables added and
// normalized.
#include <algorithm>

#include "kernels/move.h"
#include "kernels/normalize.h"
#include "ops/int_operands.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

// Inputs of tables and vectors; those of 8-bit numbers have a scale at `scale` and a zero point at `zero`.
struct Source {
  int input, scale = 0, zero = 0;
};

template <bool kQuantized>
struct EmbedLayerNorm : Op {
  static constexpr Source kWords{2, 8, 13}, kPositions{3, 9, 14}, kSegments{4, 10, 15}, kGamma{5, 11, 16},
      kBeta{6, 12, 17};
  static constexpr int kMask = 7, kPositionIds = 8;
  float epsilon = 1e-12f;

  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-12f);
    if (!kQuantized) a.ignore("mask_index_type");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &ids = ctx.in(0), &words = ctx.in(kWords.input);
    if (ids.rank() != 2 || words.rank() != 2) {
      return run_failed("input_ids and word_embedding must be matrices; their shapes are ", ids.shape(), " and ",
                        words.shape());
    }
    const Shape shape{ids.dim(0), ids.dim(1), words.dim(1)};
    const DType type = kQuantized ? DType::kFloat : words.dtype();
    OL_ASSIGN(const FloatOutput sum, float_output(ctx, 2, type, shape));
    std::fill_n(sum.data, shape.size(), 0.0f);
    OL_TRY(add_rows(ctx, kWords, &ids, shape, sum.data));
    OL_TRY(add_rows(ctx, kPositions, kQuantized ? nullptr : ctx.opt(kPositionIds), shape, sum.data));
    if (ctx.has(1) != ctx.has(kSegments.input)) {
      return run_failed("segment_ids and segment_embedding must be given together");
    }
    if (ctx.has(1)) OL_TRY(add_rows(ctx, kSegments, ctx.opt(1), shape, sum.data));
    sum.finish();
    OL_ASSIGN(const float* gamma, vector(ctx, kGamma, shape[2]));
    OL_ASSIGN(const float* beta, vector(ctx, kBeta, shape[2]));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, type, shape));
    normalize_rows(NormalizeRows<float>{sum.data, shape[0] * shape[1], shape[2], epsilon, true, gamma, beta, 0, 0,
                                        y.data, nullptr, nullptr});
    y.finish();
    return mask_index(ctx, shape[0], shape[1]);
  }

  // `n` elements of a source from `first` on.
  static Status read(OpContext& ctx, const Source& s, int64_t first, int64_t n, float* out) {
    const Tensor& t = ctx.in(s.input);
    to_floats(t.dtype(), element_at(t.dtype(), t.raw(), first), n, out);
    if constexpr (kQuantized) {
      OL_ASSIGN(const double scale, to_double(ctx.in(s.scale), "a scale"));
      OL_ASSIGN(const double zero, to_double(ctx.in(s.zero), "a zero point"));
      for (int64_t i = 0; i < n; ++i) out[i] = (out[i] - static_cast<float>(zero)) * static_cast<float>(scale);
    }
    return {};
  }

  // Adds to every token the row of its id, or without ids that of its place. Ids may be those of one batch row for all.
  static Status add_rows(OpContext& ctx, const Source& s, const Tensor* ids, const Shape& shape, float* sum) {
    const Tensor& table = ctx.in(s.input);
    const int64_t n = shape[2], tokens = shape[0] * shape[1];
    if (table.rank() != 2 || table.dim(1) != n || (ids && ids->size() != tokens && ids->size() != shape[1])) {
      return run_failed("a table of shape ", table.shape(), ids ? " and its ids of shape " : "",
                        ids ? text(ids->shape()) : std::string(), " do not fit a result of shape ", shape);
    }
    if constexpr (kQuantized) {
      if (!ctx.has(s.scale) || !ctx.has(s.zero)) return run_failed("every embedding needs its scale and zero point");
    }
    OL_ASSIGN(float* row, ctx.scratch_of<float>(n));
    for (int64_t t = 0; t < tokens; ++t) {
      const int64_t id = ids ? ids->data<int32_t>()[t % ids->size()] : t % shape[1];
      if (id < 0 || id >= table.dim(0)) {
        return run_failed("embedding index ", id, " is outside [0, ", table.dim(0) - 1, "]");
      }
      OL_TRY(read(ctx, s, id * n, n, row));
      for (int64_t i = 0; i < n; ++i) sum[t * n + i] += row[i];
    }
    return {};
  }

  static Result<const float*> vector(OpContext& ctx, const Source& s, int64_t n) {
    if (ctx.in(s.input).size() != n) {
      return run_failed("gamma and beta must have ", n, " elements; one has shape ", ctx.in(s.input).shape());
    }
    OL_ASSIGN(float* out, ctx.scratch_of<float>(n));
    OL_TRY(read(ctx, s, 0, n, out));
    return static_cast<const float*>(out);
  }

  // How many tokens of every batch row the mask leaves; 0 without one.
  static Status mask_index(OpContext& ctx, int64_t batch, int64_t length) {
    OL_ASSIGN(Tensor * index, ctx.out(1, DType::kInt32, Shape{batch}));
    if (ctx.has(kMask) && ctx.in(kMask).size() != batch * length) {
      return run_failed("mask has shape ", ctx.in(kMask).shape(), "; ", Shape{batch, length}, " is expected");
    }
    for (int64_t b = 0; b < batch; ++b) {
      int32_t count = 0;
      for (int64_t i = 0; i < length && ctx.has(kMask); ++i) {
        count += ctx.in(kMask).data<int32_t>()[b * length + i] == 1;
      }
      index->mutable_data<int32_t>()[b] = count;
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"EmbedLayerNormalization", 1, make<EmbedLayerNorm<false>>},
    {"QEmbedLayerNormalization", 1, make<EmbedLayerNorm<true>>},
};

}  // namespace

extern const OpTable kEmbedContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
