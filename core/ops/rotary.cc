// RotaryEmbedding of ai.onnx and of com.microsoft.
#include "ops/attention_util.h"

namespace onnxlet {
namespace {

struct RotaryEmbedding : Op {
  bool contrib = false;  // inputs in another order, positions may be one offset
  bool interleaved = false;
  int64_t heads = 0, dims = 0;

  Status init(Attrs& a) {
    interleaved = a.i("interleaved", 0) != 0;
    heads = a.i("num_heads", 0);
    dims = a.i("rotary_embedding_dim", 0);
    return {};
  }

  // Row of the tables for every token; null where the tables are per token themselves.
  Status table_rows(const Tensor* positions, int64_t batch, int64_t seq, int64_t limit,
                    std::vector<int64_t>* rows) const {
    if (!positions) return {};
    OL_ASSIGN(std::vector<int64_t> given, positions_of(*positions));
    const bool offset = contrib && given.size() == 1 && batch * seq != 1;
    if (!offset && static_cast<int64_t>(given.size()) != batch * seq) {
      return run_failed("position_ids of shape ", positions->shape(), " must have ", batch * seq, " elements");
    }
    for (int64_t t = 0; t < batch * seq; ++t) {
      const int64_t p = offset ? given[0] + t % seq : given[static_cast<size_t>(t)];
      if (p < 0 || p >= limit) return run_failed("position ", p, " is outside the tables' ", limit, " rows");
      rows->push_back(p);
    }
    return {};
  }
  static Result<std::vector<int64_t>> positions_of(const Tensor& t) {
    return std::vector<int64_t>(t.data<int64_t>(), t.data<int64_t>() + t.size());
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
    std::vector<int64_t> rows;
    OL_TRY(table_rows(positions, args.batch, args.seq, cos.size() / std::max<int64_t>(half, 1), &rows));
    if (!positions && cos.size() != args.batch * args.seq * half) {
      return run_failed("without position_ids the tables must have shape ", Shape{args.batch, args.seq, half},
                        "; they have ", cos.shape());
    }
    args.rows = positions ? rows.data() : nullptr;
    OL_ASSIGN(args.cos, floats_of(ctx, cos));
    OL_ASSIGN(args.sin, floats_of(ctx, sin));
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
};

struct ContribRotaryEmbedding : RotaryEmbedding {
  Status init(Attrs& a) {
    contrib = true;
    a.ignore("scale");               // onnxruntime does not apply it either
    a.ignore("is_packed_batching");  // a hint about the positions
    return RotaryEmbedding::init(a);
  }
};

const OpRow kRows[] = {
    {"RotaryEmbedding", 23, make<RotaryEmbedding>},
};
const OpRow kContribRows[] = {
    {"RotaryEmbedding", 1, make<ContribRotaryEmbedding>},
};

}  // namespace

extern const OpTable kRotaryOps{"", kRows};
extern const OpTable kRotaryContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
