// Discrete Fourier transform of any length in double: radix 2 (Cooley and Tukey, 1965) for powers of two, otherwise as
// a convolution of power-of-two length (Bluestein, 1970).
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace onnxlet {

class Fft {
 public:
  // Elements of table and of per-transform work memory that a transform of length n needs.
  static int64_t table_size(int64_t n);
  static int64_t work_size(int64_t n);

  Fft(int64_t n, Complex128* table);  // fills the table, which must outlive the object

  // x[n] in place: sum over j of x[j] exp(-2 pi i j k / n), or with +i (and no division by n) for the inverse.
  void run(Complex128* x, bool inverse, Complex128* work) const;

 private:
  int64_t n_, m_;                       // m_: length of the convolution, 0 for powers of two
  const Complex128* roots_;             // exp(-2 pi i k / N), k < N / 2, N = m_ or n_
  const Complex128* chirp_ = nullptr;   // exp(-pi i k^2 / n)
  const Complex128* filter_ = nullptr;  // transform of the conjugate chirp
};

}  // namespace onnxlet
