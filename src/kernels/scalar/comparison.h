#pragma once

#include <cmath>
#include <limits>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_COMPARE_2(less, kRealBool, 1) { return a < b; }
DYAD_COMPARE_2(less_equal, kRealBool, 1) { return a <= b; }
DYAD_COMPARE_2(greater, kRealBool, 1) { return a > b; }
DYAD_COMPARE_2(greater_equal, kRealBool, 1) { return a >= b; }
DYAD_COMPARE_2(equal, kAll, 1) { return a == b; }
DYAD_COMPARE_2(not_equal, kAll, 1) { return !(a == b); }

DYAD_COMPARE_1(isnan, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return x.real() != x.real() || x.imag() != x.imag();
  } else {
    return x != x;
  }
}

template <class T>
static inline bool is_infinite(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  } else {
    return false;
  }
}

DYAD_COMPARE_1(isinf, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return is_infinite(x.real()) || is_infinite(x.imag());
  } else {
    return is_infinite(x);
  }
}

DYAD_COMPARE_1(isfinite, kAll, 1) { return !isinf_scalar::apply<T>(x) && !isnan_scalar::apply<T>(x); }
DYAD_COMPARE_1(isposinf, kRealBool, 1) { return is_infinite(x) && x > T(0); }
DYAD_COMPARE_1(isneginf, kRealBool, 1) { return is_infinite(x) && x < T(0); }

DYAD_COMPARE_1(isreal, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return x.imag() == scalar::Real<T>(0);
  } else {
    return true;
  }
}

DYAD_COMPARE_1(signbit, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::signbit(x);
  } else {
    return x < T(0);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
