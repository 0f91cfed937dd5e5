// Products with weights of few bits. B is stored by column: k values of one column together, in blocks with a scale
// each.
#pragma once

#include <cstdint>
#include <span>

#include "base/level.h"

namespace onnxlet {

inline constexpr int kNBitsRows = 4;  // rows that share an expansion of B

struct NBitsMatrix {
  int64_t k = 0, n = 0;
  int bits = 4;                   // 2 to 8; a column's numbers follow each other from the lowest bit of a byte upwards
  int64_t block = 32;             // a multiple of 16, unless there is a codebook
  const uint8_t* data = nullptr;  // [n][blocks][block * bits / 8]
  const float* scales = nullptr;  // [n][blocks]
  const float* zeros = nullptr;   // [n][blocks], or null: `zero` for all
  float zero = 8;
  const int32_t* group_of = nullptr;  // g_idx: the block whose scale row k uses, or null: k / block
  const float* codebook =
      nullptr;  // 16 values (4 bits only): what the number means; high half of a byte first, no zero point
  int64_t blocks() const { return (k + block - 1) / block; }
};

// Number i of a run of numbers of 2 to 8 bits that begins at a byte.
inline int nbits_number(const uint8_t* run, int64_t i, int bits) {
  const int64_t bit = i * bits, byte = bit / 8;
  const int shift = static_cast<int>(bit % 8);
  int v = run[byte] >> shift;
  if (shift + bits > 8) v |= run[byte + 1] << (8 - shift);
  return v & ((1 << bits) - 1);
}

// ---- weights as they are, A as it is ----

// Columns [j0, j1) in the form pack_b() gives; j0 a multiple of 8.
void nbits_panels(const NBitsMatrix& b, int64_t j0, int64_t j1, float* panels);
// C [m][n] = A [m][k] * B + bias, for few rows: each block is expanded once and used for every row.
void nbits_rows(const NBitsMatrix& b, int64_t m, const float* a, const float* bias, float* c);

// ---- weights repacked, A in fixed point ----
//
// Each 32 neighbours of a row of A share a scale; their products with the weights are summed exactly, and the sums are
// scaled and added in float. Where A is rounded, the largest becomes 127 or -127, and the error is half a step: at most
// 1/254 of it. A row with a number that is not finite then gives NaN. Where it is not, numbers have 22 bits or more
// below the largest, so that the error is that of a float sum; many rows, and what is not finite, go through floats.

enum class NBitsKernel : uint8_t {
#define NBITS_KERNEL(kernel, ...) kernel,
#include "kernels/nbits_kernels.inc"
#undef NBITS_KERNEL
};
std::span<const NBitsKernel> nbits_kernels();      // of this build
bool is_exact_here(NBitsKernel kernel, int bits);  // whether its integers are, on this machine
NBitsKernel nbits_kernel(int bits);                // the fastest that is
const char* name_of(NBitsKernel kernel);

// Four columns together: [n / 4][k / 32][...][4 columns][4 bytes], numbers of 2, 4 or 8 bits. A byte holds those
// of k, k + 4 ..., from the lowest bits upwards.
struct NBitsPacked {
  NBitsKernel kernel{};
  int64_t k = 0, n = 0, block = 0;
  int bits = 4, width = 4;  // as the model has them, as stored
  int shift = 0;            // what was taken off the numbers: machines that read them as signed get 8 bits minus 128
  bool has_zeros = false;
  bool rounds = true;  // A to 8 bits
  float zero = 8;      // of all, where has_zeros is false
  const uint8_t* data = nullptr;
  const float* factors = nullptr;  // scales [n / 4][blocks][4], and behind them zero points times scales likewise

  static constexpr int64_t kUnit = 32;  // that a scale of A covers

  int64_t units() const { return (k + kUnit - 1) / kUnit; }
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t groups() const { return (n + 7) / 8 * 2; }  // an even number
  int64_t group_bytes() const { return units() * kUnit * width / 2; }
  const float* scales() const { return factors; }
  const float* zeros() const { return factors + groups() * blocks() * 4; }
  int64_t bytes() const { return groups() * group_bytes(); }
  int64_t factor_count() const { return groups() * blocks() * (has_zeros ? 8 : 4); }
};
// B without g_idx and codebook, with blocks that are multiples of kUnit. Sizes only: data and factors are to be set.
NBitsPacked nbits_packed(const NBitsMatrix& b, NBitsKernel kernel);
void nbits_pack(const NBitsMatrix& b, const NBitsPacked& p, uint8_t* numbers, float* factors);

int64_t nbits_dot_scratch(const NBitsPacked& b, int64_t m);  // bytes
// Returns the name of the kernel that ran.
const char* nbits_dot(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c, void* scratch);

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

// The same in floats, which rounds nothing.
void nbits_gemm(const NBitsPacked& b, int64_t m, const float* a, const float* bias, float* c);

}  // namespace onnxlet::inline ONNXLET_LEVEL
