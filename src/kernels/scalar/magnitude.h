#pragma once

#include <cmath>

#include "kernels/scalar/define.h"

// Size, sign and order of numbers. NaN wins in maximum and minimum and loses in fmax and fmin; clamp keeps
// it.

namespace dyad::kernels::DYAD_ISA {

DYAD_REAL_1(abs, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return std::abs(x);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else if constexpr (std::is_signed_v<T>) {
    return x < T(0) ? static_cast<T>(0 - scalar::wide(x)) : x;
  } else {
    return x;
  }
}

DYAD_SCALAR_1(sign, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    const T direction = static_cast<T>((x > T(0)) - (x < T(0)));
    return x != x ? x : direction;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>((x > T(0)) - (x < T(0)));
  } else {
    return static_cast<T>(x != T(0));
  }
}

DYAD_SCALAR_2(maximum, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return (a > b) | (a != a) ? a : b;
  } else {
    return a > b ? a : b;
  }
}

DYAD_SCALAR_2(minimum, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return (a < b) | (a != a) ? a : b;
  } else {
    return a < b ? a : b;
  }
}

DYAD_SCALAR_2(fmax, kRealBool, 1) { return (a >= b) | (b != b) ? a : b; }
DYAD_SCALAR_2(fmin, kRealBool, 1) { return (a <= b) | (b != b) ? a : b; }

/// The upper bound holds where the bounds cross.
DYAD_SCALAR_3(clamp_between, kRealBool, 1) {
  const T lifted = (a < b) | (b != b) ? b : a;
  return (lifted > c) | (c != c) ? c : lifted;
}

DYAD_SCALAR_2(copysign, kFloating, 1) { return std::copysign(a, b); }
DYAD_SCALAR_2(nextafter, kFloating, 8) { return std::nextafter(a, b); }

DYAD_SCALAR_2(heaviside, kRealBool, 1) {
  const T step = static_cast<T>(a > T(0));
  return a == T(0) ? b : (a != a ? a : step);
}

}  // namespace dyad::kernels::DYAD_ISA
