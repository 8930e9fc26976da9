#pragma once

// Numbers of a distribution out of words of the counter-based stream, for every device.

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/philox.h"

namespace dyad::kernels {

inline float unit_float(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
inline double unit_double(uint32_t high, uint32_t low) {
  const uint64_t bits = (uint64_t{high} << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

/// Box-Muller: two uniform numbers become two normal ones.
template <class T>
inline void normal_pair(T u1, T u2, T* e) {
  const T radius = std::sqrt(T(-2) * std::log(T(1) - u1));
  const T angle = T(2) * std::numbers::pi_v<T> * u2;
  e[0] = radius * std::cos(angle);
  e[1] = radius * std::sin(angle);
}

/// Numbers for one element that needs an unknown number of tries: a stretch of the stream of its own.
class Tries {
 public:
  static constexpr int64_t kPositions = 64;
  Tries(uint64_t seed, uint64_t position, int64_t element)
      : seed_(seed), position_(position + static_cast<uint64_t>(element * kPositions)) {}
  double uniform() {
    if (used_ == 0) random_ = Philox(seed_, position_++);
    const double value = used_ == 0 ? unit_double(random_.words[0], random_.words[1])
                                    : unit_double(random_.words[2], random_.words[3]);
    used_ = (used_ + 2) % 4;
    return value;
  }
  double normal() {
    double pair[2];
    const double first = uniform();
    normal_pair(first, uniform(), pair);
    return pair[0];
  }

 private:
  uint64_t seed_;
  uint64_t position_;
  Philox random_{0, 0};
  int used_ = 0;
};

inline double truncated_normal_of(double low, double high, Tries& tries) {
  double value = tries.normal();
  for (int64_t i = 1; i < Tries::kPositions && (value < low || value > high); ++i) value = tries.normal();
  return value < low ? low : value > high ? high : value;
}

/// Marsaglia and Tsang's method; below 1 a gamma of one more is scaled down. `alpha` is above 0.
inline double gamma_of(double alpha, Tries& tries) {
  if (alpha == std::numeric_limits<double>::infinity()) return alpha;
  const double boost = alpha < 1 ? std::pow(1 - tries.uniform(), 1 / alpha) : 1;
  const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = tries.normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    const double u = 1 - tries.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return boost * d * v;
  }
}

/// Hörmann's transformed rejection, which takes as long for any rate: a ratio of uniforms under a table
/// mountain hat.
inline double poisson_of_large(double rate, Tries& tries) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double accepted_at_once = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = tries.uniform() - 0.5;
    const double v = 1 - tries.uniform();
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= accepted_at_once) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    const double height = std::log(v * inverse_alpha / (a / (edge * edge) + b));
    int sign = 0;
    if (height <= k * std::log(rate) - rate - ::lgamma_r(k + 1, &sign)) return k;
  }
}

/// Multiplication of uniforms for small rates, rejection for others. `rate` is 0 or more.
inline double poisson_of(double rate, Tries& tries) {
  constexpr double kSmall = 12;
  if (rate == std::numeric_limits<double>::infinity()) return rate;
  if (rate > kSmall) return poisson_of_large(rate, tries);
  const double limit = std::exp(-rate);
  double total = 0;
  for (double product = 1 - tries.uniform(); product > limit; product *= 1 - tries.uniform()) ++total;
  return total;
}

}  // namespace dyad::kernels
