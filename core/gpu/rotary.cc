// RotaryEmbedding of either domain.
#include <algorithm>

#include "gpu/attention_parts.h"

namespace onnxlet::gpu {
namespace {

struct RotaryEmbedding : Kernel {
  bool contrib = false, interleaved = false;
  int64_t heads = 0, dims = 0;

  Status init(Attrs& a) {
    contrib = a.since_version() < 23;
    interleaved = a.i("interleaved", 0) != 0;
    heads = a.i("num_heads", 0);
    dims = a.i("rotary_embedding_dim", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const int cosines = contrib ? 2 : 1, places = contrib ? 1 : 3;
    const Tensor &x = ctx.in(0), &cos = ctx.in(cosines);
    if (!floats(ctx, {0, cosines, cosines + 1}) || cos.rank() < 2 || !(cos.shape() == ctx.in(cosines + 1).shape()) ||
        (x.rank() != 3 && x.rank() != 4)) {
      return Answer::kDeclined;
    }
    Rotation r{ctx.buffer(cosines), ctx.buffer(cosines + 1), nullptr, cos.shape().back(), interleaved};
    const bool four = x.rank() == 4;
    // Without num_heads a head is as long as the tables say.
    const int64_t size = four ? x.dim(3) : heads > 0 ? x.dim(2) / heads : 2 * r.half;
    const int64_t batch = x.dim(0), tokens = four ? x.dim(2) : x.dim(1);
    const int64_t n = four ? x.dim(1) : x.dim(2) / std::max<int64_t>(size, 1), turned = dims > 0 ? dims : size;
    if (turned != 2 * r.half || turned > size || x.size() != batch * n * tokens * size) return Answer::kDeclined;
    if (!ctx.has(places)) {
      if (cos.size() != batch * tokens * r.half) return Answer::kDeclined;
      r.apart = tokens;
    } else {
      const Tensor& positions = ctx.in(places);
      r.first_only = contrib && positions.size() == 1 && batch * tokens != 1;
      if (!ctx.is_here(places) || (!r.first_only && positions.size() != batch * tokens)) return Answer::kDeclined;
      const int64_t limit = cos.size() / r.half - (r.first_only ? tokens - 1 : 0);
      for (const int64_t p : positions.values<int64_t>()) {
        if (p < 0 || p >= limit) return Answer::kDeclined;
      }
      r.positions = ctx.buffer(places);
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

const Row kRows[] = {
    {"", "RotaryEmbedding", 23, make<RotaryEmbedding>},
    {"com.microsoft", "RotaryEmbedding", 1, make<RotaryEmbedding>},
};

}  // namespace

Table rotary_rows() { return kRows; }

}  // namespace onnxlet::gpu
