// softmax(scale Q K^T + mask) V as MatMul, Add and Softmax define it, which graph/fuse_attention.cc found.
#include <algorithm>
#include <limits>

#include "ops/attention_util.h"

namespace onnxlet {
namespace {

// An operand seen as [batch, heads, tokens, size]; axes of length 1 that another operand is longer on have stride 0.
struct Operand {
  int64_t dims[4] = {1, 1, 1, 1}, strides[4];

  Operand(const Tensor& t, bool token_major) {
    for (int i = 0; i < t.rank(); ++i) dims[4 - t.rank() + i] = t.dim(i);
    if (token_major) std::swap(dims[1], dims[2]);
    const int inwards[] = {3, token_major ? 1 : 2, token_major ? 2 : 1, 0};
    int64_t step = 1;
    for (const int axis : inwards) {
      strides[axis] = dims[axis] == 1 ? 0 : step;
      step *= dims[axis];
    }
  }
  template <class T>
  Heads<T> heads(T* data) const {
    return {data, strides[0], strides[1], strides[2]};
  }
};

struct FusedAttention : Op {
  float scale = 1;
  bool token_major[3] = {}, y_token_major = false;

  Status init(Attrs& a) {
    scale = a.f("scale", 1);
    token_major[0] = a.i("q_token_major", 0) != 0;
    token_major[1] = a.i("k_token_major", 0) != 0;
    token_major[2] = a.i("v_token_major", 0) != 0;
    y_token_major = a.i("y_token_major", 0) != 0;
    return {};
  }

  Status run(OpContext& ctx) const override {
    int rank = 0;
    for (int i = 0; i < 4; ++i) {
      const int r = ctx.has(i) ? ctx.in(i).rank() : 0;
      if (r > 4 || (i < 3 && (r < 2 || (token_major[i] && r != 4)))) {
        return run_failed("operand ", i, " of shape ", ctx.in(i).shape(), " is not what attention was made of");
      }
      rank = std::max(rank, r);
    }
    const Operand q(ctx.in(0), token_major[0]), k(ctx.in(1), token_major[1]), v(ctx.in(2), token_major[2]);
    AttentionArgs args;
    args.head_size = q.dims[3], args.v_head_size = v.dims[3];
    args.scale = scale;
    int64_t full[4] = {1, 1, q.dims[2], k.dims[2]};  // of the scores
    bool fits = q.dims[3] == k.dims[3];
    const auto widen = [&fits](int64_t* size, int64_t other) {
      fits = fits && (*size == other || *size == 1 || other == 1);
      if (other != 1) *size = other;
    };
    for (int axis = 0; axis < 2; ++axis) {
      for (const Operand* o : {&q, &k, &v}) widen(&full[axis], o->dims[axis]);
    }
    if (const Tensor* mask = ctx.opt(3)) {
      const Operand o(*mask, false);
      for (int axis = 0; axis < 4; ++axis) widen(&full[axis], o.dims[axis]);
      OL_ASSIGN(args.mask, floats_of(ctx, *mask));
      args.mask_batch = o.strides[0], args.mask_head = o.strides[1];
      args.mask_row = o.strides[2], args.mask_column = o.strides[3];
      args.mask_len = full[3];
    }
    if (!fits || v.dims[2] != full[3]) {
      return run_failed("Q, K, V and mask of shapes ", ctx.in(0).shape(), ", ", ctx.in(1).shape(), ", ",
                        ctx.in(2).shape(), " and ", ctx.has(3) ? ctx.in(3).shape() : Shape{}, " do not fit together");
    }
    args.batch = full[0], args.q_heads = args.kv_heads = full[1];
    args.q_len = full[2], args.kv_len = full[3];
    OL_ASSIGN(const float* qf, floats_of(ctx, ctx.in(0)));
    OL_ASSIGN(const float* kf, floats_of(ctx, ctx.in(1)));
    OL_ASSIGN(const float* vf, floats_of(ctx, ctx.in(2)));
    args.q = q.heads(qf), args.k = k.heads(kf), args.v = v.heads(vf);
    // The softmax of nothing but minus infinity.
    if (args.kv_len > 0) args.unseeing = std::numeric_limits<float>::quiet_NaN();
    const int64_t sizes[4] = {full[0], full[1], full[2], v.dims[3]};
    const Shape swapped{sizes[0], sizes[2], sizes[1], sizes[3]};
    const Shape shape = y_token_major ? swapped : Shape(std::span(sizes + 4 - rank, static_cast<size_t>(rank)));
    OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, ctx.in(0).dtype(), shape));
    args.y = y_token_major ? heads_3d(y.data, full[2], sizes[3], full[1] * sizes[3])
                           : heads_4d(y.data, full[1], full[2], sizes[3]);
    OL_TRY(run_attention(ctx, args));
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"FusedAttention", 1, make<FusedAttention>},
};

}  // namespace

extern const OpTable kFusedAttentionOps{"onnxlet", kRows};

}  // namespace onnxlet
