// Few-bit weights times activations of 8 bits.
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
constexpr int64_t kPassRows = 256;  // rounded to 8 bits at a time

// ---- dots: four numbers of A with four of each column ----

template <class Dot>
struct Narrow {
  using Number = int8_t;
  struct Sum {
    I32x4 v = I32x4::splat(0);
    void add(const Number* a, U8x16 w) { v = Dot::add(int_dot::splat_quad(reinterpret_cast<const uint8_t*>(a)), w, v); }
    I32x4 total() const { return v; }
  };
};

struct Wide {
  using Number = int16_t;
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

// What packing adds to a stored number: machines that read it as signed get 8 bits minus 128.
int shift_of(const NBitsPacked& p) { return p.bits == 8 && row(p.kernel).operand == DotOperand::kSigned ? 128 : 0; }

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
  const int flip = shift_of(p);
  uint32_t v = 0;
  for (int part = 0; part < 8 / p.width; ++part) {
    for (int i = 0; i < 4; ++i) {
      const int64_t at = first + part * 4 + i;
      const uint32_t n = at < stored ? static_cast<uint32_t>(nbits_number(column, at, b.bits) ^ flip) : 0;
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
      if (zeros) zeros[i * kColumns + c] = in ? (b.zeros[j * blocks + i] - static_cast<float>(shift_of(p))) * scale : 0;
    }
  }
}

// ---- A in 8 bits ----

// Of 32 neighbours. sum: of the rounded numbers, times the scale; start: minus the sum times the zero point.
struct Unit {
  float scale, sum;
  int32_t start;
};

template <class Number>
void round_unit(const float* x, int n, int32_t zero, Number* out, Unit* u) {
  int32_t largest = 0;  // bits of |x| compare as the numbers do, NaN above all
  for (int i = 0; i < n; ++i) largest = std::max(largest, __builtin_bit_cast(int32_t, x[i]) & 0x7fffffff);
  const float most = __builtin_bit_cast(float, largest);
  if (largest == 0 || largest >= 0x7f800000) {
    std::fill(out, out + kUnit, Number{0});
    *u = {most - most, most - most, 0};  // 0 or NaN
    return;
  }
  const float factor =
      std::min(127 / most, 0x1p126f);  // finite also where `most` is below 2^-119: such units lose bits
  int32_t sum = 0;
  for (int i = 0; i < n; ++i) {
    // 1.5 * 2^23 + n has n in its lowest bits.
    const int32_t v = __builtin_bit_cast(int32_t, x[i] * factor + 0x1.8p23f) - 0x4b400000;
    out[i] = static_cast<Number>(v);
    sum += v;
  }
  std::fill(out + n, out + kUnit, Number{0});
  const float scale = 1 / factor;
  *u = {scale, scale * static_cast<float>(sum), -sum * zero};
}

template <class Number>
struct Rounded {
  Number* numbers;  // [rows][units * unit]
  Unit* units;      // [rows][units]
};

int64_t round_up(int64_t bytes) { return (bytes + 15) / 16 * 16; }

template <class Number>
int64_t rounded_bytes(const NBitsPacked& b, int64_t rows) {
  const int64_t per_row = b.units() * kUnit * static_cast<int64_t>(sizeof(Number));
  return round_up(rows * per_row) + rows * b.units() * static_cast<int64_t>(sizeof(Unit));
}

template <class Number>
Rounded<Number> round_rows(const NBitsPacked& b, int64_t rows, const float* a, void* memory) {
  const int64_t units = b.units();
  Rounded<Number> r;
  r.numbers = static_cast<Number*>(memory);
  r.units = reinterpret_cast<Unit*>(static_cast<char*>(memory) +
                                    round_up(rows * units * kUnit * static_cast<int64_t>(sizeof(Number))));
  const int32_t zero = b.has_zeros ? 0 : static_cast<int32_t>(b.zero) - shift_of(b);
  parallel_for(rows * units, grain_for(kUnit * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i % units * kUnit;
      round_unit(a + i / units * b.k + at, static_cast<int>(std::min<int64_t>(kUnit, b.k - at)), zero,
                 r.numbers + i * kUnit, r.units + i);
    }
  });
  return r;
}

// ---- products ----

// kR rows times the columns of kG groups: more of either share what the loop fetches.
template <class Dot, int kWidth, int kR, int kG>
inline void tile(const NBitsPacked& b, int64_t g, const typename Dot::Number* a, const Unit* units,
                 F32 (&out)[kR][kG]) {
  constexpr int kParts = 8 / kWidth, kVectors = kUnit / 4 / kParts;
  const U8x16 mask = U8x16{} + static_cast<uint8_t>((1 << kWidth) - 1);
  const ptrdiff_t count = static_cast<ptrdiff_t>(b.units()), row = count * kUnit;
  const ptrdiff_t per_block = static_cast<ptrdiff_t>(b.block / kUnit), blocks = static_cast<ptrdiff_t>(b.blocks());
  const ptrdiff_t group = static_cast<ptrdiff_t>(b.group_bytes()), scale_step = blocks * kColumns;
  const uint8_t* w = b.data + g * b.group_bytes();
  const float* scales = b.scales() + g * scale_step;
  const float* zeros = b.has_zeros ? b.zeros() + g * scale_step : nullptr;
  for (auto& o : out) std::fill(o, o + kG, F32::splat(0));
  for (ptrdiff_t first = 0; first < count; first += per_block, scales += kColumns) {
    F32 scale[kG];
    for (int j = 0; j < kG; ++j) scale[j] = F32::load(scales + j * scale_step);
    const ptrdiff_t end = std::min(first + per_block, count);
    for (ptrdiff_t u = first; u < end; ++u) {
      typename Dot::Sum sum[kR][kG];
      for (int v = 0; v < kVectors; ++v, w += sizeof(U8x16)) {
        U8x16 bytes[kG];
        for (int j = 0; j < kG; ++j) bytes[j] = int_dot::load_bytes(w + j * group);
        for (int p = 0; p < kParts; ++p) {
          for (int j = 0; j < kG; ++j) {
            const U8x16 part =
                kParts == 1 ? bytes[j] : (p + 1 == kParts ? bytes[j] >> (p * kWidth) : bytes[j] >> (p * kWidth) & mask);
            for (int r = 0; r < kR; ++r) sum[r][j].add(a + r * row + u * kUnit + (v * kParts + p) * 4, part);
          }
        }
      }
      for (int r = 0; r < kR; ++r) {
        const Unit& unit = units[r * count + u];
        for (int j = 0; j < kG; ++j) {
          const F32 dot = to_float(sum[r][j].total() + I32x4::splat(unit.start));
          out[r][j] = out[r][j] + dot * (scale[j] * F32::splat(unit.scale));
        }
      }
      if (zeros) {
        for (int j = 0; j < kG; ++j) {
          const F32 zero = F32::load(zeros + j * scale_step);
          for (int r = 0; r < kR; ++r) out[r][j] = out[r][j] - zero * F32::splat(units[r * count + u].sum);
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
    float values[kColumns];
    v.store(values);
    for (int64_t i = 0; i < std::min<int64_t>(kColumns, n - j); ++i)
      c[row * n + j + i] = bias ? values[i] + bias[j + i] : values[i];
  }
};

template <class Dot, int kWidth, int kR, int kG>
void run_tile(const NBitsPacked& b, int64_t g, int64_t i, const Rounded<typename Dot::Number>& a,
              const Destination& to) {
  F32 out[kR][kG];
  tile<Dot, kWidth, kR, kG>(b, g, a.numbers + i * b.units() * kUnit, a.units + i * b.units(), out);
  for (int r = 0; r < kR; ++r) {
    for (int j = 0; j < kG; ++j) to.store(i + r, g + j, out[r][j]);
  }
}

template <class Dot, int kWidth>
void run_groups(const NBitsPacked& b, int64_t rows, const Rounded<typename Dot::Number>& a, const Destination& to) {
  parallel_for(b.groups() / 2, grain_for(b.k * rows), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin * 2; g < end * 2; g += 2) {
      int64_t i = 0;
      for (; i + kRows <= rows; i += kRows) {
        run_tile<Dot, kWidth, kRows, 1>(b, g, i, a, to);
        run_tile<Dot, kWidth, kRows, 1>(b, g + 1, i, a, to);
      }
      for (; i < rows; ++i) run_tile<Dot, kWidth, 1, 2>(b, g, i, a, to);
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

template <class Dot>
void run(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c, void* scratch) {
  for (int64_t first = 0; first < m; first += kPassRows) {
    const int64_t rows = std::min(kPassRows, m - first);
    const auto rounded = round_rows<typename Dot::Number>(b, rows, a + first * b.k, scratch);
    const Destination to{bias, c + first * b.n, b.n};
    if (b.width == 8) {
      run_groups<Dot, 8>(b, rows, rounded, to);
    } else if constexpr (!kOnlyBytes<Dot>) {
      if (b.width == 4) {
        run_groups<Dot, 4>(b, rows, rounded, to);
      } else {
        run_groups<Dot, 2>(b, rows, rounded, to);
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
  p.has_zeros = b.zeros != nullptr;
  p.zero = b.zero;
  return p;
}

void nbits_pack(const NBitsMatrix& b, const NBitsPacked& p, uint8_t* out) {
  float* const scales = reinterpret_cast<float*>(out + p.groups() * p.group_bytes());
  const int64_t step = p.blocks() * kColumns;
  parallel_for(p.groups(), grain_for(b.k * kColumns), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      pack_group(b, p, g, out + g * p.group_bytes(), scales + g * step,
                 p.has_zeros ? scales + (p.groups() + g) * step : nullptr);
    }
  });
}

int64_t nbits_dot_scratch(const NBitsPacked& b, int64_t m) {
  return with_dot(b.kernel,
                  [&]<class Dot>() { return rounded_bytes<typename Dot::Number>(b, std::min(m, kPassRows)); });
}

void nbits_dot(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c, void* scratch) {
  with_dot(b.kernel, [&]<class Dot>() { run<Dot>(b, m, a, bias, c, scratch); });
}

}  // namespace onnxlet
