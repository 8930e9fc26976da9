#pragma once

// The C library's functions for device code, in double precision and within a few units of the last place.
// The scalar definitions call them by their usual names; `math_names.h` gives them those.

#include <bit>
#ifdef __NVPTX__
// Complex functions by the formulas of the C++ library, over those below.
#undef _GLIBCXX_USE_C99_COMPLEX
#undef _GLIBCXX_USE_C99_COMPLEX_TR1
#endif
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cuda/device/math_tables.h"
#include "kernels/scalar/math/exponential.h"

namespace dyad::cuda::libm {

namespace series = ::dyad::kernels::DYAD_ISA::math;

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kHalfPi = 1.57079632679489661923;
inline constexpr double kHalfPiRest = 6.123233995736766e-17;
inline constexpr double kLog2 = 0.69314718055994530942;
inline constexpr double kLog2Rest = 2.3190468138462996e-17;

inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double size_of(double x) { return __builtin_fabs(x); }
inline double root(double x) { return __builtin_sqrt(x); }

/// A number in two parts, the second less than the last place of the first.
struct Twice {
  double high;
  double low;
};
inline Twice sum_of(double a, double b) {
  const double high = a + b;
  const double back = high - a;
  return {high, (a - (high - back)) + (b - back)};
}
inline Twice product_of(double a, double b) {
  const double high = a * b;
  return {high, fused(a, b, -high)};
}
inline Twice product_of(Twice a, Twice b) {
  const Twice p = product_of(a.high, b.high);
  return {p.high, p.low + (a.high * b.low + a.low * b.high)};
}

/// A Chebyshev series at t in [-1, 1].
template <int count>
inline double chebyshev(const double (&c)[count], double t) {
  double a = 0.0;
  double b = 0.0;
  for (int k = count - 1; k > 0; --k) {
    const double next = fused(2.0 * t, a, c[k] - b);
    b = a;
    a = next;
  }
  return fused(t, a, c[0] - b);
}

// Exponentials.

/// e^(x + rest) for a small rest.
inline double exp_of(double x, double rest) {
  if (x != x) return x;
  const double bounded = x < -746.0 ? -746.0 : (x > 710.0 ? 710.0 : x);
  const double k = __builtin_nearbyint(bounded * 1.44269504088896340736);
  double r = fused(k, -0.69314718036912381649, bounded);
  r = fused(k, -1.9082149292705877e-10, r) + rest;
  const double half = __builtin_nearbyint(k * 0.5);
  return series::exp_near_zero(r) * series::power_of_two(half) * series::power_of_two(k - half);
}
inline double exp(double x) { return exp_of(x, 0.0); }
inline double exp2(double x) {
  if (x != x) return x;
  const double bounded = x < -1080.0 ? -1080.0 : (x > 1025.0 ? 1025.0 : x);
  const double k = __builtin_nearbyint(bounded);
  const double half = __builtin_nearbyint(k * 0.5);
  return series::exp_near_zero((bounded - k) * kLog2) * series::power_of_two(half) *
         series::power_of_two(k - half);
}
/// e^x - 1: near zero its own series, which has no one to take away.
inline double expm1(double x) {
  if (x != x || size_of(x) < 1e-17) return x;
  if (size_of(x) < 0.35) {
    double sum = 0.0;
    for (int k = 16; k > 2; --k) sum = (sum + 1.0) * x / k;
    return fused(0.5 * x, (sum + 1.0) * x, x);
  }
  return exp(x) - 1.0;
}

// Logarithms.

/// x = mantissa * 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)), for a positive finite x.
struct Split {
  double mantissa;
  double exponent;
};
inline Split split(double x) {
  const bool denormal = x < std::numeric_limits<double>::min();
  const uint64_t bits = std::bit_cast<uint64_t>(denormal ? x * 0x1p54 : x);
  const int64_t exponent = static_cast<int64_t>(bits - 0x3fe6a09e667f3bcdu) >> 52;
  const double mantissa = std::bit_cast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  return {mantissa, static_cast<double>(exponent) - (denormal ? 54.0 : 0.0)};
}
/// log(1 + f) / s - 2 with s = f / (2 + f), by the square of s: at most 0.03.
inline double log_tail(double square) {
  double sum = 0.0;
  for (int k = 12; k > 0; --k) sum = fused(sum, square, 2.0 / (2 * k + 1));
  return sum * square;
}
/// log(m) for a mantissa.
inline double log_of_mantissa(double mantissa) {
  const double f = mantissa - 1.0;
  const double s = f / (2.0 + f);
  const double half = 0.5 * f * f;
  return f - (half - s * (half + log_tail(s * s)));
}
/// What all logarithms have in common outside of (0, inf).
inline double log_outside(double x) {
  if (x == 0.0) return -kInfinite;
  return x < 0.0 ? kNotANumber : x;
}
inline bool has_log(double x) { return x > 0.0 && x < kInfinite; }

inline double log(double x) {
  if (!has_log(x)) return log_outside(x);
  const Split parts = split(x);
  const double f = parts.mantissa - 1.0;
  const double s = f / (2.0 + f);
  const double half = 0.5 * f * f;
  const double low = fused(s, half + log_tail(s * s), parts.exponent * 1.9082149292705877e-10);
  return fused(parts.exponent, 0.69314718036912381649, f - (half - low));
}
inline double log2(double x) {
  if (!has_log(x)) return log_outside(x);
  const Split parts = split(x);
  return fused(log_of_mantissa(parts.mantissa), 1.44269504088896340736, parts.exponent);
}
inline double log10(double x) {
  if (!has_log(x)) return log_outside(x);
  const Split parts = split(x);
  const double low = fused(parts.exponent, -2.8037281277851704e-18,
                           log_of_mantissa(parts.mantissa) * 0.43429448190325182765);
  return fused(parts.exponent, 0.30102999566398119521, low);
}
inline double log1p(double x) {
  const double sum = 1.0 + x;
  if (!has_log(sum) || sum == 1.0) return sum == 1.0 ? x : log_outside(sum);
  // What rounding the sum lost, at the slope there.
  const double lost = sum > 2.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
  return log(sum) + lost / sum;
}

/// log(x) with twice the digits, for a positive finite x.
inline Twice log_twice(double x) {
  const Split parts = split(x);
  const double f = parts.mantissa - 1.0;
  const Twice below = sum_of(2.0, f);
  const double s = f / below.high;
  const Twice quotient{s, (fused(-s, below.high, f) - s * below.low) / below.high};
  const Twice square = product_of(quotient, quotient);
  // s (2 + 2/3 s^2 + ...): the second term with all digits too.
  const Twice cubic = product_of(product_of(square, quotient), Twice{2.0 / 3.0, 3.700743415417188e-17});
  double sum = 0.0;
  for (int k = 13; k > 1; --k) sum = fused(sum, square.high, 2.0 / (2 * k + 1));
  const double rest = sum * square.high * square.high * s;
  const Twice whole = product_of(parts.exponent, kLog2);
  Twice result = sum_of(whole.high, 2.0 * quotient.high);
  Twice more = sum_of(result.high, cubic.high);
  const double low =
      whole.low + parts.exponent * kLog2Rest + result.low + 2.0 * quotient.low + more.low + cubic.low + rest;
  return sum_of(more.high, low);
}

inline double pow(double x, double y) {
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return x + y;
  const double size = size_of(x);
  const bool whole = __builtin_trunc(y) == y;
  const bool odd = whole && size_of(y) < 0x1p53 && __builtin_trunc(y * 0.5) * 2.0 != y;
  if (size_of(y) == kInfinite) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? kInfinite : 0.0;
  }
  double result = 0.0;
  if (size == 0.0 || size == kInfinite) {
    result = (size == 0.0) == (y > 0.0) ? 0.0 : kInfinite;
  } else {
    if (x < 0.0 && !whole) return kNotANumber;
    const Twice logarithm = log_twice(size);
    const Twice product = product_of(logarithm.high, y);
    const bool far = size_of(product.high) > 800.0;
    result = exp_of(product.high, far ? 0.0 : product.low + logarithm.low * y);
  }
  return odd ? __builtin_copysign(result, x) : result;
}

}  // namespace dyad::cuda::libm

#include "kernels/cuda/device/math_angles.h"
#include "kernels/cuda/device/math_special.h"

#ifdef __NVPTX__
#include "kernels/cuda/device/math_names.h"
#endif
