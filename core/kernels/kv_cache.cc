#include "kernels/kv_cache.h"

#include <algorithm>
#include <cmath>

#include "kernels/convert_rows.h"

namespace onnxlet {
namespace {

// NaN becomes the lowest number.
int quantized(float x, int lo, int hi) {
  const float q = std::nearbyint(x);
  return q > static_cast<float>(lo) ? static_cast<int>(std::min(q, static_cast<float>(hi))) : lo;
}

}  // namespace

void cache_encode(const CacheFormat& f, int64_t head, const float* x, void* row) {
  if (f.scale == nullptr) return from_floats(f.type, x, f.size, row);
  const float* scale = f.scale_of(head);
  const int64_t step = f.per_channel ? 1 : 0;
  if (f.halved()) {
    auto* y = static_cast<uint8_t*>(row);
    std::fill_n(y, f.stored_size(), uint8_t{0});
    for (int64_t i = 0; i < f.size; ++i) {
      y[i / 2] = static_cast<uint8_t>(y[i / 2] | (quantized(x[i] / scale[i * step], -8, 7) + 8) << (i % 2 * 4));
    }
  } else if (f.type == DType::kInt8) {
    auto* y = static_cast<int8_t*>(row);
    for (int64_t i = 0; i < f.size; ++i) y[i] = static_cast<int8_t>(quantized(x[i] / scale[i * step], -128, 127));
  } else {
    const auto width = static_cast<int64_t>(element_size(f.type));
    for (int64_t i = 0; i < f.size; ++i) {
      const float v = x[i] / scale[i * step];
      from_floats(f.type, &v, 1, static_cast<char*>(row) + i * width);
    }
  }
}

void cache_decode(const CacheFormat& f, int64_t head, const void* rows, int64_t count, float* y) {
  const int64_t n = count * f.size;
  if (f.halved()) {
    const auto* x = static_cast<const uint8_t*>(rows);
    for (int64_t r = 0; r < count; ++r, x += f.stored_size()) {
      for (int64_t i = 0; i < f.size; ++i) {
        y[r * f.size + i] = static_cast<float>((i % 2 == 0 ? x[i / 2] & 15 : x[i / 2] >> 4) - 8);
      }
    }
  } else {
    to_floats(f.type, rows, n, y);
  }
  if (f.scale == nullptr) return;
  const float* scale = f.scale_of(head);
  if (!f.per_channel) {
    for (int64_t i = 0; i < n; ++i) y[i] *= *scale;
    return;
  }
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t i = 0; i < f.size; ++i) y[r * f.size + i] *= scale[i];
  }
}

}  // namespace onnxlet
