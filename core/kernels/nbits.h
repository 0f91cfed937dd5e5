// Products with weights of few bits. B is stored by column: k values of one column together, in blocks with a scale
// each.
#pragma once

#include <cstdint>

namespace onnxlet {

inline constexpr int kNBitsRows = 4;  // rows that share one expansion of a block

struct NBitsMatrix {
  int64_t k = 0, n = 0;
  int bits = 4;                   // 2, 4, 8; values lie from the lowest bits of a byte upwards
  int64_t block = 32;             // a multiple of 8 / bits
  const uint8_t* data = nullptr;  // [n][blocks][block * bits / 8]
  const float* scales = nullptr;  // [n][blocks]
  const float* zeros = nullptr;   // [n][blocks], or null: `zero` for all
  float zero = 8;
  const int32_t* group_of = nullptr;  // g_idx: the block whose scale row k uses, or null: k / block
  const float* codebook =
      nullptr;  // 16 values (4 bits only): what the number means; high half of a byte first, no zero point
  int64_t blocks() const { return (k + block - 1) / block; }
};

// Columns [j0, j1) in the form pack_b() gives; j0 a multiple of 8.
void nbits_panels(const NBitsMatrix& b, int64_t j0, int64_t j1, float* panels);
// C [m][n] = A [m][k] * B + bias, for few rows: each block is expanded once and used for every row.
void nbits_rows(const NBitsMatrix& b, int64_t m, const float* a, const float* bias, float* c);

}  // namespace onnxlet
