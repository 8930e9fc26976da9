#pragma once

#include <cmath>

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

// `apply` takes the fast form too where it holds: what a number gives does not depend on those around it.

/// The sine of a number in radians.
struct sin_scalar {
  static inline bool rare(float x) { return !(std::fabs(x) <= math::kTurnsLimit); }
  static inline float fast(float x) { return math::sin_bounded(x); }
  static inline float apply(float x) { return rare(x) ? std::sin(x) : fast(x); }
  template <class T>
  static inline T apply(T x) {
    return std::sin(x);
  }
};
DYAD_LOOP_ENTRY(sin, 1, kArithmetic, ::dyad::scalar::kFloatingComplex, 16)

/// The cosine of a number in radians.
struct cos_scalar {
  static inline bool rare(float x) { return !(std::fabs(x) <= math::kTurnsLimit); }
  static inline float fast(float x) { return math::cos_bounded(x); }
  static inline float apply(float x) { return rare(x) ? std::cos(x) : fast(x); }
  template <class T>
  static inline T apply(T x) {
    return std::cos(x);
  }
};
DYAD_LOOP_ENTRY(cos, 1, kArithmetic, ::dyad::scalar::kFloatingComplex, 16)

/// The tangent of a number in radians.
struct tan_scalar {
  static inline bool rare(float x) { return !(std::fabs(x) <= math::kTurnsLimit); }
  static inline float fast(float x) { return math::tan_bounded(x); }
  static inline float apply(float x) { return rare(x) ? std::tan(x) : fast(x); }
  template <class T>
  static inline T apply(T x) {
    return std::tan(x);
  }
};
DYAD_LOOP_ENTRY(tan, 1, kArithmetic, ::dyad::scalar::kFloatingComplex, 16)

DYAD_SCALAR_1(asin, kFloatingComplex, 24) { return std::asin(x); }
DYAD_SCALAR_1(acos, kFloatingComplex, 24) { return std::acos(x); }
DYAD_SCALAR_1(atan, kFloatingComplex, 16) {
  if constexpr (scalar::is_complex<T>) {
    return std::atan(x);
  } else {
    return math::atan(x);
  }
}
DYAD_SCALAR_2(atan2, kFloating, 32) { return std::atan2(a, b); }

DYAD_SCALAR_1(sinh, kFloatingComplex, 24) { return std::sinh(x); }
DYAD_SCALAR_1(cosh, kFloatingComplex, 24) { return std::cosh(x); }
DYAD_SCALAR_1(asinh, kFloatingComplex, 24) { return std::asinh(x); }
DYAD_SCALAR_1(acosh, kFloatingComplex, 24) { return std::acosh(x); }
DYAD_SCALAR_1(atanh, kFloatingComplex, 24) { return std::atanh(x); }

DYAD_SCALAR_1(tanh, kFloatingComplex, 12) {
  if constexpr (scalar::is_complex<T>) {
    return std::tanh(x);
  } else {
    return math::tanh(x);
  }
}

DYAD_SCALAR_2(tanh_grad, kFloatingComplex, 1) { return a * (T(1) - b * b); }

DYAD_SCALAR_1(sinc, kFloatingComplex, 24) {
  using R = scalar::Real<T>;
  const T turned = x * T(R(3.14159265358979323846));
  return x == T(0) ? T(1) : std::sin(turned) / turned;
}

}  // namespace dyad::kernels::DYAD_ISA
