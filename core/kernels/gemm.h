// Float matrix product C = clamp(alpha * A * B + bias), any strides, in parallel, the same bits at any thread count.
#pragma once

#include <cstdint>
#include <limits>

#include "base/level.h"

namespace onnxlet {

inline constexpr int kGemmRows = 4, kGemmCols = 8;

// Element (i, j) is at data[i * row_stride + j * col_stride].
struct Matrix {
  const float* data = nullptr;
  int64_t row_stride = 0, col_stride = 0;
};

struct Epilogue {
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float alpha = 1;
  const float* bias = nullptr;  // added per column
  int64_t bias_stride = 1;      // 0: one value for all columns
  float lo = -kInfinity, hi = kInfinity;
  const float* residual = nullptr;  // added; as large as C and laid out as C is, may be C
  bool clamps() const { return lo != -kInfinity || hi != kInfinity; }
};

struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  Matrix a, b;
  const float* packed_b = nullptr;  // pack_b()'s result; b is then not read
  float* c = nullptr;
  int64_t c_row_stride = 0, c_col_stride = 1;
  Epilogue epilogue;
};

// Floats that a packed B takes: panels of 8 columns, each [k][8].
inline int64_t packed_b_size(int64_t k, int64_t n) { return k * ((n + kGemmCols - 1) / kGemmCols * kGemmCols); }

// Element types without a tile of their own: double, and integers in unsigned (wrapping) arithmetic.
// C (row-major, m x n) = A * B; strides in elements.
template <class T>
struct PlainGemm {
  int64_t m, n, k;
  const T* a;
  int64_t a_row_stride, a_col_stride;
  const T* b;
  int64_t b_row_stride, b_col_stride;
  T* c;
};
template <class T>
void gemm_plain(const PlainGemm<T>& g);  // double, uint32_t, uint64_t

}  // namespace onnxlet

namespace onnxlet::inline ONNXLET_LEVEL {

void pack_b(const Matrix& b, int64_t k, int64_t n, float* out);

// Floats of work memory that gemm() needs (depends on the number of threads).
int64_t gemm_scratch(const Gemm& g);
// Returns the name of the kernel that ran.
const char* gemm(const Gemm& g, float* scratch);

// `batch` products that differ only in where A, B and C start (offsets in floats). `g.packed_b` must be null or shared.
int64_t gemm_batch_scratch(const Gemm& g, int64_t batch);
const char* gemm_batch(const Gemm& g, int64_t batch, const int64_t* a_offsets, const int64_t* b_offsets, int64_t c_step,
                       float* scratch);

// For use inside a body of parallel_for: the same result without splitting the work.
int64_t gemm_serial_scratch(const Gemm& g);
const char* gemm_serial(const Gemm& g, float* scratch);

// The same on one float at a time: the oracle of the tests.
void gemm_scalar(const Gemm& g, float* scratch);

}  // namespace onnxlet::inline ONNXLET_LEVEL
