// RotaryEmbedding of ai.onnx and of com.microsoft, and MRotaryEmbedding.
#include <algorithm>

#include "ops/attention_util.h"

namespace onnxlet {
namespace {

struct RotaryEmbedding : Op {
  bool contrib = false;  // inputs in another order, positions may be one offset
  bool interleaved = false;
  int64_t heads = 0, dims = 0;
  std::vector<int64_t> sections;  // of the tables' columns, for tokens with three positions; empty: one position
  bool alternating = false;       // the sections' columns, not one behind the other

  Status init(Attrs& a) {
    interleaved = a.i("interleaved", 0) != 0;
    heads = a.i("num_heads", 0);
    dims = a.i("rotary_embedding_dim", 0);
    return {};
  }

  // Row of the tables for every token.
  Status table_rows(const Tensor& positions, int64_t batch, int64_t seq, int64_t limit,
                    std::vector<int64_t>* rows) const {
    const std::span<const int64_t> given = positions.values<int64_t>();
    const bool offset = contrib && given.size() == 1 && batch * seq != 1;
    if (!offset && static_cast<int64_t>(given.size()) != batch * seq) {
      return run_failed("position_ids of shape ", positions.shape(), " must have ", batch * seq, " elements");
    }
    for (int64_t t = 0; t < batch * seq; ++t) {
      const int64_t p = offset ? given[0] + t % seq : given[static_cast<size_t>(t)];
      if (p < 0 || p >= limit) return run_failed("position ", p, " is outside the tables' ", limit, " rows");
      rows->push_back(p);
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const Tensor& cos = ctx.in(contrib ? 2 : 1);
    const Tensor& sin = ctx.in(contrib ? 3 : 2);
    const Tensor* positions = ctx.opt(contrib ? 1 : 3);
    if (cos.rank() < 2 || !(cos.shape() == sin.shape())) {
      return run_failed("cos_cache and sin_cache must have one shape; they have ", cos.shape(), " and ", sin.shape());
    }
    const int64_t half = cos.shape().back();
    RotaryArgs args{};
    args.interleaved = interleaved;
    args.batch = x.rank() > 0 ? x.dim(0) : 0;
    if (x.rank() == 4) {
      args.heads = x.dim(1), args.seq = x.dim(2), args.head_size = x.dim(3);
    } else if (x.rank() == 3) {
      // Without num_heads a head is as long as the tables say.
      const int64_t size = heads > 0 ? x.dim(2) / heads : 2 * half;
      args.seq = x.dim(1), args.head_size = size, args.heads = size > 0 ? x.dim(2) / size : 0;
    }
    args.dims = dims > 0 ? dims : args.head_size;
    if (args.dims != 2 * half || args.dims > args.head_size ||
        x.size() != args.batch * args.heads * args.seq * args.head_size) {
      return run_failed("input of shape ", x.shape(), " and tables of shape ", cos.shape(), " do not fit together for ",
                        args.heads, " heads of ", args.head_size, " elements");
    }
    OL_ASSIGN(args.cos, floats_of(ctx, cos));
    OL_ASSIGN(args.sin, floats_of(ctx, sin));
    std::vector<int64_t> rows;
    const int64_t limit = cos.size() / std::max<int64_t>(half, 1);
    if (!sections.empty()) {
      OL_TRY(mix_tables(ctx, *positions, half, limit, &args));
    } else if (positions) {
      OL_TRY(table_rows(*positions, args.batch, args.seq, limit, &rows));
      args.rows = rows.data();
    } else if (cos.size() != args.batch * args.seq * half) {
      return run_failed("without position_ids the tables must have shape ", Shape{args.batch, args.seq, half},
                        "; they have ", cos.shape());
    }
    OL_ASSIGN(const float* in, floats_of(ctx, x));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), x.shape()));
    const int64_t row = args.heads * args.head_size;
    args.x = x.rank() == 4 ? heads_4d(in, args.heads, args.seq, args.head_size)
                           : heads_3d(in, args.seq, args.head_size, row);
    args.y = x.rank() == 4 ? heads_4d(y.data, args.heads, args.seq, args.head_size)
                           : heads_3d(y.data, args.seq, args.head_size, row);
    rotary_embedding(args);
    y.finish();
    return {};
  }

  // Tables of one row per token from three positions of each: those of time, height and width.
  Status mix_tables(OpContext& ctx, const Tensor& positions, int64_t half, int64_t limit, RotaryArgs* args) const {
    const int64_t tokens = args->batch * args->seq;
    if (positions.size() != 3 * tokens) {
      return run_failed("position_ids of shape ", positions.shape(), " must have ", 3 * tokens, " elements");
    }
    if (sections[0] + sections[1] + sections[2] != half) {
      return run_failed("mrope_section must add up to the tables' ", half, " columns; it is ", Shape(sections));
    }
    const int64_t* p = positions.data<int64_t>();
    for (int64_t i = 0; i < 3 * tokens; ++i) {
      if (p[i] < 0 || p[i] >= limit) {
        return run_failed("position ", p[i], " is outside the tables' ", limit, " rows");
      }
    }
    const float* tables[2] = {args->cos, args->sin};
    const float** used[2] = {&args->cos, &args->sin};
    for (int k = 0; k < 2; ++k) {
      OL_ASSIGN(float* own, ctx.scratch_of<float>(tokens * half));
      for (int64_t t = 0; t < tokens; ++t) {
        for (int64_t i = 0; i < half; ++i) {
          own[t * half + i] = tables[k][p[stream_of(i) * tokens + t] * half + i];
        }
      }
      *used[k] = own;
    }
    return {};
  }
  // Which of the three positions column i of the tables belongs to.
  int64_t stream_of(int64_t i) const {
    if (alternating) {
      const int64_t stream = i % 3;
      return stream != 0 && i < 3 * sections[static_cast<size_t>(stream)] ? stream : 0;
    }
    return i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
  }
};

struct ContribRotaryEmbedding : RotaryEmbedding {
  Status init(Attrs& a) {
    contrib = true;
    a.ignore("scale");               // onnxruntime does not apply it either
    a.ignore("is_packed_batching");  // a hint about the positions
    return RotaryEmbedding::init(a);
  }
};

struct MRotaryEmbedding : ContribRotaryEmbedding {
  Status init(Attrs& a) {
    sections = a.ints("mrope_section");
    if (sections.size() != 3 || *std::min_element(sections.begin(), sections.end()) < 0) {
      return invalid_graph("mrope_section must be three numbers, none negative; it is ", Shape(sections));
    }
    const int64_t layout = a.i("mrope_layout", 0);
    if (layout < 0 || layout > 1) return invalid_graph("mrope_layout must be 0 or 1; it is ", layout);
    alternating = layout == 1;
    return ContribRotaryEmbedding::init(a);
  }
};

const OpRow kRows[] = {
    {"RotaryEmbedding", 23, make<RotaryEmbedding>},
};
const OpRow kContribRows[] = {
    {"RotaryEmbedding", 1, make<ContribRotaryEmbedding>},
    {"MRotaryEmbedding", 1, make<MRotaryEmbedding>},
};

}  // namespace

extern const OpTable kRotaryOps{"", kRows};
extern const OpTable kRotaryContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
