// Attention in its forms, with caches that stay on the device, and RotaryEmbedding: attention.wgsl, tokens.wgsl.
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kMostValueSize = 256;  // elements that the 64 invocations of a group keep

// Where the elements of [batch, heads, tokens, size] are.
struct Heads {
  DeviceBufferPtr buffer;
  int64_t batch = 0, head = 0, token = 0, from = 0;

  Shape strides() const { return Shape{batch, head, token, from}; }
};
Heads heads_4d(DeviceBufferPtr buffer, int64_t heads, int64_t tokens, int64_t size) {
  return {std::move(buffer), heads * tokens * size, tokens * size, size};
}
Heads heads_3d(DeviceBufferPtr buffer, int64_t tokens, int64_t size, int64_t row, int64_t from = 0) {
  return {std::move(buffer), tokens * row, size, row, from};
}

struct Mask {
  DeviceBufferPtr buffer;
  DType dtype = DType::kFloat;
  Shape strides;
  int64_t length = 0;  // keys from there on are out
};

enum class Sink : uint8_t { kNone, kZero, kGiven };

struct AttentionCall {
  int64_t batch, heads, kv_heads, tokens, keys, size, v_size;
  Heads q{}, k{}, v{}, y{};
  float scale = 1, softcap = 0, unseeing = 0;
  int64_t offset = 0, left = -1, right = -1;
  std::optional<Mask> mask{};
  DeviceBufferPtr lengths{}, sinks{};  // null: none
  Sink sink = Sink::kNone;
};

void dispatch_attention(Context& ctx, const AttentionCall& c) {
  const int64_t rows = c.batch * c.heads * c.tokens;
  Uniforms u;
  u.u(rows).u(c.heads).u(c.heads / c.kv_heads).u(c.tokens).u(c.keys).u(c.size).u(c.v_size);
  u.u(c.mask ? c.mask->length : 0).u(c.offset).u(c.left).u(c.right).u(std::bit_cast<uint32_t>(c.unseeing));
  u.f(c.scale).f(c.softcap);
  for (const Heads* h : {&c.q, &c.k, &c.v, &c.y}) u.dims(h->strides(), 1);
  u.dims(c.mask ? c.mask->strides : Shape{}, 1);
  Shader shader("attention");
  std::vector<DeviceBufferPtr> buffers{c.q.buffer, c.k.buffer, c.v.buffer};
  if (c.mask) {
    shader.set("MASK", wgsl_type(c.mask->dtype));
    buffers.push_back(c.mask->buffer);
  }
  if (c.lengths != nullptr) {
    shader.set("LENGTHS", 1);
    buffers.push_back(c.lengths);
  }
  if (c.sink != Sink::kNone) shader.set("SINK", c.sink == Sink::kGiven ? "given" : "zero");
  if (c.sink == Sink::kGiven) buffers.push_back(c.sinks);
  buffers.push_back(c.y.buffer);
  ctx.dispatch(shader, buffers, u, groups_for(rows));
}

// A mask that broadcasts from the right to [batch, heads, tokens, keys]; its last axis may be shorter than the keys.
// None where it does not fit.
std::optional<Mask> mask_of(Context& ctx, int input, const AttentionCall& c, bool broadcast_last) {
  const Tensor& t = ctx.in(input);
  const Shape full{c.batch, c.heads, c.tokens, c.keys};
  if ((t.dtype() != DType::kFloat && t.dtype() != DType::kBool) || t.rank() < 1 || t.rank() > 4) return {};
  Mask m{nullptr, t.dtype(), Shape::filled(4, 0), c.keys};
  int64_t stride = 1;
  for (int i = t.rank() - 1, at = 3; i >= 0; --i, --at) {
    const int64_t d = t.dim(i);
    const bool last = at == 3, one = d == 1 && (!last || broadcast_last);
    if (d != full[at] && !one && (!last || d > full[at])) return {};
    m.strides[at] = one && full[at] != 1 ? 0 : stride;
    if (last && !one) m.length = d;
    stride *= d;
  }
  m.buffer = ctx.buffer(input);
  return m;
}

struct Rotation {
  DeviceBufferPtr cos, sin, positions;  // positions: int64, or null
  int64_t half = 0;
  bool interleaved = false, first_only = false;  // one position, of the first token
  int64_t apart = 0;                             // rows of the tables between two batch rows
};

// New tokens x behind the rows of a cache, rotated.
struct TokensCall {
  int64_t batch, heads, rows, size, tokens;
  Heads x{}, y{};
  const Rotation* rotation = nullptr;
  DeviceBufferPtr past{}, lengths{};  // null: none
  int64_t cached = 0, kept = 0;       // rows of a head in the cache; tokens before the new ones, where no lengths tell
  bool cache = false;                 // the rows begin with those tokens
};

void dispatch_tokens(Context& ctx, const TokensCall& c) {
  const int64_t count = c.batch * c.heads * c.rows * c.size;
  Uniforms u;
  u.u(count).u(c.heads).u(c.rows).u(c.size).u(c.tokens).u(c.cached).u(c.kept);
  u.u(c.rotation ? c.rotation->half : 0).u(c.rotation ? c.rotation->apart : 0);
  u.dims(c.x.strides(), 1).dims(c.y.strides(), 1);
  Shader shader("tokens");
  shader.set("CACHE", c.cache).set("PAST", c.past != nullptr).set("LENGTHS", c.lengths != nullptr);
  std::vector<DeviceBufferPtr> buffers{c.x.buffer};
  for (const DeviceBufferPtr& b : {c.past, c.lengths}) {
    if (b != nullptr) buffers.push_back(b);
  }
  if (c.rotation) {
    const Rotation& r = *c.rotation;
    shader.set("ROTARY", 1).set("INTERLEAVED", r.interleaved);
    buffers.push_back(r.cos);
    buffers.push_back(r.sin);
    if (r.positions != nullptr) {
      shader.set("POSITIONS", r.first_only ? "first" : "each");
      buffers.push_back(r.positions);
    }
  }
  buffers.push_back(c.y.buffer);
  ctx.dispatch(shader, buffers, u, count);
}

bool floats(const Context& ctx, std::initializer_list<int> inputs) {
  for (const int i : inputs) {
    if (ctx.has(i) && ctx.in(i).dtype() != DType::kFloat) return false;
  }
  return true;
}

// ---- what graph/fuse_attention.cc found ----

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

// ---- ai.onnx ----

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

  Result<Answer> run(Context& ctx) const override {
    const Tensor &q = ctx.in(0), &k = ctx.in(1), &v = ctx.in(2);
    const auto lq = layout(q, q_heads), lk = layout(k, kv_heads), lv = layout(v, kv_heads);
    if (!floats(ctx, {0, 1, 2, 4, 5}) || ctx.wants(3) || ctx.has(6) || ctx.has(4) != ctx.has(5) || !lq || !lk || !lv) {
      return Answer::kDeclined;
    }
    const Shape &sq = *lq, &sk = *lk, &sv = *lv;
    const int64_t batch = q.dim(0), past = ctx.has(4) && ctx.in(4).rank() == 4 ? ctx.in(4).dim(2) : 0;
    const int64_t total = past + sk[1];
    if (k.dim(0) != batch || v.dim(0) != batch || sk[0] != sv[0] || sk[1] != sv[1] || sq[2] != sk[2] || sk[0] < 1 ||
        sq[0] % sk[0] != 0 || sv[2] > kMostValueSize ||
        (ctx.has(4) && (!(ctx.in(4).shape() == Shape{batch, sk[0], past, sk[2]}) ||
                        !(ctx.in(5).shape() == Shape{batch, sv[0], past, sv[2]})))) {
      return Answer::kDeclined;
    }
    AttentionCall c{batch, sq[0], sk[0], sq[1], total, sq[2], sv[2]};
    if (ctx.has(3)) {
      c.mask = mask_of(ctx, 3, c, since < 24);
      if (!c.mask) return Answer::kDeclined;
    }
    const Shape shape = q.rank() == 4 ? Shape{batch, sq[0], sq[1], sv[2]} : Shape{batch, sq[1], sq[0] * sv[2]};
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, shape));
    c.q = view(ctx.buffer(0), sq, q.rank());
    OL_ASSIGN(c.k, cache(ctx, 1, sk, past));
    OL_ASSIGN(c.v, cache(ctx, 2, sv, past));
    c.y = view(std::move(out), Shape{sq[0], sq[1], sv[2]}, q.rank());
    c.scale = has_scale ? scale : 1 / std::sqrt(static_cast<float>(sq[2]));
    c.softcap = softcap;
    c.offset = past;
    c.left = left;
    c.right = causal ? 0 : right;
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }

  // Past and new tokens of input `i` one after the other, as output `i` when it is wanted.
  static Result<Heads> cache(Context& ctx, int i, const Shape& l, int64_t past) {
    const Tensor& now = ctx.in(i);
    Heads tokens = view(ctx.buffer(i), l, now.rank());
    if (!ctx.has(3 + i) && !ctx.wants(i)) return tokens;
    TokensCall c{now.dim(0), l[0], past + l[1], l[2], l[1]};
    OL_ASSIGN(DeviceBufferPtr present, ctx.out(i, DType::kFloat, Shape{c.batch, c.heads, c.rows, c.size}));
    c.x = std::move(tokens);
    c.y = heads_4d(std::move(present), c.heads, c.rows, c.size);
    if (past > 0) c.past = ctx.buffer(3 + i);
    c.cached = c.kept = past;
    c.cache = true;
    dispatch_tokens(ctx, c);
    return c.y;
  }
};

// ---- com.microsoft ----

struct GroupQueryAttention : Kernel {
  int64_t heads = 1, kv_heads = 1, window = -1;
  bool rotary = false, interleaved = false, smooth = false, causal = true, usual = true;
  float scale = 0, softcap = 0;

  bool takes_empty() const override { return true; }

  Status init(Attrs& a) {
    heads = a.i("num_heads");
    kv_heads = a.i("kv_num_heads");
    window = a.i("local_window_size", -1);
    rotary = a.i("do_rotary", 0) != 0;
    interleaved = a.i("rotary_interleaved", 0) != 0;
    smooth = a.i("smooth_softmax", 0) > 0;
    causal = a.i("causal", 1) != 0;
    scale = a.f("scale", 0);
    softcap = a.f("softcap", 0);
    usual = a.i("sliding_window_cache", 0) == 0 && a.s("k_quant_type", "NONE") == "NONE" &&
            a.s("v_quant_type", "NONE") == "NONE" && kv_heads > 0 && heads % kv_heads == 0;
    return {};
  }

  // Inputs after query, key, value, past_key, past_value, seqlens_k, total_sequence_length.
  enum Input { kCos = 7, kSin, kPositions, kBias, kSink, kKScale, kVScale, kQNorm, kKNorm, kQueryLengths };

  // Everything that the CPU's would refuse is its to refuse, and so is what is seldom asked for.
  bool fits(const Context& ctx) const {
    for (int i = kKScale; i <= kQueryLengths; ++i) {
      if (ctx.has(i)) return false;
    }
    const Tensor& query = ctx.in(0);
    const int64_t parts = ctx.has(1) ? heads : heads + 2 * kv_heads;
    if (!usual || ctx.wants(3) || !floats(ctx, {0, 1, 2, 3, 4, kCos, kSin, kBias, kSink}) || query.rank() != 3 ||
        query.size() == 0 || query.dim(2) % parts != 0 || ctx.has(1) != ctx.has(2) || ctx.has(3) != ctx.has(4) ||
        !ctx.is_here(5) || !ctx.is_here(6) || ctx.in(5).size() != query.dim(0) || ctx.in(6).size() != 1 ||
        (ctx.has(kPositions) && !ctx.is_here(kPositions)) || (ctx.has(kSink) && ctx.in(kSink).size() != heads)) {
      return false;
    }
    const int64_t size = query.dim(2) / parts;
    const Shape expected{query.dim(0), query.dim(1), kv_heads * size};
    if (ctx.has(1) && (!(ctx.in(1).shape() == expected) || !(ctx.in(2).shape() == expected))) return false;
    for (int i = 3; i <= 4 && ctx.has(i); ++i) {
      if (ctx.in(i).rank() != 4 || !(ctx.in(i).shape() == Shape{query.dim(0), kv_heads, ctx.in(3).dim(2), size})) {
        return false;
      }
    }
    return size <= kMostValueSize;
  }

  Result<Answer> run(Context& ctx) const override {
    if (!fits(ctx)) return Answer::kDeclined;
    const Tensor& query = ctx.in(0);
    const bool packed = !ctx.has(1);
    const int64_t batch = query.dim(0), tokens = query.dim(1), row = query.dim(2);
    const int64_t size = row / (packed ? heads + 2 * kv_heads : heads), cached = ctx.has(3) ? ctx.in(3).dim(2) : 0;
    const int64_t longest = ctx.in(6).data<int32_t>()[0];
    int64_t most = 0;  // positions that are used
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t total = ctx.in(5).data<int32_t>()[b] + int64_t{1};
      if (total < 1 || total > longest || total - std::min(tokens, total) > cached) return Answer::kDeclined;
      most = std::max(most, total);
    }
    Rotation rotation;
    if (rotary) {
      OL_ASSIGN(const bool fine, read_rotation(ctx, size, batch * tokens, most, &rotation));
      if (!fine) return Answer::kDeclined;
    }
    const int64_t rows = std::max(cached, longest);
    AttentionCall c{batch, heads, kv_heads, tokens, rows, size, size};
    if (ctx.has(kBias)) {
      c.mask = mask_of(ctx, kBias, c, true);
      if (!c.mask) return Answer::kDeclined;
    }
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, Shape{batch, tokens, heads * size}));
    c.lengths = ctx.buffer(5);
    const auto part = [&](int input, int64_t first) {
      return packed ? heads_3d(ctx.buffer(0), tokens, size, row, first * size)
                    : heads_3d(ctx.buffer(input), tokens, size, ctx.in(input).dim(2));
    };
    c.q = part(0, 0);
    if (rotary) {
      TokensCall t{batch, heads, tokens, size, tokens, c.q};
      t.y = heads_4d(ctx.scratch(static_cast<uint64_t>(batch * heads * tokens * size) * sizeof(float)), heads, tokens,
                     size);
      t.rotation = &rotation;
      t.lengths = c.lengths;
      dispatch_tokens(ctx, t);
      c.q = t.y;
    }
    for (const int i : {1, 2}) {
      TokensCall t{batch, kv_heads, rows, size, tokens, part(i, heads + (i - 1) * kv_heads)};
      OL_ASSIGN(DeviceBufferPtr present, ctx.out(i, DType::kFloat, Shape{batch, kv_heads, rows, size}));
      t.y = heads_4d(std::move(present), kv_heads, rows, size);
      if (cached > 0) t.past = ctx.buffer(2 + i);
      t.cached = cached;
      t.lengths = c.lengths;
      t.cache = true;
      if (rotary && i == 1) t.rotation = &rotation;
      dispatch_tokens(ctx, t);
      (i == 1 ? c.k : c.v) = t.y;
    }
    c.y = heads_3d(std::move(out), tokens, size, heads * size);
    c.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<float>(size));
    c.softcap = softcap;
    if (causal) c.right = 0;
    if (window > 0) c.left = window - 1;
    if (ctx.has(kSink)) c.sinks = ctx.buffer(kSink);
    c.sink = ctx.has(kSink) ? Sink::kGiven : smooth ? Sink::kZero : Sink::kNone;
    dispatch_attention(ctx, c);
    return Answer::kDone;
  }

  Result<bool> read_rotation(Context& ctx, int64_t size, int64_t count, int64_t most, Rotation* r) const {
    if (!ctx.has(kCos) || !ctx.has(kSin)) return false;
    const Tensor& cos = ctx.in(kCos);
    if (cos.rank() != 2 || !(cos.shape() == ctx.in(kSin).shape()) || 2 * cos.dim(1) > size || most > cos.dim(0)) {
      return false;
    }
    if (ctx.has(kPositions)) {
      const Tensor& positions = ctx.in(kPositions);
      if (positions.dtype() != DType::kInt64 || positions.size() != count) return false;
      for (const int64_t p : positions.values<int64_t>()) {
        if (p < 0 || p >= cos.dim(0)) return false;
      }
      r->positions = ctx.buffer(kPositions);
    }
    r->cos = ctx.buffer(kCos);
    r->sin = ctx.buffer(kSin);
    r->half = cos.dim(1);
    r->interleaved = interleaved;
    return true;
  }
};

template <bool kContrib>
struct RotaryEmbedding : Kernel {
  bool interleaved = false;
  int64_t heads = 0, dims = 0;

  Status init(Attrs& a) {
    interleaved = a.i("interleaved", 0) != 0;
    heads = a.i("num_heads", 0);
    dims = a.i("rotary_embedding_dim", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    constexpr int kCos = kContrib ? 2 : 1, kPositions = kContrib ? 1 : 3;
    const Tensor &x = ctx.in(0), &cos = ctx.in(kCos);
    if (!floats(ctx, {0, kCos, kCos + 1}) || cos.rank() < 2 || !(cos.shape() == ctx.in(kCos + 1).shape()) ||
        (x.rank() != 3 && x.rank() != 4)) {
      return Answer::kDeclined;
    }
    Rotation r{ctx.buffer(kCos), ctx.buffer(kCos + 1), nullptr, cos.shape().back(), interleaved};
    const bool four = x.rank() == 4;
    // Without num_heads a head is as long as the tables say.
    const int64_t size = four ? x.dim(3) : heads > 0 ? x.dim(2) / heads : 2 * r.half;
    const int64_t batch = x.dim(0), tokens = four ? x.dim(2) : x.dim(1);
    const int64_t n = four ? x.dim(1) : x.dim(2) / std::max<int64_t>(size, 1), turned = dims > 0 ? dims : size;
    if (turned != 2 * r.half || turned > size || x.size() != batch * n * tokens * size) return Answer::kDeclined;
    if (!ctx.has(kPositions)) {
      if (cos.size() != batch * tokens * r.half) return Answer::kDeclined;
      r.apart = tokens;
    } else {
      const Tensor& positions = ctx.in(kPositions);
      r.first_only = kContrib && positions.size() == 1 && batch * tokens != 1;
      if (!ctx.is_here(kPositions) || (!r.first_only && positions.size() != batch * tokens)) return Answer::kDeclined;
      const int64_t limit = cos.size() / r.half - (r.first_only ? tokens - 1 : 0);
      for (const int64_t p : positions.values<int64_t>()) {
        if (p < 0 || p >= limit) return Answer::kDeclined;
      }
      r.positions = ctx.buffer(kPositions);
    }
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, DType::kFloat, x.shape()));
    const auto view = [&](DeviceBufferPtr buffer) {
      return four ? heads_4d(std::move(buffer), n, tokens, size) : heads_3d(std::move(buffer), tokens, size, n * size);
    };
    TokensCall t{batch, n, tokens, size, tokens, view(ctx.buffer(0)), view(std::move(out))};
    t.rotation = &r;
    dispatch_tokens(ctx, t);
    return Answer::kDone;
  }
};

constexpr std::string_view kMicrosoft = "com.microsoft";

const Row kRows[] = {
    {"onnxlet", "FusedAttention", 1, make<FusedAttention>},
    {"", "Attention", 23, make<Attention>},
    {"", "RotaryEmbedding", 23, make<RotaryEmbedding<false>>},
    {kMicrosoft, "GroupQueryAttention", 1, make<GroupQueryAttention>},
    {kMicrosoft, "RotaryEmbedding", 1, make<RotaryEmbedding<true>>},
};

}  // namespace

Table attention_rows() { return kRows; }

}  // namespace onnxlet::gpu
