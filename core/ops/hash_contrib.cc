// MurmurHash3 of com.microsoft: the 32-bit hash of every element's bytes (Appleby, MurmurHash3_x86_32).
#include <cstring>
#include <string>

#include "kernels/move.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

uint32_t scramble(uint32_t k) { return rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u; }

uint32_t murmur3(const uint8_t* data, size_t n, uint32_t seed) {
  uint32_t h = seed;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    uint32_t k;
    std::memcpy(&k, data + i, 4);
    h = rotate(h ^ scramble(k), 13) * 5 + 0xe6546b64u;
  }
  uint32_t tail = 0;
  for (size_t i = 0; i < n % 4; ++i) tail |= static_cast<uint32_t>(data[n - n % 4 + i]) << (8 * i);
  h ^= scramble(tail) ^ static_cast<uint32_t>(n);
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

struct MurmurHash3 : Op {
  uint32_t seed = 0;
  DType type = DType::kUint32;

  Status init(Attrs& a) {
    seed = static_cast<uint32_t>(a.i("seed", 0));
    type = a.i("positive", 1) != 0 ? DType::kUint32 : DType::kInt32;
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(Tensor * y, ctx.out(0, type, x.shape()));
    auto* out = static_cast<uint32_t*>(y->mutable_raw());
    for (int64_t i = 0; i < x.size(); ++i) {
      if (x.dtype() == DType::kString) {
        const std::string& s = x.data<std::string>()[i];
        out[i] = murmur3(reinterpret_cast<const uint8_t*>(s.data()), s.size(), seed);
      } else {
        out[i] = murmur3(static_cast<const uint8_t*>(element_at(x.dtype(), x.raw(), i)), element_size(x.dtype()), seed);
      }
    }
    return {};
  }
};

const OpRow kRows[] = {{"MurmurHash3", 1, make<MurmurHash3>}};

}  // namespace

extern const OpTable kHashContribOps{"com.microsoft", kRows};

}  // namespace onnxlet
