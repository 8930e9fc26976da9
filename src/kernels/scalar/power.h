#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_1(sqrt, kFloatingComplex, 6) { return std::sqrt(x); }
DYAD_SCALAR_1(rsqrt, kFloatingComplex, 8) { return T(1) / std::sqrt(x); }

/// Integers to a negative power are 0, except for 1 and -1.
template <class T>
static inline T integer_power(T base, T exponent) {
  if (exponent < T(0)) {
    if (base == T(1)) return T(1);
    if (base == static_cast<T>(-1)) return (scalar::wide(exponent) & 1) ? base : T(1);
    return T(0);
  }
  auto rest = scalar::wide(exponent);
  auto square = scalar::wide(base);
  auto result = scalar::wide(T(1));
  for (; rest != 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

/// a to the power of b.
struct power_scalar {
  // No number is rare; the block-wise loop keeps an exponent that is one number from splitting the loop on
  // it.
  static inline bool rare(float, float) { return false; }
  static inline float fast(float a, float b) { return math::pow(a, b); }
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return integer_power(a, b);
    } else if constexpr (scalar::is_complex<T>) {
      return b == T(0) ? T(1) : (a == T(0) && b.real() > 0 ? T(0) : std::pow(a, b));
    } else {
      return math::pow(a, b);
    }
  }
};
DYAD_LOOP_ENTRY(power, 2, kArithmetic, ::dyad::scalar::kNumeric, 24)

DYAD_SCALAR_2(hypot, kFloating, 8) {
  if constexpr (std::is_same_v<T, float>) {
    const double wide_a = a;
    const double wide_b = b;
    const auto length = static_cast<float>(std::sqrt(wide_a * wide_a + wide_b * wide_b));
    const bool infinite = std::fabs(a) == __builtin_inff() || std::fabs(b) == __builtin_inff();
    return infinite ? __builtin_inff() : length;
  } else {
    return std::hypot(a, b);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
