#include "kernels/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/float_bits.h"
#include "base/visit.h"

namespace onnxlet {
namespace {

using MiniFloats = Types<Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float4E2M1, Float6E2M3, Float6E3M2>;
using E8M0 = Types<Float8E8M0>;

// What kernels compute in, whatever the types of tensors are.
constexpr uint32_t kWide =
    dtype_bit(DType::kFloat) | dtype_bit(DType::kDouble) | dtype_bit(DType::kInt32) | dtype_bit(DType::kInt64);

template <class To, class From, class F>
void map(const void* src, void* dst, int64_t n, F f) {
  const From* from = static_cast<const From*>(src);
  To* to = static_cast<To*>(dst);
  for (int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
}

// The same for a type that a trimmed build may not have.
template <DType kType, class To, class From, class F>
void map_kept(const void* src, void* dst, int64_t n, F f) {
  if constexpr (trim::keeps_type(kType))
    map<To, From>(src, dst, n, f);
  else
    __builtin_trap();
}

// The same for the many rare pairs, kept small.
template <class To, class From, class F>
void map_small(const void* src, void* dst, int64_t n, F f) {
  const From* from = static_cast<const From*>(src);
  To* to = static_cast<To*>(dst);
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
}

// NaN: 0. Beyond the ends: the end. The upper bound is one past the largest value, which floats hold exactly.
template <class I, class F>
I saturate_to(F v) {
  constexpr F kEnd = static_cast<F>(I{1} << (sizeof(I) * 8 - 2)) * 2;
  if (v != v) return 0;
  if (v >= kEnd) return std::numeric_limits<I>::max();
  return v < -kEnd ? std::numeric_limits<I>::min() : static_cast<I>(v);
}

uint64_t to_uint64(double v) {
  if (v < 0) return static_cast<uint64_t>(saturate_to<int64_t>(v));
  return v >= 0x1p64 ? UINT64_MAX : v != v ? 0 : static_cast<uint64_t>(v);
}

// One element from the widest float. Narrow formats are reached by rounding once.
template <class To>
To narrow(double v, const CastMode& mode) {
  if constexpr (std::is_same_v<To, double>) {
    return v;
  } else if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(v);
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != 0;
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(double_to_float_odd(v));
  } else if constexpr (std::is_same_v<To, Float8E8M0>) {
    To e;
    e.bits = float_to_e8m0(double_to_float_odd(v), mode.rounding, mode.saturate);
    return e;
  } else if constexpr (std::is_same_v<To, uint64_t>) {
    return to_uint64(v);
  } else if constexpr (std::is_same_v<To, uint32_t> || std::is_same_v<To, int64_t>) {
    return static_cast<To>(saturate_to<int64_t>(v));
  } else if constexpr (std::is_integral_v<To>) {
    return static_cast<To>(saturate_to<int32_t>(v));
  } else if constexpr (requires { To::kMax; }) {
    return To(saturate_to<int32_t>(v));
  } else {
    return To(double_to_float_odd(v), mode.saturate);
  }
}

// One element from the widest integer.
template <class To>
To narrow(int64_t v, const CastMode& mode) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != 0;
  } else if constexpr (std::is_integral_v<To> || std::is_same_v<To, float> || std::is_same_v<To, double>) {
    return static_cast<To>(v);
  } else if constexpr (requires { To::kMax; }) {
    return To(static_cast<int>(v & To::kMask));
  } else {
    // No format here tells apart integers beyond 2^53.
    return narrow<To>(static_cast<double>(v), mode);
  }
}

template <class Wide>
void store(const Wide* src, DType to, void* dst, int64_t n, const CastMode& mode) {
  try_visit_also<kWide, Ieee, Halves, SignedInts, UnsignedInts, Bool, SubByteInts, MiniFloats, E8M0>(
      to, [&]<class To>() { map_small<To, Wide>(src, dst, n, [&](Wide v) { return narrow<To>(v, mode); }); });
}

bool load(DType from, const void* src, double* dst, int64_t n) {
  return try_visit_also<kWide, Ieee, Halves, MiniFloats, E8M0>(from, [&]<class From>() {
    map_small<double, From>(src, dst, n, [](From v) {
      if constexpr (std::is_same_v<From, double>) return v;
      return static_cast<double>(static_cast<float>(v));
    });
  });
}

bool load(DType from, const void* src, int64_t* dst, int64_t n) {
  return try_visit_also<kWide, SignedInts, UnsignedInts, Bool, SubByteInts>(from, [&]<class From>() {
    map_small<int64_t, From>(src, dst, n, [](From v) {
      if constexpr (std::is_integral_v<From>)
        return static_cast<int64_t>(v);
      else
        return static_cast<int64_t>(static_cast<int>(v));
    });
  });
}

constexpr int pair(DType from, DType to) { return static_cast<int>(from) * kDTypeCount + static_cast<int>(to); }

// The pairs that models meet often, without a detour.
bool cast_directly(DType from, const void* src, DType to, void* dst, int64_t n) {
  const auto direct = [&]<class From, class To>(auto f) {
    if constexpr (trim::keeps_type(dtype_of<From>) && trim::keeps_type(dtype_of<To>)) {
      map<To, From>(src, dst, n, f);
      return true;
    }
    return false;
  };
  const auto plain = [&]<class From, class To>() {
    return direct.template operator()<From, To>([](From v) { return static_cast<To>(v); });
  };
  switch (pair(from, to)) {
    case pair(DType::kFloat, DType::kInt32):
      return direct.template operator()<float, int32_t>([](float v) { return saturate_to<int32_t>(v); });
    case pair(DType::kFloat, DType::kUint8):
    case pair(DType::kFloat, DType::kInt8):
      if (!trim::keeps_type(DType::kUint8) && !trim::keeps_type(DType::kInt8)) return false;
      map<uint8_t, float>(src, dst, n, [](float v) { return static_cast<uint8_t>(saturate_to<int32_t>(v)); });
      return true;
    case pair(DType::kFloat, DType::kInt64):
      return direct.template operator()<float, int64_t>([](float v) { return saturate_to<int64_t>(v); });
    case pair(DType::kFloat, DType::kBool):
      return direct.template operator()<float, bool>([](float v) { return v != 0; });
    case pair(DType::kFloat, DType::kDouble):
      return plain.template operator()<float, double>();
    case pair(DType::kDouble, DType::kFloat):
      return plain.template operator()<double, float>();
    case pair(DType::kInt32, DType::kFloat):
      return plain.template operator()<int32_t, float>();
    case pair(DType::kInt64, DType::kFloat):
      return plain.template operator()<int64_t, float>();
    case pair(DType::kInt32, DType::kInt64):
      return plain.template operator()<int32_t, int64_t>();
    case pair(DType::kInt64, DType::kInt32):
      return plain.template operator()<int64_t, int32_t>();
    case pair(DType::kUint8, DType::kFloat):
      return plain.template operator()<uint8_t, float>();
    case pair(DType::kInt8, DType::kFloat):
      return plain.template operator()<int8_t, float>();
    case pair(DType::kBool, DType::kFloat):
      return plain.template operator()<uint8_t, float>();
    default:
      break;
  }
  if (from == DType::kFloat && (to == DType::kFloat16 || to == DType::kBFloat16)) {
    from_float(static_cast<const float*>(src), to, dst, n);
    return true;
  }
  if (to == DType::kFloat && is_float_like(from)) {
    to_float(from, src, static_cast<float*>(dst), n);
    return true;
  }
  return false;
}

template <class Wide>
bool cast_through(DType from, const char* src, DType to, char* dst, int64_t n, const CastMode& mode) {
  Wide chunk[kFloatChunk];
  const int64_t from_size = static_cast<int64_t>(element_size(from)), to_size = static_cast<int64_t>(element_size(to));
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    const int64_t count = std::min(kFloatChunk, n - i);
    if (!load(from, src + i * from_size, chunk, count)) return false;
    store(chunk, to, dst + i * to_size, count, mode);
  }
  return true;
}

// uint64 does not fit the widest signed integer where its value matters.
double uint64_to_double_odd(uint64_t v) {
  if (v < uint64_t{1} << 53) return static_cast<double>(v);
  const uint64_t low = v & 0x7ff;  // sticky: what a double loses at most
  return static_cast<double>((v & ~uint64_t{0x7ff}) | (low != 0 ? 0x400u : 0u));
}

}  // namespace

bool is_float_like(DType t) { return is_float(t) && t != DType::kDouble; }

void to_float(DType from, const void* src, float* dst, int64_t n) {
  switch (from) {
    case DType::kFloat:
      std::memmove(dst, src, static_cast<size_t>(n) * sizeof(float));
      return;
    case DType::kFloat16:
      return map_kept<DType::kFloat16, float, uint16_t>(src, dst, n, half_bits_to_float);
    case DType::kBFloat16:
      return map_kept<DType::kBFloat16, float, uint16_t>(src, dst, n, bfloat16_bits_to_float);
    default:
      break;
  }
  try_visit<MiniFloats, E8M0>(
      from, [&]<class From>() { map_small<float, From>(src, dst, n, [](From v) { return static_cast<float>(v); }); });
}

void from_float(const float* src, DType to, void* dst, int64_t n) {
  switch (to) {
    case DType::kFloat:
      std::memmove(dst, src, static_cast<size_t>(n) * sizeof(float));
      return;
    case DType::kFloat16:
      return map_kept<DType::kFloat16, uint16_t, float>(src, dst, n, float_to_half_bits);
    case DType::kBFloat16:
      return map_kept<DType::kBFloat16, uint16_t, float>(src, dst, n, float_to_bfloat16_bits);
    default:
      break;
  }
  try_visit<MiniFloats, E8M0>(to,
                              [&]<class To>() { map_small<To, float>(src, dst, n, [](float v) { return To(v); }); });
}

void cast_elements(DType from, const void* src, DType to, void* dst, int64_t n, const CastMode& mode) {
  if (n == 0) return;  // without elements there may be no memory
  if (from == to) {
    std::memmove(dst, src, static_cast<size_t>(n) * element_size(from));
    return;
  }
  if (cast_directly(from, src, to, dst, n)) return;
  const char* in = static_cast<const char*>(src);
  char* out = static_cast<char*>(dst);
  if (trim::keeps_type(DType::kUint64) && from == DType::kUint64 && is_float(to)) {
    const uint64_t* wide = static_cast<const uint64_t*>(src);
    const int64_t to_size = static_cast<int64_t>(element_size(to));
    for (int64_t i = 0; i < n; ++i) {
      const double v = to == DType::kDouble ? static_cast<double>(wide[i]) : uint64_to_double_odd(wide[i]);
      store(&v, to, out + i * to_size, 1, mode);
    }
    return;
  }
  if (!cast_through<int64_t>(from, in, to, out, n, mode)) cast_through<double>(from, in, to, out, n, mode);
}

void to_double(DType from, const void* src, double* dst, int64_t n) {
  cast_elements(from, src, DType::kDouble, dst, n, {});
}
void from_double(const double* src, DType to, void* dst, int64_t n) {
  cast_elements(DType::kDouble, src, to, dst, n, {});
}

}  // namespace onnxlet
