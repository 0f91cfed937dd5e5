// What operators with attention are made of: attention.wgsl, tokens.wgsl.
#pragma once

#include <initializer_list>
#include <optional>

#include "gpu/parts.h"

namespace onnxlet::gpu {

inline constexpr int64_t kMostValueSize = 256;  // elements that the 64 invocations of a group keep

// Where the elements of [batch, heads, tokens, size] are.
struct Heads {
  DeviceBufferPtr buffer;
  int64_t batch = 0, head = 0, token = 0, from = 0;

  Shape strides() const { return Shape{batch, head, token, from}; }
};
inline Heads heads_4d(DeviceBufferPtr buffer, int64_t heads, int64_t tokens, int64_t size) {
  return {std::move(buffer), heads * tokens * size, tokens * size, size};
}
inline Heads heads_3d(DeviceBufferPtr buffer, int64_t tokens, int64_t size, int64_t row, int64_t from = 0) {
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
  bool all_tokens = false;             // lengths count them all, not the last one's predecessors
  Sink sink = Sink::kNone;
};

void dispatch_attention(Context& ctx, const AttentionCall& c);

// A mask that broadcasts from the right to [batch, heads, tokens, keys]; its last axis may be shorter than the keys.
// None where it does not fit.
std::optional<Mask> mask_of(Context& ctx, int input, const AttentionCall& c, bool broadcast_last);

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

void dispatch_tokens(Context& ctx, const TokensCall& c);

// The `past` tokens of input `past_input` and new ones, [batch, heads, tokens, size], one after the other, as an output
// when it is wanted.
Result<Heads> cache(Context& ctx, int output, int past_input, Heads tokens, const Shape& sizes, int64_t past);

// Whether those of these inputs that are given are of float32.
bool floats(const Context& ctx, std::initializer_list<int> inputs);

}  // namespace onnxlet::gpu
