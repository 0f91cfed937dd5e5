#include "gpu/attention_parts.h"

#include <bit>

namespace onnxlet::gpu {

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
    shader.set("LENGTHS", c.all_tokens ? "all" : "1");
    buffers.push_back(c.lengths);
  }
  if (c.sink != Sink::kNone) shader.set("SINK", c.sink == Sink::kGiven ? "given" : "zero");
  if (c.sink == Sink::kGiven) buffers.push_back(c.sinks);
  buffers.push_back(c.y.buffer);
  ctx.dispatch(shader, buffers, u, groups_for(rows));
}

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

Result<Heads> cache(Context& ctx, int output, int past_input, Heads tokens, const Shape& sizes, int64_t past) {
  if (!ctx.has(past_input) && !ctx.wants(output)) return tokens;
  TokensCall c{sizes[0], sizes[1], past + sizes[2], sizes[3], sizes[2]};
  OL_ASSIGN(DeviceBufferPtr present, ctx.out(output, DType::kFloat, Shape{c.batch, c.heads, c.rows, c.size}));
  c.x = std::move(tokens);
  c.y = heads_4d(std::move(present), c.heads, c.rows, c.size);
  if (past > 0) c.past = ctx.buffer(past_input);
  c.cached = c.kept = past;
  c.cache = true;
  dispatch_tokens(ctx, c);
  return c.y;
}

bool floats(const Context& ctx, std::initializer_list<int> inputs) {
  for (const int i : inputs) {
    if (ctx.has(i) && ctx.in(i).dtype() != DType::kFloat) return false;
  }
  return true;
}

}  // namespace onnxlet::gpu
