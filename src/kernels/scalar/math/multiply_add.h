#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA::math {

/// a * b + c, rounded once where the processor can do so.
static inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
static inline double multiply_add(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The polynomial with the given coefficients, highest power first.
template <class T>
static inline T polynomial(T, T highest) {
  return highest;
}
template <class T, class... Rest>
static inline T polynomial(T x, T highest, T next, Rest... rest) {
  return polynomial(x, multiply_add(highest, x, next), rest...);
}

template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();

}  // namespace dyad::kernels::DYAD_ISA::math
