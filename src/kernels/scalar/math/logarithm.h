#pragma once

#include "kernels/scalar/math/multiply_add.h"

namespace dyad::kernels::DYAD_ISA::math {

/// x = mantissa * 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)), for a positive finite x.
struct Split {
  float mantissa;
  float exponent;
};
static inline Split split(float x) {
  const bool denormal = x < std::numeric_limits<float>::min();
  const uint32_t bits = std::bit_cast<uint32_t>(denormal ? x * 8388608.0f : x);
  const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;  // other numbers wrap around
  const float mantissa = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23));
  return {mantissa, static_cast<float>(exponent) - (denormal ? 23.0f : 0.0f)};
}

/// What all logarithms have in common outside (0, inf).
static inline float logarithm_at_edges(float x, float inside) {
  const float positive = x == kInfinity<float> ? x : inside;
  const float zero_or_positive = x == 0.0f ? -kInfinity<float> : positive;
  return x >= 0.0f ? zero_or_positive : std::numeric_limits<float>::quiet_NaN();
}

static inline float log(float x) {
  const Split parts = split(x);
  const float f = parts.mantissa - 1.0f;
  // log(1 + f) = f - f^2 / 2 + f^3 q(f)
  const float q =
      polynomial(f, 6.7464726154e-2f, -1.1695726406e-1f, 1.1899008654e-1f, -1.2403304192e-1f,
                 1.4217899265e-1f, -1.6668051741e-1f, 2.0002194217e-1f, -2.5000009788e-1f, 3.3333311644e-1f);
  const float square = f * f;
  // ln 2 in two parts; the first has few bits, so that its multiples are exact.
  float tail = multiply_add(parts.exponent, -2.12194440e-4f, q * f * square);
  tail = multiply_add(square, -0.5f, tail);
  return logarithm_at_edges(x, multiply_add(parts.exponent, 0.693359375f, f + tail));
}
static inline double log(double x) { return std::log(x); }

/// Natural logarithm of a mantissa near one, in double precision: s q(s^2) with s = (m - 1) / (m + 1).
static inline double log_mantissa_wide(double m) {
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  const double q = polynomial(z, 0.19609868309045386, 0.22174126223280807, 0.28572169148985838,
                              0.39999994862270288, 0.66666666679680497, 1.9999999999999467);
  return s * q;
}

static inline float log2(float x) {
  const Split parts = split(x);
  const double inside = multiply_add(log_mantissa_wide(parts.mantissa), 1.44269504088896340736,
                                     static_cast<double>(parts.exponent));
  return logarithm_at_edges(x, static_cast<float>(inside));
}
static inline double log2(double x) { return std::log2(x); }

static inline float log10(float x) {
  const Split parts = split(x);
  const double inside = multiply_add(static_cast<double>(parts.exponent), 0.30102999566398119521,
                                     log_mantissa_wide(parts.mantissa) * 0.43429448190325182765);
  return logarithm_at_edges(x, static_cast<float>(inside));
}
static inline double log10(double x) { return std::log10(x); }

static inline float log1p(float x) {
  // 1 + x is split as a float; what the rounding of the sum lost is given back to the mantissa in double
  // precision.
  const float sum = 1.0f + x;
  const Split parts = split(sum);
  const double ratio = (1.0 + static_cast<double>(x)) / static_cast<double>(sum);
  const double inside = multiply_add(static_cast<double>(parts.exponent), 0.69314718055994530942,
                                     log_mantissa_wide(static_cast<double>(parts.mantissa) * ratio));
  const float near = multiply_add(x * x, multiply_add(x, 0.33333333f, -0.5f), x);
  const float far = logarithm_at_edges(sum, static_cast<float>(inside));
  return std::fabs(x) < 1e-3f ? near : far;
}
static inline double log1p(double x) { return std::log1p(x); }

}  // namespace dyad::kernels::DYAD_ISA::math
