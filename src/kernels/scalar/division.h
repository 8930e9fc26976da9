#pragma once

#include <cmath>

#include "kernels/scalar/define.h"

// Integer division by zero gives 0, as in NumPy; the processor would stop the program. The smallest integer
// divided by -1 wraps around for the same reason.

namespace dyad::kernels::DYAD_ISA {

template <class T>
static inline T quotient_towards_zero(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const bool negates = b == T(-1);
    const T divisor = b == T(0) || negates ? T(1) : b;
    const T quotient = static_cast<T>(a / divisor);
    const T negated = static_cast<T>(0 - scalar::wide(a));
    return b == T(0) ? T(0) : (negates ? negated : quotient);
  } else {
    return b == T(0) ? T(0) : static_cast<T>(a / (b == T(0) ? T(1) : b));
  }
}

/// What is left after the division towards zero; it has the sign of `a`.
template <class T>
static inline T rest_towards_zero(T a, T b) {
  return b == T(0)
             ? T(0)
             : static_cast<T>(scalar::wide(a) - scalar::wide(quotient_towards_zero(a, b)) * scalar::wide(b));
}

DYAD_SCALAR_2(div, kFloatingComplex, 4) { return a / b; }

DYAD_SCALAR_1(reciprocal, kFloatingComplex, 4) { return T(1) / x; }

DYAD_SCALAR_2(div_no_nan, kFloatingComplex, 4) {
  if constexpr (scalar::is_complex<T>) {
    return b == T(0) ? T(0) : a / b;
  } else {
    const T quotient = a / b;
    return b == T(0) ? T(0) : quotient;
  }
}

// Remainders of floats are exact in double precision as long as the quotient is; larger quotients are rare.
static inline bool quotient_is_long(float a, float b) {
  return !(std::fabs(a) < std::fabs(b) * 268435456.0f) | !(std::fabs(b) < __builtin_inff());
}
static inline float short_rest(float a, float b) {
  const double quotient = std::trunc(static_cast<double>(a) / static_cast<double>(b));
  return static_cast<float>(static_cast<double>(a) - quotient * static_cast<double>(b));
}

/// The rest of a division towards zero, moved to the side of the divisor.
template <class T>
static inline T rest_with_sign_of(T rest, T b) {
  const T shifted = rest + b;
  const bool crosses = (rest != T(0)) & ((rest < T(0)) != (b < T(0)));
  const T moved = crosses ? shifted : rest;
  return rest == T(0) ? std::copysign(T(0), b) : moved;
}

/// The rest of a / b with the sign of a.
struct fmod_scalar {
  static inline bool rare(float a, float b) { return quotient_is_long(a, b); }
  static inline float fast(float a, float b) { return std::copysign(short_rest(a, b), a); }
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      return rest_towards_zero(a, b);
    }
  }
};
DYAD_LOOP_ENTRY(fmod, 2, kArithmetic, ::dyad::scalar::kReal, 8)

/// The rest of a / b with the sign of b.
struct remainder_scalar {
  static inline bool rare(float a, float b) { return quotient_is_long(a, b); }
  static inline float fast(float a, float b) { return rest_with_sign_of(short_rest(a, b), b); }
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return rest_with_sign_of(std::fmod(a, b), b);
    } else {
      const T rest = rest_towards_zero(a, b);
      return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
    }
  }
};
DYAD_LOOP_ENTRY(remainder, 2, kArithmetic, ::dyad::scalar::kReal, 8)

/// a / b rounded down.
struct floor_divide_scalar {
  // Beyond this a float hardly holds the quotient, and how it is rounded depends on the way it is found.
  static inline bool rare(float a, float b) {
    return !(std::fabs(a) < std::fabs(b) * 4194304.0f) | !(std::fabs(b) < __builtin_inff());
  }
  static inline float fast(float a, float b) {
    return static_cast<float>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
  }
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      // Through the remainder, as Python does: rounding a / b would make 1 // 0.1 ten.
      const T rest = std::fmod(a, b);
      const T exact = (a - rest) / b;
      const T stepped = rest != T(0) && (b < T(0)) != (rest < T(0)) ? exact - T(1) : exact;
      const T floored = std::floor(stepped);
      const T nearest = stepped - floored > T(0.5) ? floored + T(1) : floored;
      return b == T(0) ? a / b : (stepped == T(0) ? std::copysign(T(0), a / b) : nearest);
    } else {
      const T quotient = quotient_towards_zero(a, b);
      const T rest = rest_towards_zero(a, b);
      return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(quotient - 1) : quotient;
    }
  }
};
DYAD_LOOP_ENTRY(floor_divide, 2, kArithmetic, ::dyad::scalar::kReal, 8)

DYAD_SCALAR_2(truncate_div, kReal, 8) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::trunc(a / b);
  } else {
    return quotient_towards_zero(a, b);
  }
}

DYAD_SCALAR_2(gcd, kInteger, 64) {
  T x = a;
  T y = b;
  while (y != T(0)) {
    const T rest = rest_towards_zero(x, y);
    x = y;
    y = rest;
  }
  return x < T(0) ? static_cast<T>(0 - scalar::wide(x)) : x;
}

}  // namespace dyad::kernels::DYAD_ISA
