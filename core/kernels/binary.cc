#include "kernels/binary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/visit.h"
#include "kernels/broadcast.h"
#include "kernels/convert.h"

// Iterations are independent even when y is a or b, which the compiler cannot know. Rare loops are kept small instead.
#if defined(__clang__)
#define OL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define OL_SMALL _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define OL_INDEPENDENT _Pragma("GCC ivdep")
#define OL_SMALL
#endif

namespace onnxlet {
namespace {

template <class R, class T, class F>
void run_small(const void* a, int64_t a_step, const void* b, int64_t b_step, void* y, int64_t n) {
  const T* pa = static_cast<const T*>(a);
  const T* pb = static_cast<const T*>(b);
  R* py = static_cast<R*>(y);
  OL_SMALL
  for (int64_t i = 0; i < n; ++i, pa += a_step, pb += b_step) py[i] = F()(*pa, *pb);
}
template <class R, class T, class F>
void run(const void* a, int64_t a_step, const void* b, int64_t b_step, void* y, int64_t n) {
  const T* pa = static_cast<const T*>(a);
  const T* pb = static_cast<const T*>(b);
  R* py = static_cast<R*>(y);
  const ptrdiff_t count = static_cast<ptrdiff_t>(n);
  if (a_step != 0 && b_step != 0) {
    OL_INDEPENDENT
    for (ptrdiff_t i = 0; i < count; ++i) py[i] = F()(pa[i], pb[i]);
  } else if constexpr (std::is_same_v<T, float>) {
    if (n == 0) return;
    const T first = *pa, second = *pb;
    if (a_step != 0) {
      OL_INDEPENDENT
      for (ptrdiff_t i = 0; i < count; ++i) py[i] = F()(pa[i], second);
    } else {
      OL_INDEPENDENT
      for (ptrdiff_t i = 0; i < count; ++i) py[i] = F()(first, b_step != 0 ? pb[i] : second);
    }
  } else {
    run_small<R, T, F>(a, a_step, b, b_step, y, n);
  }
}

template <class F, class... Lists>
BinaryLoop loop_for(DType type) {
  BinaryLoop loop = nullptr;
  try_visit<Lists...>(type, [&]<class T>() { loop = run<decltype(F()(T(), T())), T, F>; });
  return loop;
}

template <class F, class... Lists>
BinaryLoop small_loop_for(DType type) {
  BinaryLoop loop = nullptr;
  try_visit<Lists...>(type, [&]<class T>() { loop = run_small<decltype(F()(T(), T())), T, F>; });
  return loop;
}

// Functions that do not tell signed from unsigned need one loop per size: a trimmed build has those that stand for its
// types.
constexpr uint32_t stands_for(DType type, DType kept) { return trim::keeps_type(kept) ? dtype_bit(type) : 0; }
constexpr uint32_t kStandIns = stands_for(DType::kUint8, DType::kInt8) | stands_for(DType::kUint8, DType::kBool) |
                               stands_for(DType::kUint16, DType::kInt16) | stands_for(DType::kUint32, DType::kInt32) |
                               stands_for(DType::kUint64, DType::kInt64);
DType unsigned_of(DType type) {
  if (!is_integer(type) && type != DType::kBool) return type;
  switch (element_size(type)) {
    case 1:
      return DType::kUint8;
    case 2:
      return DType::kUint16;
    case 4:
      return DType::kUint32;
    default:
      return DType::kUint64;
  }
}
template <class F>
BinaryLoop loop_by_size(DType type) {
  BinaryLoop loop = nullptr;
  try_visit_also<kStandIns, Ieee, UnsignedInts>(unsigned_of(type),
                                                [&]<class T>() { loop = run<decltype(F()(T(), T())), T, F>; });
  return loop;
}
template <class F>
BinaryLoop arithmetic_loop(DType type) {
  return type == DType::kBool ? nullptr : loop_by_size<F>(type);
}
template <class F>
BinaryLoop bit_loop(DType type) {
  BinaryLoop loop = nullptr;
  try_visit_also<kStandIns, UnsignedInts>(unsigned_of(type), [&]<class T>() { loop = run_small<T, T, F>; });
  return loop;
}

// Wide enough that small unsigned operands are not promoted to int, whose overflow is undefined.
template <class T>
using Work = std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) + Work<T>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) - Work<T>(b));
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Work<T>(a) * Work<T>(b));
  }
};
// Integers: towards zero; x / 0 = 0 and the smallest value / -1 wraps, as numpy has it.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(Work<T>(0) - Work<T>(a));
      }
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};
// a - trunc(a / b) * b; integers: x mod 0 = 0.
struct TruncMod {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
      }
      return static_cast<T>(a % b);
    } else {
      return static_cast<T>(std::fmod(static_cast<double>(a), static_cast<double>(b)));
    }
  }
};
// a - floor(a / b) * b: the sign of b.
struct FloorMod {
  template <class T>
  T operator()(T a, T b) const {
    const T r = TruncMod()(a, b);
    if constexpr (std::is_floating_point_v<T>) {
      if (r == 0) return b == b ? std::copysign(T{0}, b) : r;
    } else if (r == 0) {
      return 0;
    }
    return (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
};
struct ShiftLeft {
  template <class T>
  T operator()(T x, T by) const {
    const auto count = static_cast<std::make_unsigned_t<T>>(by);
    return count >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<uint64_t>(x) << count);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T x, T by) const {
    const auto count = static_cast<std::make_unsigned_t<T>>(by);
    return static_cast<T>(count >= sizeof(T) * 8 ? (x < 0 ? -1 : 0) : x >> count);
  }
};
struct LogicalAnd {
  uint8_t operator()(uint8_t a, uint8_t b) const { return (a != 0) & (b != 0); }
};
struct LogicalOr {
  uint8_t operator()(uint8_t a, uint8_t b) const { return (a | b) != 0; }
};
struct LogicalXor {
  uint8_t operator()(uint8_t a, uint8_t b) const { return (a != 0) ^ (b != 0); }
};
struct BitAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessOrEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
// NaN where either operand is.
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    const T larger = b < a ? a : b;
    return a == a ? larger : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    const T smaller = a < b ? a : b;
    return a == a ? smaller : a;
  }
};
struct PRelu {
  template <class T>
  T operator()(T x, T slope) const {
    return x < 0 ? static_cast<T>(Work<T>(x) * Work<T>(slope)) : x;
  }
};

template <class F>
BinaryLoop ordered_loop(DType type) {
  if (BinaryLoop fast = loop_for<F, Ieee, Types<int32_t, int64_t>>(type)) return fast;
  return small_loop_for<F, UnsignedInts, Types<int8_t, int16_t>>(type);
}
template <class F>
BinaryLoop division_loop(DType type) {
  if constexpr (std::is_same_v<F, Div>) {
    if (is_float(type)) return loop_for<F, Ieee>(type);
  }
  return small_loop_for<F, Ieee, SignedInts, UnsignedInts>(type);
}
template <class F>
BinaryLoop bool_loop(DType type) {
  return type == DType::kBool ? run_small<uint8_t, uint8_t, F> : nullptr;
}

// The run of a type without its own loop, through float buffers. n <= kFloatChunk.
void run_as_float(BinaryLoop loop, DType type, bool predicate, const void* a, const void* b, void* y, int64_t n) {
  float left[kFloatChunk], right[kFloatChunk];
  to_float(type, a, left, n);
  to_float(type, b, right, n);
  if (predicate) return loop(left, 1, right, 1, y, n);
  loop(left, 1, right, 1, left, n);
  from_float(left, type, y, n);
}

bool needs_float(const BinaryKernel& kernel, DType type) {
  return kernel.loop(type) == nullptr && is_float_like(type) && type != DType::kFloat;
}

}  // namespace

bool supports(const BinaryKernel& kernel, DType type) {
  return kernel.loop(type) != nullptr || (needs_float(kernel, type) && kernel.loop(DType::kFloat) != nullptr);
}

void apply_binary_run(const BinaryKernel& kernel, DType type, const void* a, const void* b, void* y, int64_t n) {
  if (kernel.swapped) std::swap(a, b);
  if (!needs_float(kernel, type)) return kernel.loop(type)(a, 1, b, 1, y, n);
  const BinaryLoop loop = kernel.loop(DType::kFloat);
  const auto size = static_cast<int64_t>(element_size(type));
  const int64_t out_size = kernel.predicate ? 1 : size;
  for (int64_t i = 0; i < n; i += kFloatChunk) {
    run_as_float(loop, type, kernel.predicate, static_cast<const char*>(a) + i * size,
                 static_cast<const char*>(b) + i * size, static_cast<char*>(y) + i * out_size,
                 std::min(kFloatChunk, n - i));
  }
}

namespace {

// For loops that take repeated elements.
void apply_steps(BinaryLoop loop, int64_t cost, ConstView a, ConstView b, View y) {
  const int64_t n = y.size(), size = static_cast<int64_t>(element_size(a.dtype));
  const int64_t out_size = static_cast<int64_t>(element_size(y.dtype));
  const char *from_a = a.as<char>(), *from_b = b.as<char>();
  char* out = y.as<char>();
  const int64_t in_a = a.size(), in_b = b.size();
  if ((in_a == n || in_a == 1) && (in_b == n || in_b == 1)) {
    const int64_t a_step = in_a == n, b_step = in_b == n;
    parallel_for(n, grain_for(cost), [&](int64_t begin, int64_t end) {
      loop(from_a + begin * a_step * size, a_step, from_b + begin * b_step * size, b_step, out + begin * out_size,
           end - begin);
    });
    return;
  }
  const ConstView operands[] = {a, b};
  broadcast_steps(operands, y.shape, cost, [&](const void* const* in, const int64_t* steps, int64_t at, int64_t count) {
    loop(in[0], steps[0], in[1], steps[1], out + at * out_size, count);
  });
}

}  // namespace

void apply_binary(const BinaryKernel& kernel, ConstView a, ConstView b, View y) {
  const BinaryLoop loop = kernel.loop(a.dtype);
  if (loop != nullptr && (a.dtype == DType::kFloat || y.size() <= kBroadcastRun)) {
    return kernel.swapped ? apply_steps(loop, kernel.cost, b, a, y) : apply_steps(loop, kernel.cost, a, b, y);
  }
  const ConstView operands[] = {a, b};
  char* out = y.as<char>();
  const auto out_size = static_cast<int64_t>(element_size(y.dtype));
  broadcast_runs(operands, y.shape, false, kernel.cost, [&](const void* const* in, int64_t at, int64_t n) {
    apply_binary_run(kernel, a.dtype, in[0], in[1], out + at * out_size, n);
  });
}

const BinaryKernel kAddKernel = {"Add", arithmetic_loop<Add>};
const BinaryKernel kSubKernel = {"Sub", arithmetic_loop<Sub>};
const BinaryKernel kMulKernel = {"Mul", arithmetic_loop<Mul>};
const BinaryKernel kDivKernel = {"Div", division_loop<Div>};
const BinaryKernel kFloorModKernel = {"FloorMod", division_loop<FloorMod>, false, false, 8};
const BinaryKernel kTruncModKernel = {"TruncMod", division_loop<TruncMod>, false, false, 8};
const BinaryKernel kShiftLeftKernel = {"ShiftLeft", bit_loop<ShiftLeft>};
const BinaryKernel kShiftRightKernel = {"ShiftRight", small_loop_for<ShiftRight, SignedInts, UnsignedInts>};
const BinaryKernel kAndKernel = {"And", bool_loop<LogicalAnd>};
const BinaryKernel kOrKernel = {"Or", bool_loop<LogicalOr>};
const BinaryKernel kXorKernel = {"Xor", bool_loop<LogicalXor>};
const BinaryKernel kBitwiseAndKernel = {"BitwiseAnd", bit_loop<BitAnd>};
const BinaryKernel kBitwiseOrKernel = {"BitwiseOr", bit_loop<BitOr>};
const BinaryKernel kBitwiseXorKernel = {"BitwiseXor", bit_loop<BitXor>};
const BinaryKernel kEqualKernel = {"Equal", loop_by_size<Equal>, true};
const BinaryKernel kLessKernel = {"Less", ordered_loop<Less>, true};
const BinaryKernel kGreaterKernel = {"Greater", ordered_loop<Less>, true, true};
const BinaryKernel kLessOrEqualKernel = {"LessOrEqual", ordered_loop<LessOrEqual>, true};
const BinaryKernel kGreaterOrEqualKernel = {"GreaterOrEqual", ordered_loop<LessOrEqual>, true, true};
const BinaryKernel kMaxKernel = {"Max", ordered_loop<Max>};
const BinaryKernel kMinKernel = {"Min", ordered_loop<Min>};
const BinaryKernel kPReluKernel = {"PRelu", [](DType t) {
                                     if (is_float(t)) return loop_for<PRelu, Ieee>(t);
                                     return small_loop_for<PRelu, Types<int32_t, int64_t, uint32_t, uint64_t>>(t);
                                   }};

namespace {

template <class T>
T integer_power(T base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? T{1} : base == T(-1) ? ((exponent & 1) != 0 ? base : T{1}) : T{0};
  Work<T> result = 1, square = static_cast<Work<T>>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if ((e & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

// Squares, cubes and roots are what models ask for. A step of 0: one exponent for all.
template <class T>
void power_run(const T* x, const T* e, int64_t e_step, T* y, int64_t n) {
  T common = n > 0 ? e[0] : T{0};
  for (int64_t i = 1; i < n && e_step != 0; ++i) common = e[i] == common ? common : T{0};
  if (common == T{2}) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
  } else if (common == T{0.5}) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] == -std::numeric_limits<T>::infinity() ? -x[i] : std::sqrt(x[i]) + T{0};
  } else if (common == T{3}) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = std::pow(x[i], e[i * e_step]);
  }
}

void integer_power_run(DType type, const void* x, const int64_t* e, void* y, int64_t n) {
  try_visit<SignedInts, UnsignedInts>(type, [&]<class T>() {
    const T* px = static_cast<const T*>(x);
    T* py = static_cast<T*>(y);
    for (int64_t i = 0; i < n; ++i) py[i] = integer_power(px[i], e[i]);
  });
}

}  // namespace

void apply_pow(ConstView x, ConstView e, View y) {
  const ConstView operands[] = {x, e};
  char* out = y.as<char>();
  const auto size = static_cast<int64_t>(element_size(y.dtype));
  if (x.dtype == DType::kFloat && e.dtype == DType::kFloat && e.size() == 1 && x.size() == y.size()) {
    const float exponent = *e.as<float>();
    parallel_for(y.size(), grain_for(exponent == 2 ? 1 : 16), [&](int64_t begin, int64_t end) {
      power_run(x.as<float>() + begin, &exponent, 0, y.as<float>() + begin, end - begin);
    });
    return;
  }
  const bool whole = !is_float(x.dtype) && !is_float(e.dtype);
  const bool in_float = is_float_like(x.dtype);
  broadcast_runs(operands, y.shape, true, 16, [&](const void* const* in, int64_t at, int64_t n) {
    union {
      int64_t integers[kBroadcastRun];
      double doubles[kBroadcastRun];
      float floats[kBroadcastRun];
    } power;
    void* to = out + at * size;
    if (whole) {
      cast_elements(e.dtype, in[1], DType::kInt64, power.integers, n, {});
      integer_power_run(x.dtype, in[0], power.integers, to, n);
    } else if (in_float) {
      float base[kBroadcastRun];
      to_float(x.dtype, in[0], base, n);
      cast_elements(e.dtype, in[1], DType::kFloat, power.floats, n, {});
      power_run(base, power.floats, 1, base, n);
      from_float(base, x.dtype, to, n);
    } else {
      double base[kBroadcastRun];
      to_double(x.dtype, in[0], base, n);
      to_double(e.dtype, in[1], power.doubles, n);
      power_run(base, power.doubles, 1, base, n);
      from_double(base, x.dtype, to, n);
    }
  });
}

}  // namespace onnxlet
