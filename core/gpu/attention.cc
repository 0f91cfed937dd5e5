// Attention of ai.onnx, and what graph/fuse_attention.cc has found.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/attention_parts.h"

namespace onnxlet::gpu {
namespace {

// An operand seen as [batch, heads, tokens, size]; axes of length 1 that another operand is longer on have stride 0.
struct Seen {
  Shape dims = Shape::filled(4, 1), strides = Shape::filled(4, 0);

  Seen(const Shape& s, bool token_major) {
    for (int i = 0; i < s.rank(); ++i) dims[4 - s.rank() + i] = s[i];
    if (token_major) std::swap(dims[1], dims[2]);
    int64_t step = 1;
    for (const int axis : {3, token_major ? 1 : 2, token_major ? 2 : 1, 0}) {
      strides[axis] = dims[axis] == 1 ? 0 : step;
      step *= dims[axis];
    }
  }
  Heads heads(DeviceBufferPtr buffer) const { return {std::move(buffer), strides[0], strides[1], strides[2]}; }
};

struct FusedAttention : Kernel {
  float scale = 1;
  bool token_major[4] = {}, y_token_major = false;

  Status init(Attrs& a) {
    scale = a.f("scale", 1);
    token_major[0] = a.i("q_token_major", 0) != 0;
    token_major[1] = a.i("k_token_major", 0) != 0;
    token_major[2] = a.i("v_token_major", 0) != 0;
    y_token_major = a.i("y_token_major", 0) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    int rank = 0;
    for (int i = 0; i < 4 && floats(ctx, {i}); ++i) {
      const int r = ctx.has(i) ? ctx.in(i).rank() : 0;
      if (r > 4 || (i < 3 && (r < 2 || (token_major[i] && r != 4)))) return Answer::kDeclined;
      rank = std::max(rank, r);
    }
    if (!floats(ctx, {0, 1, 2, 3})) return Answer::kDeclined;
    const Seen q(ctx.in(0).shape(), token_major[0]), k(ctx.in(1).shape(), token_major[1]),
        v(ctx.in(2).shape(), token_major[2]), mask(ctx.has(3) ? ctx.in(3).shape() : Shape{}, false);
    Shape full{1, 1, q.dims[2], k.dims[2]};  // of the scores
    for (const Seen* o : {&q, &k, &v, &mask}) {
      for (int axis = 0; axis < (o == &mask ? 4 : 2); ++axis) {
        const int64_t d = o->dims[axis];
        if (d != 1 && full[axis] != 1 && d != full[axis]) return Answer::kDeclined;
        if (d != 1) full[axis] = d;
      }
    }
    if (q.dims[3] != k.dims[3] || v.dims[2] != full[3] || v.dims[3] > kMostValueSize) return Answer::kDeclined;
    const Shape sizes{full[0], full[1], full[2], v.dims[3]};
    const Shape shape = y_token_major ? Shape{sizes[0], sizes[2], sizes[1], sizes[3]}
                                      : Shape(sizes.dims().subspan(static_cast<size_t>(4 - rank)));
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    AttentionCall c{full[0], full[1], full[1], full[2], full[3], q.dims[3], v.dims[3]};
    c.q = q.heads(ctx.buffer(0));
    c.k = k.heads(ctx.buffer(1));
    c.v = v.heads(ctx.buffer(2));
    c.y = y_token_major ? heads_3d(std::move(out), full[2], sizes[3], full[1] * sizes[3])
                        : heads_4d(std::move(out), full[1], full[2], sizes[3]);
    c.scale = scale;
    c.unseeing = std::numeric_limits<float>::quiet_NaN();  // the softmax of nothing but minus infinity
    if (ctx.has(3)) c.mask = Mask{ctx.buffer(3), DType::kFloat, mask.strides, full[3]};
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }
};

struct Attention : Kernel {
  int since = 23;
  bool has_scale = false, causal = false;
  float scale = 0, softcap = 0;
  int64_t q_heads = 0, kv_heads = 0, left = -1, right = -1;

  Status init(Attrs& a) {
    since = a.since_version();
    has_scale = a.has("scale");
    scale = a.f("scale", 0);
    softcap = a.f("softcap", 0);
    causal = a.i("is_causal", 0) != 0;
    q_heads = a.i("q_num_heads", 0);
    kv_heads = a.i("kv_num_heads", 0);
    left = a.i("left_window_size", -1);
    right = a.i("right_window_size", -1);
    return {};
  }

  // Heads, tokens and size of a head.
  static std::optional<Shape> layout(const Tensor& t, int64_t heads) {
    if (t.rank() == 4) return Shape{t.dim(1), t.dim(2), t.dim(3)};
    if (t.rank() != 3 || heads < 1 || t.dim(2) % heads != 0) return {};
    return Shape{heads, t.dim(1), t.dim(2) / heads};
  }
  static Heads view(DeviceBufferPtr buffer, const Shape& l, int rank) {
    return rank == 4 ? heads_4d(std::move(buffer), l[0], l[1], l[2])
                     : heads_3d(std::move(buffer), l[1], l[2], l[0] * l[2]);
  }

  static Result<DeviceBufferPtr> lengths(Context& ctx, int input) {
    OL_ASSIGN(const auto given, to_ints(ctx.in(input), "nonpad_kv_seqlen"));
    OL_ASSIGN(Tensor table, Tensor::allocate(ctx.pool(), DType::kInt32, Shape{static_cast<int64_t>(given.size())}));
    std::transform(given.begin(), given.end(), table.mutable_data<int32_t>(), [](int64_t length) {
      return static_cast<int32_t>(std::clamp<int64_t>(length, INT32_MIN / 2, INT32_MAX / 2));
    });
    return ctx.upload(std::move(table));
  }

  Result<Answer> run(Context& ctx) const override {
    const Tensor &q = ctx.in(0), &k = ctx.in(1), &v = ctx.in(2);
    const auto lq = layout(q, q_heads), lk = layout(k, kv_heads), lv = layout(v, kv_heads);
    if (!floats(ctx, {0, 1, 2, 4, 5}) || ctx.wants(3) || ctx.has(4) != ctx.has(5) || !lq || !lk || !lv) {
      return Answer::kDeclined;
    }
    const Shape &sq = *lq, &sk = *lk, &sv = *lv;
    const int64_t batch = q.dim(0), past = ctx.has(4) && ctx.in(4).rank() == 4 ? ctx.in(4).dim(2) : 0;
    const int64_t total = past + sk[1];
    if (k.dim(0) != batch || v.dim(0) != batch || sk[0] != sv[0] || sk[1] != sv[1] || sq[2] != sk[2] || sk[0] < 1 ||
        sq[0] % sk[0] != 0 || sv[2] > kMostValueSize ||
        (ctx.has(4) &&
         (!has_shape(ctx.in(4), {batch, sk[0], past, sk[2]}) || !has_shape(ctx.in(5), {batch, sv[0], past, sv[2]})))) {
      return Answer::kDeclined;
    }
    AttentionCall c{batch, sq[0], sk[0], sq[1], total, sq[2], sv[2]};
    if (ctx.has(3)) {
      c.mask = mask_of(ctx, 3, c, since < 24);
      if (!c.mask) return Answer::kDeclined;
    }
    if (ctx.has(6)) {
      if (ctx.has(4) || !ctx.is_here(6) || ctx.in(6).size() != batch) return Answer::kDeclined;
      OL_ASSIGN(c.lengths, lengths(ctx, 6));
      c.all_tokens = true;
    }
    const Shape shape = q.rank() == 4 ? Shape{batch, sq[0], sq[1], sv[2]} : Shape{batch, sq[1], sq[0] * sv[2]};
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    c.q = view(ctx.buffer(0), sq, q.rank());
    OL_ASSIGN(c.k, cache(ctx, 1, 4, view(ctx.buffer(1), sk, k.rank()), {batch, sk[0], sk[1], sk[2]}, past));
    OL_ASSIGN(c.v, cache(ctx, 2, 5, view(ctx.buffer(2), sv, v.rank()), {batch, sv[0], sv[1], sv[2]}, past));
    c.y = view(std::move(out), Shape{sq[0], sq[1], sv[2]}, q.rank());
    c.scale = has_scale ? scale : 1 / std::sqrt(static_cast<float>(sq[2]));
    c.softcap = softcap;
    c.offset = past;
    c.left = left;
    c.right = causal ? 0 : right;
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"onnxlet", "FusedAttention", 1, make<FusedAttention>},
    {"", "Attention", 23, make<Attention>},
};

}  // namespace

Table attention_rows() { return kRows; }

}  // namespace onnxlet::gpu
