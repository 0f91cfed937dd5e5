// Few-bit weights times activations in fixed point: of 8 bits, or of as many as a float has.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/int_dot.h"
#include "kernels/nbits.h"

namespace onnxlet {
namespace {

using int_dot::I32x4;
using int_dot::U8x16;
using simd::F32;

constexpr int kColumns = 4;  // of a group
constexpr int kRows = 4;     // that share the expansion of a group's numbers
constexpr int kUnit = NBitsPacked::kUnit;
constexpr int64_t kPassRows = 256;  // in fixed point at a time
constexpr int64_t kGemmFrom = 4;    // without rounding: so many rows share floats

// ---- dots: four numbers of A with four of each column ----
//
// `Number` is a digit of A in fixed point, kFineDigits digits of kDigitBits bits keep what a float has, best
// kFineGroups groups of columns at a time.

template <class Dot>
struct Narrow {
  using Number = int8_t;
  static constexpr int kDigitBits = 8, kFineDigits = 3, kFineGroups = 2;
  struct Sum {
    I32x4 v = I32x4::splat(0);
    void add(const Number* a, U8x16 w) { v = Dot::add(int_dot::splat_quad(reinterpret_cast<const uint8_t*>(a)), w, v); }
    I32x4 total() const { return v; }
  };
};

struct Wide {
  using Number = int16_t;
  static constexpr int kDigitBits = 15, kFineDigits = 2, kFineGroups = 1;
  struct Sum {
    I32x4 low = I32x4::splat(0), high = low;  // two columns each, in two parts
    void add(const Number* a, U8x16 w) {
      const U8x16 quad = int_dot::splat_wide_quad(a);
      low = int_dot::add_pairs(quad, int_dot::widen_low(w), low);
      high = int_dot::add_pairs(quad, int_dot::widen_high(w), high);
    }
    I32x4 total() const {
      return I32x4{__builtin_shufflevector(low.v, high.v, 0, 2, 4, 6)} +
             I32x4{__builtin_shufflevector(low.v, high.v, 1, 3, 5, 7)};
    }
  };
};

struct Row {
  const char* name;
  DotOperand operand;
};
constexpr Row kKernelRows[] = {
#define NBITS_KERNEL(kernel, name, operand, ...) {name, DotOperand::operand},
#include "kernels/nbits_kernels.inc"
#undef NBITS_KERNEL
};
constexpr NBitsKernel kKernels[] = {
#define NBITS_KERNEL(kernel, ...) NBitsKernel::kernel,
#include "kernels/nbits_kernels.inc"
#undef NBITS_KERNEL
};
const Row& row(NBitsKernel kernel) { return kKernelRows[static_cast<size_t>(kernel)]; }

// ---- packing ----

// Numbers [first, first + 8 * 4 / width) of a column as the four bytes of its place in a group.
uint32_t quad(const NBitsMatrix& b, const NBitsPacked& p, const uint8_t* column, int64_t first) {
  const int64_t stored = b.blocks() * b.block;
  if (b.bits == 4) {  // eight numbers: the odd ones' places go to the later four
    uint32_t v;
    std::memcpy(&v, column + first / 2, sizeof(v));
    auto spread = [](uint32_t half) {
      half = (half | half << 8) & 0x00ff00ff;
      return (half | half << 4) & 0x0f0f0f0f;
    };
    return spread(v & 0xffff) | spread(v >> 16) << 4;
  }
  uint32_t v = 0;
  for (int part = 0; part < 8 / p.width; ++part) {
    for (int i = 0; i < 4; ++i) {
      const int64_t at = first + part * 4 + i;
      const uint32_t n = at < stored ? static_cast<uint32_t>(nbits_number(column, at, b.bits) ^ p.shift) : 0;
      v |= n << (i * 8 + part * p.width);
    }
  }
  return v;
}

void pack_group(const NBitsMatrix& b, const NBitsPacked& p, int64_t g, uint8_t* out, float* scales, float* zeros) {
  const int64_t step = 32 / p.width, blocks = b.blocks(), column_bytes = blocks * (b.block * b.bits / 8);
  for (int c = 0; c < kColumns; ++c) {
    const int64_t j = g * kColumns + c;
    const bool in = j < b.n;
    uint8_t* dst = out + c * 4;
    for (int64_t first = 0; first < p.units() * kUnit; first += step, dst += kColumns * 4) {
      const uint32_t v = in ? quad(b, p, b.data + j * column_bytes, first) : 0;
      std::memcpy(dst, &v, sizeof(v));
    }
    for (int64_t i = 0; i < blocks; ++i) {
      const float scale = in ? b.scales[j * blocks + i] : 0;
      scales[i * kColumns + c] = scale;
      if (zeros) zeros[i * kColumns + c] = in ? (b.zeros[j * blocks + i] - static_cast<float>(p.shift)) * scale : 0;
    }
  }
}

// ---- A in fixed point ----

constexpr int kMostDigits = 3;

// How A becomes integers: `count` digits of `bits` bits, in `width` bytes each.
struct Digits {
  int count, bits, width;
};
template <class Dot>
constexpr Digits digits_of(bool rounds) {
  return {rounds ? 1 : Dot::kFineDigits, Dot::kDigitBits, static_cast<int>(sizeof(typename Dot::Number))};
}

// Of 32 neighbours. sum: of the integers, times the scale; start: minus the digits' sums times the zero point.
struct Unit {
  float scale, sum;
  int32_t start[kMostDigits];
};

// Rounded: the largest of 32 neighbours becomes 127. Fine: they are shifted by a power of two, so that the largest fits
// and is at least half or a quarter of what would.
float factor_for(const Digits& d, float most) {
  if (d.count == 1) return std::min(127 / most, 0x1p126f);  // finite also where `most` is small: such units lose bits
  const int32_t exponent = __builtin_bit_cast(int32_t, most) >> 23, bits = d.count * d.bits - 2;
  return __builtin_bit_cast(float, std::min(2 * 127 + bits - 1 - exponent, 253) << 23);
}

void store_digit(const int32_t* v, const Digits& d, ptrdiff_t spread, void* out) {
  if (d.width == 1) {
    for (ptrdiff_t i = 0; i < kUnit; i += 4) {
      for (ptrdiff_t q = 0; q < 4; ++q) static_cast<int8_t*>(out)[i * spread + q] = static_cast<int8_t>(v[i + q]);
    }
  } else {
    for (ptrdiff_t i = 0; i < kUnit; i += 4) {
      for (ptrdiff_t q = 0; q < 4; ++q) static_cast<int16_t*>(out)[i * spread + q] = static_cast<int16_t>(v[i + q]);
    }
  }
}

// Quads of numbers go to places `spread` quads apart, the digits `step` bytes apart.
void fix_unit(const float* x, int n, int32_t zero, const Digits& d, char* out, ptrdiff_t spread, ptrdiff_t step,
              Unit* u) {
  float padded[kUnit] = {};
  if (n < kUnit) {
    std::copy(x, x + n, padded);
    x = padded;
  }
  int32_t v[kUnit], largest = 0;  // bits of |x| compare as the numbers do, NaN above all
  for (int i = 0; i < kUnit; ++i) largest = std::max(largest, __builtin_bit_cast(int32_t, x[i]) & 0x7fffffff);
  const float most = __builtin_bit_cast(float, largest);
  const bool usual = largest != 0 && largest < 0x7f800000;
  const float factor = usual ? factor_for(d, most) : 0;
  for (int i = 0; i < kUnit; i += 4) {
    int_dot::store_ints(usual ? to_int(nearest(F32::load(x + i) * F32::splat(factor))) : I32x4::splat(0), v + i);
  }
  u->scale = usual ? 1 / factor : most - most;  // 0 or NaN
  const int32_t base = 1 << d.bits;
  float sum = 0, weight = 1;
  for (int k = d.count - 1; k >= 0; --k, weight *= static_cast<float>(base)) {
    int32_t digit[kUnit], total = 0;
    for (int i = 0; i < kUnit; ++i) {
      const int32_t rest = k == 0 ? 0 : (v[i] + base / 2) >> d.bits;
      digit[i] = v[i] - (rest << d.bits);
      v[i] = rest;
      total += digit[i];
    }
    store_digit(digit, d, spread, out + k * step);
    sum += weight * static_cast<float>(total);
    u->start[k] = -total * zero;
  }
  u->sum = u->scale * sum;
}

// Rows of A; the quads of kRows rows take turns, so that one pointer leads to all: [rows / kRows][units * unit /
// 4][kRows][4], behind them the rows left over, [units * unit] each. Units likewise.
struct Fixed {
  char* numbers;
  Unit* units;
  ptrdiff_t step;  // bytes from digit to digit
};

int64_t round_up(int64_t bytes) { return (bytes + 15) / 16 * 16; }
int64_t digit_bytes(const NBitsPacked& b, const Digits& d, int64_t rows) {
  return round_up(rows * b.units() * kUnit * d.count * d.width);
}

Fixed fix_rows(const NBitsPacked& b, const Digits& d, int64_t rows, const float* a, void* memory) {
  const int64_t units = b.units();
  Fixed f;
  f.numbers = static_cast<char*>(memory);
  f.units = reinterpret_cast<Unit*>(f.numbers + digit_bytes(b, d, rows));
  f.step = static_cast<ptrdiff_t>(rows * units * kUnit * d.width);
  const int32_t zero = b.has_zeros ? 0 : static_cast<int32_t>(b.zero) - b.shift;
  parallel_for(rows * units, grain_for(kUnit * 4 * d.count), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / units, u = i % units, first = r / kRows * kRows;
      const bool shared = d.count == 1 && first + kRows <= rows;
      const int64_t spread = shared ? kRows : 1, place = shared ? first * units + u * kRows + r % kRows : i;
      const int64_t at = shared ? (first * units + u * kRows) * kUnit + r % kRows * 4 : i * kUnit;
      fix_unit(a + r * b.k + u * kUnit, static_cast<int>(std::min<int64_t>(kUnit, b.k - u * kUnit)), zero, d,
               f.numbers + at * d.width, static_cast<ptrdiff_t>(spread), f.step, f.units + place);
    }
  });
  return f;
}

// ---- products ----

// Number p of each byte. Machines have no shifts of bytes; the mask takes off what pairs shift into each other.
template <int kWidth>
inline U8x16 field(U8x16 bytes, int p) {
  typedef uint16_t U16x8 __attribute__((vector_size(16)));
  const U8x16 mask = U8x16{} + static_cast<uint8_t>((1 << kWidth) - 1);
  return (U8x16)((U16x8)bytes >> (p * kWidth)) & mask;
}

// kR rows times the columns of kG groups: more of either share what the loop fetches. Its loops are not unrolled:
// engines then keep the sums in registers.
template <class Dot, int kWidth, int kDigits, int kR, int kG>
inline void tile(const NBitsPacked& b, int64_t g, const Fixed& f, int64_t first_row, F32 (&out)[kR][kG]) {
  constexpr int kParts = 8 / kWidth, kVectors = kUnit / 4 / kParts;
  const ptrdiff_t count = static_cast<ptrdiff_t>(b.units()), row = count * kUnit;
  const ptrdiff_t step = f.step / static_cast<ptrdiff_t>(sizeof(typename Dot::Number));
  const ptrdiff_t per_block = static_cast<ptrdiff_t>(b.block / kUnit), blocks = static_cast<ptrdiff_t>(b.blocks());
  const ptrdiff_t group = static_cast<ptrdiff_t>(b.group_bytes()), scale_step = blocks * kColumns;
  const uint8_t* w = b.data + g * b.group_bytes();
  const float* scales = b.scales() + g * scale_step;
  const float* zeros = b.has_zeros ? b.zeros() + g * scale_step : nullptr;
  const auto* a = reinterpret_cast<const typename Dot::Number*>(f.numbers) + first_row * row;
  const Unit* units = f.units + first_row * count;
  for (auto& o : out) std::fill(o, o + kG, F32::splat(0));
  for (ptrdiff_t first = 0; first < count; first += per_block, scales += kColumns) {
    const ptrdiff_t end = std::min(first + per_block, count);
    for (ptrdiff_t u = first; u < end; ++u, units += kR) {
      typename Dot::Sum sum[kDigits][kR][kG];
#pragma GCC unroll 1
      for (int v = 0; v < kVectors; ++v, w += sizeof(U8x16)) {
        U8x16 bytes[kG];
        for (int j = 0; j < kG; ++j) bytes[j] = int_dot::load_bytes(w + j * group);
        for (int p = 0; p < kParts; ++p, a += 4 * kR) {
          U8x16 part[kG];
          for (int j = 0; j < kG; ++j) part[j] = kParts == 1 ? bytes[j] : field<kWidth>(bytes[j], p);
          for (int d = 0; d < kDigits; ++d) {
            for (int r = 0; r < kR; ++r) {
              for (int j = 0; j < kG; ++j) sum[d][r][j].add(a + d * step + r * 4, part[j]);
            }
          }
        }
      }
      for (int j = 0; j < kG; ++j) {
        const F32 scale = F32::load(scales + j * scale_step);
        for (int r = 0; r < kR; ++r) {
          const Unit& unit = units[r];
          F32 dot = to_float(sum[0][r][j].total() + I32x4::splat(unit.start[0]));
          for (int d = 1; d < kDigits; ++d) {
            dot = dot * F32::splat(static_cast<float>(1 << Dot::kDigitBits)) +
                  to_float(sum[d][r][j].total() + I32x4::splat(unit.start[d]));
          }
          out[r][j] = out[r][j] + dot * (scale * F32::splat(unit.scale));
          if (zeros) out[r][j] = out[r][j] - F32::load(zeros + j * scale_step) * F32::splat(unit.sum);
        }
      }
    }
    if (zeros) zeros += kColumns;
  }
}

struct Destination {
  const float* bias;
  float* c;
  int64_t n;
  void store(int64_t row, int64_t group, F32 v) const {
    const int64_t j = group * kColumns;
    float* to = c + row * n + j;
    if (j + kColumns <= n) {
      (bias ? v + F32::load(bias + j) : v).store(to);
      return;
    }
    for (int i = 0; j + i < n; ++i) to[i] = bias ? v[i] + bias[j + i] : v[i];
  }
};

template <class Dot, int kWidth, int kDigits, int kR, int kG>
void run_tile(const NBitsPacked& b, int64_t g, int64_t i, const Fixed& a, const Destination& to) {
  F32 out[kR][kG];
  tile<Dot, kWidth, kDigits, kR, kG>(b, g, a, i, out);
  for (int r = 0; r < kR; ++r) {
    for (int j = 0; j < kG; ++j) to.store(i + r, g + j, out[r][j]);
  }
}

template <class Dot, int kWidth, int kDigits>
void run_groups(const NBitsPacked& b, int64_t rows, const Fixed& a, const Destination& to) {
  parallel_for(b.groups() / 2, grain_for(b.k * rows), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin * 2; g < end * 2; g += 2) {
      int64_t i = 0;
      if constexpr (kDigits == 1) {
        for (; i + kRows <= rows; i += kRows) {
          for (int j = 0; j < 2; ++j) run_tile<Dot, kWidth, 1, kRows, 1>(b, g + j, i, a, to);
        }
      }
      constexpr int kGroups = kDigits == 1 ? 2 : Dot::kFineGroups;
      for (; i < rows; ++i) {
        for (int j = 0; j < 2; j += kGroups) run_tile<Dot, kWidth, kDigits, 1, kGroups>(b, g + j, i, a, to);
      }
    }
  });
}

// Where the relaxed dot exists, nobody else multiplies numbers of less than 8 bits.
template <class Dot>
constexpr bool kOnlyBytes = false;
#if defined(__wasm_relaxed_simd__)
template <>
constexpr bool kOnlyBytes<Wide> = true;
#endif

template <class Dot, int kDigits>
void run(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c, void* scratch) {
  for (int64_t first = 0; first < m; first += kPassRows) {
    const int64_t rows = std::min(kPassRows, m - first);
    const Fixed fixed = fix_rows(b, digits_of<Dot>(kDigits == 1), rows, a + first * b.k, scratch);
    const Destination to{bias, c + first * b.n, b.n};
    if (b.width == 8) {
      run_groups<Dot, 8, kDigits>(b, rows, fixed, to);
    } else if constexpr (!kOnlyBytes<Dot>) {
      if (b.width == 4) {
        run_groups<Dot, 4, kDigits>(b, rows, fixed, to);
      } else {
        run_groups<Dot, 2, kDigits>(b, rows, fixed, to);
      }
    }
  }
}

template <class Body>
auto with_dot(NBitsKernel kernel, Body&& body) {
  switch (kernel) {
#define NBITS_KERNEL(kernel, name, operand, ...) \
  case NBitsKernel::kernel:                      \
    return body.template operator()<__VA_ARGS__>();
#include "kernels/nbits_kernels.inc"
#undef NBITS_KERNEL
  }
  __builtin_unreachable();
}

bool all_finite(const float* x, int64_t n) {
  uint32_t largest = 0;
  for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(n); ++i)
    largest = std::max(largest, __builtin_bit_cast(uint32_t, x[i]) & 0x7fffffff);
  return largest < 0x7f800000;
}

// The same with the number of digits of A.
template <class Body>
auto with_digits(const NBitsPacked& b, Body&& body) {
  return with_dot(b.kernel, [&]<class Dot>() {
    return b.rounds ? body.template operator()<Dot, 1>() : body.template operator()<Dot, Dot::kFineDigits>();
  });
}

}  // namespace

std::span<const NBitsKernel> nbits_kernels() { return kKernels; }
const char* name_of(NBitsKernel kernel) { return row(kernel).name; }

bool is_exact_here(NBitsKernel kernel, int bits) {
#if defined(__wasm__)
  const DotOperand operand = row(kernel).operand;
#if defined(__wasm_relaxed_simd__)
  if (bits <= 4) return kernel != NBitsKernel::kWide;
#endif
  return bits < 8 || operand == DotOperand::kSevenBits || operand == dot_operand();
#else
  static_cast<void>(kernel), static_cast<void>(bits);
  return true;  // emulated
#endif
}

NBitsKernel nbits_kernel(int bits) {
  NBitsKernel best = NBitsKernel::kWide;
#if defined(__wasm__)
  for (const NBitsKernel kernel : kKernels) {
    if (best == NBitsKernel::kWide && is_exact_here(kernel, bits)) best = kernel;
  }
#else
  static_cast<void>(bits);
#endif
  return best;
}

NBitsPacked nbits_packed(const NBitsMatrix& b, NBitsKernel kernel) {
  NBitsPacked p;
  p.kernel = kernel;
  p.k = b.k;
  p.n = b.n;
  p.block = b.block;
  p.bits = b.bits;
  p.width = b.bits <= 2 ? 2 : b.bits <= 4 ? 4 : 8;
  p.shift = b.bits == 8 && row(kernel).operand == DotOperand::kSigned ? 128 : 0;
  p.has_zeros = b.zeros != nullptr;
  p.zero = b.zero;
  return p;
}

void nbits_pack(const NBitsMatrix& b, const NBitsPacked& p, uint8_t* numbers, float* factors) {
  const int64_t step = p.blocks() * kColumns;
  parallel_for(p.groups(), grain_for(b.k * kColumns), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      pack_group(b, p, g, numbers + g * p.group_bytes(), factors + g * step,
                 p.has_zeros ? factors + (p.groups() + g) * step : nullptr);
    }
  });
}

int64_t nbits_dot_scratch(const NBitsPacked& b, int64_t m) {
  if (!b.rounds && m >= kGemmFrom) return 0;
  const int64_t rows = std::min(m, kPassRows);
  const Digits d = with_dot(b.kernel, [&]<class Dot>() { return digits_of<Dot>(b.rounds); });
  return digit_bytes(b, d, rows) + rows * b.units() * static_cast<int64_t>(sizeof(Unit));
}

const char* nbits_dot(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c, void* scratch) {
  if (!b.rounds && (m >= kGemmFrom || !all_finite(a, m * b.k))) {
    nbits_gemm(b, m, a, bias, c);
    return "nbits_f32_gemm";
  }
  with_digits(b, [&]<class Dot, int kDigits>() { run<Dot, kDigits>(b, m, a, bias, c, scratch); });
  return row(b.kernel).name;
}

}  // namespace onnxlet
