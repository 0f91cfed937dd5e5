// Attention by blocks against its definition in double.
#include "kernels/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.h"
#include "tests/random.h"

namespace onnxlet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Setup {
  int64_t q_len = 1, kv_len = 1, size = 8, v_size = 8, group = 1;
  int64_t left = -1, right = -1, offset = 0, length = -1;
  float softcap = 0;
  bool mask = false, sinks = false;
};

struct Problem {
  static constexpr int64_t kBatch = 2, kKvHeads = 2;
  Setup s;
  int64_t heads;
  std::vector<float> q, k, v, mask, sinks, y, scores;
  std::vector<int64_t> offsets, lengths;

  explicit Problem(const Setup& setup) : s(setup), heads(kKvHeads * setup.group) {
    Random r;
    q = r.fill(kBatch * heads * s.q_len * s.size);
    k = r.fill(kBatch * kKvHeads * s.kv_len * s.size);
    v = r.fill(kBatch * kKvHeads * s.kv_len * s.v_size);
    sinks = r.fill(heads);
    mask = r.fill(kBatch * s.q_len * s.kv_len);
    for (size_t i = 0; i < mask.size(); i += 3) mask[i] = -std::numeric_limits<float>::infinity();
    offsets.assign(kBatch, s.offset);
    lengths.assign(kBatch, s.length < 0 ? s.kv_len : s.length);
    y.assign(static_cast<size_t>(kBatch * heads * s.q_len * s.v_size) + 8, 777);
    scores.assign(static_cast<size_t>(kBatch * heads * s.q_len * s.kv_len), 777);
  }
  AttentionArgs args() {
    AttentionArgs a;
    a.batch = kBatch, a.q_heads = heads, a.kv_heads = kKvHeads, a.q_len = s.q_len, a.kv_len = s.kv_len;
    a.head_size = s.size, a.v_head_size = s.v_size;
    a.q = {q.data(), heads * s.q_len * s.size, s.q_len * s.size, s.size};
    a.k = {k.data(), kKvHeads * s.kv_len * s.size, s.kv_len * s.size, s.size};
    a.v = {v.data(), kKvHeads * s.kv_len * s.v_size, s.kv_len * s.v_size, s.v_size};
    a.y = {y.data(), heads * s.q_len * s.v_size, s.v_size, heads * s.v_size};
    a.scale = 0.3f, a.softcap = s.softcap, a.left = s.left, a.right = s.right;
    a.offsets = offsets.data(), a.lengths = lengths.data();
    if (s.mask) {
      a.mask = mask.data(), a.mask_batch = s.q_len * s.kv_len, a.mask_row = s.kv_len, a.mask_column = 1;
      a.mask_len = s.kv_len;
    }
    if (s.sinks) a.sinks = sinks.data();
    return a;
  }
  // The scores of query (b, h, i) after masks.
  std::vector<double> masked(int64_t b, int64_t h, int64_t i) const {
    std::vector<double> x;
    const int64_t kv = b * kKvHeads + h / s.group;
    for (int64_t j = 0; j < s.kv_len; ++j) {
      double dot = 0;
      for (int64_t e = 0; e < s.size; ++e) {
        dot += static_cast<double>(q[static_cast<size_t>(((b * heads + h) * s.q_len + i) * s.size + e)]) *
               static_cast<double>(k[static_cast<size_t>((kv * s.kv_len + j) * s.size + e)]);
      }
      dot *= 0.3;
      if (s.softcap > 0) dot = s.softcap * std::tanh(dot / s.softcap);
      if (s.mask) dot += static_cast<double>(mask[static_cast<size_t>((b * s.q_len + i) * s.kv_len + j)]);
      const int64_t at = i + s.offset;
      const bool seen = j < lengths[0] && (s.left < 0 || j >= at - s.left) && (s.right < 0 || j <= at + s.right);
      x.push_back(seen ? dot : -kInf);
    }
    return x;
  }
  std::vector<double> weights(int64_t b, int64_t h, int64_t i) const {
    std::vector<double> x = masked(b, h, i);
    double sum = s.sinks ? std::exp(static_cast<double>(sinks[static_cast<size_t>(h)])) : 0;
    for (double& e : x) sum += e = std::exp(e);
    for (double& e : x) e = sum == 0 ? 0 : e / sum;
    return x;
  }
  void check() {
    AttentionArgs a = args();
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(a)));
    attention(a, scratch.data());
    for (int64_t b = 0; b < kBatch; ++b) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t i = 0; i < s.q_len; ++i) check_row(b, h, i);
      }
    }
    for (size_t i = 0; i < 8; ++i) CHECK_EQ(y[y.size() - 1 - i], 777.0f);
  }
  void check_row(int64_t b, int64_t h, int64_t i) {
    const std::vector<double> p = weights(b, h, i);
    for (int64_t e = 0; e < s.v_size; ++e) {
      double sum = 0;
      for (int64_t j = 0; j < s.kv_len; ++j) {
        sum +=
            p[static_cast<size_t>(j)] *
            static_cast<double>(v[static_cast<size_t>(((b * kKvHeads + h / s.group) * s.kv_len + j) * s.v_size + e)]);
      }
      CHECK_NEAR(y[static_cast<size_t>(((b * s.q_len + i) * heads + h) * s.v_size + e)], sum, 1e-5);
    }
  }
};

TEST(attention_of_awkward_sizes) {
  for (const int64_t size : {1, 31, 33, 64, 80, 128}) {
    for (const int64_t q_len : {1, 2, 5, 33}) {
      for (const int64_t kv_len : {1, 2, 127, 200, 257}) {
        Setup s;
        s.q_len = q_len, s.kv_len = kv_len, s.size = size, s.v_size = size == 64 ? 20 : size;
        s.group = size == 33 ? 3 : 1;
        s.offset = kv_len - q_len, s.right = q_len == 2 ? -1 : 0;
        Problem(s).check();
      }
    }
  }
}

TEST(attention_with_windows_caps_masks_and_sinks) {
  for (int bits = 0; bits < 32; ++bits) {
    for (const int64_t q_len : {1, 3, 40}) {
      Setup s;
      s.q_len = q_len, s.kv_len = 300, s.size = 24, s.v_size = 12, s.group = 2;
      s.left = (bits & 1) != 0 ? 17 : -1;
      s.right = (bits & 2) != 0 ? 0 : 150;
      s.offset = (bits & 1) != 0 ? 230 : 200;
      s.softcap = (bits & 4) != 0 ? 0.5f : 0;
      s.mask = (bits & 8) != 0;
      s.sinks = (bits & 16) != 0;
      s.length = (bits & 4) != 0 ? 250 : -1;
      Problem(s).check();
    }
  }
}

TEST(attention_gives_its_scores_at_every_stage) {
  for (const int64_t q_len : {2, 9}) {
    Setup s;
    s.q_len = q_len, s.kv_len = 140, s.size = 9, s.v_size = 5, s.left = 130, s.right = 0, s.offset = 131, s.mask = true;
    Problem p(s);
    AttentionArgs a = p.args();
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(a)));
    a.scores = p.scores.data();
    for (const auto stage : {AttentionArgs::Stage::kMasked, AttentionArgs::Stage::kSoftmax}) {
      a.stage = stage;
      attention(a, scratch.data());
      for (int64_t i = 0; i < q_len; ++i) {
        const std::vector<double> expected =
            stage == AttentionArgs::Stage::kMasked ? p.masked(1, 1, i) : p.weights(1, 1, i);
        for (int64_t j = 0; j < s.kv_len; ++j) {
          const float x = p.scores[static_cast<size_t>((3 * q_len + i) * s.kv_len + j)];
          const double y = expected[static_cast<size_t>(j)];
          if (y == -kInf) {
            CHECK_EQ(static_cast<double>(x), y);
          } else {
            CHECK_NEAR(x, y, 1e-5);
          }
        }
        p.check_row(1, 1, i);
      }
    }
  }
}

TEST(attention_of_nothing_seen_and_of_numbers_that_are_not_finite) {
  for (const int64_t q_len : {1, 6}) {
    Setup s;
    s.q_len = q_len, s.kv_len = 200, s.mask = true;
    Problem p(s);
    std::fill(p.mask.begin(), p.mask.end(), -std::numeric_limits<float>::infinity());
    p.mask[static_cast<size_t>(q_len * s.kv_len) + 190] = 0;  // of batch 1, query 0: one late key
    p.check();
    CHECK_EQ(p.y[0], 0.0f);
    p.k[0] = std::numeric_limits<float>::quiet_NaN();  // batch 0, head 0, key 0
    AttentionArgs a = p.args();
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(a)));
    attention(a, scratch.data());
    CHECK_EQ(p.y[0], 0.0f);
    p.mask[0] = 0;
    attention(a, scratch.data());
    CHECK(std::isnan(p.y[0]));
    CHECK_EQ(p.y[8], p.v[static_cast<size_t>(s.kv_len * 8)]);  // head 1 sees but key 0
    const std::vector<int64_t> none(2, 0);
    a.lengths = none.data();
    attention(a, scratch.data());
    CHECK_EQ(p.y[0], 0.0f);
  }
}

}  // namespace
}  // namespace onnxlet
