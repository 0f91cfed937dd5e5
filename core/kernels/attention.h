// softmax(scale * Q K^T + bias) V over many heads, in float.
#pragma once

#include <cstdint>

#include "base/level.h"

namespace onnxlet {

// Element (b, h, s, d) is data[b * batch + h * head + s * row + d].
template <class T>
struct Heads {
  T* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;
  T* at(int64_t b, int64_t h, int64_t s) const { return data + b * batch + h * head + s * row; }
};

struct AttentionArgs {
  int64_t batch = 0, q_heads = 0, kv_heads = 0, q_len = 0, kv_len = 0, head_size = 0, v_head_size = 0;
  Heads<const float> q, k, v;  // query head h uses key/value head h / (q_heads / kv_heads)
  Heads<float> y;
  float scale = 1, softcap = 0;
  // Added to the scores; a missing mask is null. Element (b, h, i, j) is at the strides; keys from mask_len on are out.
  const float* mask = nullptr;
  int64_t mask_batch = 0, mask_head = 0, mask_row = 0, mask_column = 0, mask_len = 0;
  // Query i of batch b stands at position i + offset[b] (offset null: 0) and sees the keys from position - left to
  // position + right; -1 leaves a side open. Causal is right == 0. Keys from lengths[b] on are out.
  const int64_t* offsets = nullptr;
  const int64_t* lengths = nullptr;
  int64_t left = -1, right = -1;
  // What a query that sees no key gives.
  float unseeing = 0;
  // One more logit per query head that takes probability but has no value.
  const float* sinks = nullptr;
  // What the scores were at one stage, [batch, q_heads, q_len, kv_len]; null when not wanted.
  enum class Stage : uint8_t { kProduct, kCapped, kMasked, kSoftmax } stage = Stage::kProduct;
  float* scores = nullptr;
};

// Rotary position embedding. Row (b, s) uses row rows[b * seq + s] (rows null: b * seq + s) of the tables, each
// dims / 2 long. Elements beyond `dims` are copied.
struct RotaryArgs {
  int64_t batch, heads, seq, head_size, dims;
  bool interleaved;
  const float *cos, *sin;
  const int64_t* rows;
  Heads<const float> x;
  Heads<float> y;  // may be x
};

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

int64_t attention_scratch(const AttentionArgs& args);  // in floats
void attention(const AttentionArgs& args, float* scratch);

void rotary_embedding(const RotaryArgs& args);

}  // namespace onnxlet::inline ONNXLET_LEVEL
