#include "kernels/quantize.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/visit.h"
#include "kernels/convert.h"
#include "kernels/unary_map.h"

namespace onnxlet {
namespace {

using simd::F32;

// A stretch of elements that share one scale, or have one each, side by side.
struct Run {
  int64_t at, n, scale_at;
  bool scale_each;
};

int64_t run_count(const ScaleLayout& l) {
  const bool each = l.inner_step != 0 && l.inner > 1;
  return each ? l.outer * l.axis : l.outer * ((l.axis + l.block - 1) / l.block);
}

Run run_at(const ScaleLayout& l, int64_t index) {
  if (l.inner_step != 0 && l.inner > 1) {
    const int64_t o = index / l.axis, a = index % l.axis;
    return {index * l.inner, l.inner, o * l.outer_step + a / l.block * l.axis_step, true};
  }
  const int64_t blocks = (l.axis + l.block - 1) / l.block;
  const int64_t o = index / blocks, b = index % blocks;
  const int64_t length = std::min(l.block, l.axis - b * l.block);
  return {(o * l.axis + b * l.block) * l.inner, length * l.inner, o * l.outer_step + b * l.axis_step, false};
}

// Calls body for every run in pieces of at most kFloatChunk elements; large runs are shared between threads too.
template <class Body>
void for_each_piece(const ScaleLayout& l, Body body) {
  const int64_t runs = run_count(l);
  const int64_t n = l.outer * l.axis * l.inner;
  if (n == 0) return;
  const int64_t longest = run_at(l, 0).n;
  const auto pieces = [&](const Run& run, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i += kFloatChunk) {
      body(Run{run.at + i, std::min(kFloatChunk, to - i), run.scale_at + (run.scale_each ? i : 0), run.scale_each});
    }
  };
  constexpr int64_t kGrain = 8192;
  if (longest <= kGrain) {
    parallel_for(runs, std::max<int64_t>(1, kGrain / longest), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const Run run = run_at(l, r);
        pieces(run, 0, run.n);
      }
    });
    return;
  }
  for (int64_t r = 0; r < runs; ++r) {
    const Run run = run_at(l, r);
    parallel_for(run.n, kGrain, [&](int64_t begin, int64_t end) { pieces(run, begin, end); });
  }
}

// Scales or zero points of one piece as floats: one, or as many as the piece has elements.
const float* load_parameters(ConstView p, const Run& run, float* buffer) {
  const auto size = static_cast<int64_t>(element_size(p.dtype));
  const char* from = p.as<char>() + run.scale_at * size;
  if (p.dtype == DType::kFloat) return reinterpret_cast<const float*>(from);
  cast_elements(p.dtype, from, DType::kFloat, buffer, run.scale_each ? run.n : 1, {});
  return buffer;
}

struct IntegerRange {
  int32_t low, high;
};
bool integer_range(DType t, IntegerRange* range) {
  return try_visit<Types<int8_t, uint8_t, int16_t, uint16_t, int32_t>, SubByteInts>(t, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      *range = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    } else {
      *range = {T::kMin, T::kMax};
    }
  });
}

// The low bits of n integers; sub-byte kinds stand alone in bytes.
void store_integers(const int32_t* from, DType type, void* to, int64_t n) {
  if (element_size(type) == 2) {
    auto* y = static_cast<uint16_t*>(to);
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<uint16_t>(from[i]);
    return;
  }
  const int32_t mask = (1 << dtype_bits(type)) - 1;
  auto* y = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<uint8_t>(from[i] & mask);
}

template <class T>
void widen(const void* from, int32_t* to, int64_t n) {
  const T* x = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int32_t>(x[i]);
}
void load_integers(DType type, const void* from, int32_t* to, int64_t n) {
  switch (type) {
    case DType::kUint8:
      return widen<uint8_t>(from, to, n);
    case DType::kInt8:
      return widen<int8_t>(from, to, n);
    case DType::kInt32:
      return widen<int32_t>(from, to, n);
    default:
      return cast_elements(type, from, DType::kInt32, to, n, {});
  }
}

// round(q) + zero point, clamped. NaN gives the lower end.
void round_and_clamp(const float* q, const float* zero, bool zero_each, IntegerRange range, int32_t* y, int64_t n) {
  const F32 low = F32::splat(static_cast<float>(range.low)), high = F32::splat(static_cast<float>(range.high));
  for (int64_t i = 0; i < n; i += F32::kLanes) {
    const F32 z = zero_each ? F32::load(zero + i) : F32::splat(*zero);
    const F32::Int v = to_int(min(max(nearest(F32::load(q + i)) + z, low), high));
    std::memcpy(y + i, &v.v, sizeof(v.v));
  }
}

void divide(float* x, const float* scale, bool scale_each, int64_t n) {
  if (scale_each) {
    for (int64_t i = 0; i < n; ++i) x[i] /= scale[i];
  } else {
    const float s = *scale;
    for (int64_t i = 0; i < n; ++i) x[i] /= s;
  }
}

void round_to(DType precision, float* x, int64_t n) {
  if (precision != DType::kFloat16 && precision != DType::kBFloat16) return;
  uint16_t narrow[kFloatChunk];
  from_float(x, precision, narrow, n);
  to_float(precision, narrow, x, n);
}

}  // namespace

ScaleLayout scale_per_tensor(int64_t size) {
  ScaleLayout l;
  l.inner = size;
  return l;
}

ScaleLayout scale_per_axis(const Rows& rows) {
  ScaleLayout l;
  l.outer = rows.outer;
  if (rows.inner == 1) {  // one scale per neighbour: seen as rows of `n` scales
    l.inner = rows.n;
    l.inner_step = 1;
  } else {
    l.axis = rows.n;
    l.inner = rows.inner;
    l.axis_step = 1;
  }
  return l;
}

ScaleLayout scale_blocked(const Rows& rows, int64_t block) {
  ScaleLayout l;
  l.outer = rows.outer;
  l.axis = rows.n;
  l.inner = rows.inner;
  l.block = block;
  l.inner_step = 1;
  l.axis_step = rows.inner;
  l.outer_step = (rows.n + block - 1) / block * rows.inner;
  return l;
}

void quantize(ConstView x, ConstView scale, ConstView zero_point, const ScaleLayout& layout, DType precision,
              bool saturate, View y) {
  IntegerRange range{0, 0};
  const bool integer = integer_range(y.dtype, &range);
  const auto x_size = static_cast<int64_t>(element_size(x.dtype)), y_size = static_cast<int64_t>(element_size(y.dtype));
  for_each_piece(layout, [&](const Run& run) {
    alignas(16) float q[kFloatChunk + F32::kLanes];
    float scales[kFloatChunk], zeros[kFloatChunk + F32::kLanes];
    cast_elements(x.dtype, x.as<char>() + run.at * x_size, DType::kFloat, q, run.n, {});
    const float* divisors = load_parameters(scale, run, scales);
    if (x.dtype != precision) round_to(precision, q, run.n);
    if (scale.dtype != precision) {
      const int64_t count = run.scale_each ? run.n : 1;
      if (divisors != scales) std::copy_n(divisors, count, scales);
      round_to(precision, scales, count);
      divisors = scales;
    }
    divide(q, divisors, run.scale_each, run.n);
    round_to(precision, q, run.n);
    zeros[0] = 0;
    const bool zero_each = run.scale_each && zero_point.data != nullptr;
    if (zero_point.data != nullptr) load_parameters(zero_point, run, zeros);
    char* to = y.as<char>() + run.at * y_size;
    if (integer) {
      alignas(16) int32_t whole[kFloatChunk + F32::kLanes];
      std::memset(q + run.n, 0, sizeof(float) * F32::kLanes);
      round_and_clamp(q, zeros, zero_each, range, whole, run.n);
      store_integers(whole, y.dtype, to, run.n);
    } else {
      for (int64_t i = 0; i < run.n; ++i) q[i] += zeros[zero_each ? i : 0];
      cast_elements(DType::kFloat, q, y.dtype, to, run.n, {saturate, E8M0Rounding::kUp});
    }
  });
}

void dequantize(ConstView x, ConstView scale, ConstView zero_point, const ScaleLayout& layout, View y) {
  const auto x_size = static_cast<int64_t>(element_size(x.dtype)), y_size = static_cast<int64_t>(element_size(y.dtype));
  const bool integer = is_integer(x.dtype);
  for_each_piece(layout, [&](const Run& run) {
    float v[kFloatChunk], scales[kFloatChunk];
    const char* from = x.as<char>() + run.at * x_size;
    const int64_t parameters = run.scale_each ? run.n : 1;
    const char* zero = zero_point.data == nullptr ? nullptr : zero_point.as<char>() + run.scale_at * x_size;
    if (integer) {
      int32_t whole[kFloatChunk], zeros[kFloatChunk];
      load_integers(x.dtype, from, whole, run.n);
      if (zero != nullptr) {
        load_integers(x.dtype, zero, zeros, parameters);
        const uint32_t all = static_cast<uint32_t>(zeros[0]);
        for (int64_t i = 0; i < run.n; ++i) {
          const uint32_t z = run.scale_each ? static_cast<uint32_t>(zeros[i]) : all;
          whole[i] = static_cast<int32_t>(static_cast<uint32_t>(whole[i]) - z);
        }
      }
      for (int64_t i = 0; i < run.n; ++i) v[i] = static_cast<float>(whole[i]);
    } else {
      to_float(x.dtype, from, v, run.n);
      if (zero != nullptr) {
        float zeros[kFloatChunk];
        to_float(x.dtype, zero, zeros, parameters);
        for (int64_t i = 0; i < run.n; ++i) v[i] -= zeros[run.scale_each ? i : 0];
      }
    }
    const float* s = load_parameters(scale, run, scales);
    if (run.scale_each) {
      for (int64_t i = 0; i < run.n; ++i) v[i] *= s[i];
    } else {
      for (int64_t i = 0; i < run.n; ++i) v[i] *= *s;
    }
    from_float(v, y.dtype, y.as<char>() + run.at * y_size, run.n);
  });
}

void dequantize_8bit(DType type, const void* x, QuantParams p, float* y, int64_t n) {
  const uint8_t flip = type == DType::kInt8 ? 0x80 : 0;  // signed bytes as unsigned ones, 128 higher
  const int32_t zero = p.zero_point + flip;
  const auto* from = static_cast<const uint8_t*>(x);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>((from[i] ^ flip) - zero) * p.scale;
}

void quantize_8bit(DType type, const float* x, QuantParams p, void* y, int64_t n) {
  const IntegerRange range = type == DType::kInt8 ? IntegerRange{-128, 127} : IntegerRange{0, 255};
  const auto zero = static_cast<float>(p.zero_point);
  auto* to = static_cast<uint8_t*>(y);
  alignas(16) float q[kFloatChunk + F32::kLanes];
  alignas(16) int32_t whole[kFloatChunk + F32::kLanes];
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - i);
    for (int64_t j = 0; j < count; ++j) q[j] = x[i + j] / p.scale;
    std::memset(q + count, 0, sizeof(float) * F32::kLanes);
    round_and_clamp(q, &zero, false, range, whole, count);
    for (int64_t j = 0; j < count; ++j) to[i + j] = static_cast<uint8_t>(whole[j]);
  }
}

void look_up(const uint8_t* table, const uint8_t* x, uint8_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace onnxlet
