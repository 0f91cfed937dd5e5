#include "kernels/fft.h"

#include <cmath>
#include <utility>

namespace onnxlet {
namespace {

constexpr double kPi = 3.14159265358979323846;

Complex128 mul(Complex128 a, Complex128 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

int64_t convolution_length(int64_t n) {
  if (is_power_of_two(n)) return 0;
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  return m;
}

void fill_roots(int64_t n, Complex128* roots) {
  for (int64_t k = 0; k < n / 2; ++k) {
    const double angle = -2 * kPi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
}

// n is a power of two.
void radix2(Complex128* x, int64_t n, const Complex128* roots) {
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int64_t half = 1; half < n; half *= 2) {
    const int64_t step = n / (2 * half);
    for (int64_t base = 0; base < n; base += 2 * half) {
      for (int64_t k = 0; k < half; ++k) {
        Complex128& a = x[base + k];
        Complex128& b = x[base + k + half];
        const Complex128 t = mul(roots[k * step], b);
        b = {a.re - t.re, a.im - t.im};
        a = {a.re + t.re, a.im + t.im};
      }
    }
  }
}

void conjugate(Complex128* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i].im = -x[i].im;
}

}  // namespace

int64_t Fft::table_size(int64_t n) {
  const int64_t m = convolution_length(n);
  return m == 0 ? n / 2 + 1 : m / 2 + n + m;
}
int64_t Fft::work_size(int64_t n) { return convolution_length(n) + 1; }

Fft::Fft(int64_t n, Complex128* table) : n_(n), m_(convolution_length(n)), roots_(table) {
  if (m_ == 0) {
    fill_roots(n, table);
    return;
  }
  fill_roots(m_, table);
  Complex128* chirp = table + m_ / 2;
  Complex128* filter = chirp + n;
  for (int64_t k = 0; k < n; ++k) {
    // k^2 modulo 2n keeps the angle small and exact.
    const double angle = -kPi * static_cast<double>(k * k % (2 * n)) / static_cast<double>(n);
    chirp[k] = {std::cos(angle), std::sin(angle)};
  }
  for (int64_t i = 0; i < m_; ++i) filter[i] = {0, 0};
  for (int64_t k = 0; k < n; ++k) {
    const Complex128 c{chirp[k].re, -chirp[k].im};
    filter[k] = c;
    if (k > 0) filter[m_ - k] = c;
  }
  radix2(filter, m_, roots_);
  chirp_ = chirp;
  filter_ = filter;
}

void Fft::run(Complex128* x, bool inverse, Complex128* work) const {
  if (inverse) conjugate(x, n_);
  if (m_ == 0) {
    radix2(x, n_, roots_);
  } else {
    for (int64_t i = 0; i < n_; ++i) work[i] = mul(x[i], chirp_[i]);
    for (int64_t i = n_; i < m_; ++i) work[i] = {0, 0};
    radix2(work, m_, roots_);
    // The inverse transform of the product, by conjugating before and after.
    for (int64_t i = 0; i < m_; ++i) {
      work[i] = mul(work[i], filter_[i]);
      work[i].im = -work[i].im;
    }
    radix2(work, m_, roots_);
    const double scale = 1 / static_cast<double>(m_);
    for (int64_t i = 0; i < n_; ++i) x[i] = mul({work[i].re * scale, -work[i].im * scale}, chirp_[i]);
  }
  if (inverse) conjugate(x, n_);
}

}  // namespace onnxlet
