#include "codecs/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace onnxlet {
namespace {

constexpr int64_t kZeros = 50, kSteps = 512;  // entries between two zeros; what lies between them is interpolated
constexpr double kCutOff = 0.95, kBeta = 7.857;

// The modified Bessel function of order 0.
double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-12; ++k) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

}  // namespace

Downsampler::Downsampler(int64_t from_rate, int64_t to_rate) : from_(from_rate), to_(to_rate) {
  filter_.reserve(kZeros * kSteps + 2);
  for (int64_t i = 0; i <= kZeros * kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps, angle = std::numbers::pi * kCutOff * t;
    const double inside = 1 - (t / kZeros) * (t / kZeros);
    const double window = bessel(kBeta * std::sqrt(std::max(inside, 0.0))) / bessel(kBeta);
    filter_.push_back(static_cast<float>((i == 0 ? 1 : std::sin(angle) / angle) * kCutOff * window));
  }
  filter_.push_back(0);
}

void Downsampler::run(const float* in, int64_t count, int64_t stride, float* out) const {
  const double ratio = static_cast<double>(to_) / static_cast<double>(from_);  // below 1
  const auto reach = static_cast<int64_t>(static_cast<double>(kZeros) / ratio);
  for (int64_t i = 0; i < size(count); ++i) {
    // Its place among the old samples: a whole number, and a part of the old distance.
    const int64_t centre = i * from_ / to_;
    const double part = static_cast<double>(i * from_ % to_) / static_cast<double>(to_);
    double sum = 0;
    for (int64_t k = std::max<int64_t>(centre - reach, 0); k <= std::min(centre + reach + 1, count - 1); ++k) {
      const double at = std::abs(static_cast<double>(k - centre) - part) * ratio * kSteps;
      const auto entry = static_cast<size_t>(at);
      if (entry >= static_cast<size_t>(kZeros * kSteps)) continue;
      const double between = at - static_cast<double>(entry);
      const double weight = filter_[entry] + between * (filter_[entry + 1] - filter_[entry]);
      sum += weight * static_cast<double>(in[k * stride]);
    }
    out[i * stride] = static_cast<float>(sum * ratio);
  }
}

}  // namespace onnxlet
