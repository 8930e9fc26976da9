#pragma once

#include "kernels/scalar/math/exponential.h"

namespace dyad::kernels::DYAD_ISA::math {

/// Beyond this distance from zero the tail of the normal distribution is no normal number and is taken as
/// nothing.
template <class T>
inline constexpr T kNormalReach = std::is_same_v<T, float> ? T(12.9) : T(37.5);

/// e^(-x^2 / 2) for |x| <= kNormalReach.
static inline float normal_decay(float x) {
  // What rounding the square leaves out would be multiplied by the exponential's slope.
  const float square = x * x;
  const float rest = multiply_add(x, x, -square);
  const float shifted = multiply_add(square, -0.72134752044448170f, kRounding);
  const float k = shifted - kRounding;
  // One float for ln 2 scales the square by 1 + 2.7e-9.
  const float r = multiply_add(rest, -0.5f, multiply_add(k, -0.693147180559945f, square * -0.5f));
  return exp_near_zero(r) * power_of_two_from<0>(shifted);
}
static inline double normal_decay(double x) { return std::exp(-0.5 * x * x); }

/// The probability of a number below -size, for 0 <= size <= kNormalReach: the decay, scale of its square
/// included, times a ratio of polynomials whose coefficients are all positive, so that nothing cancels
/// however small it is.
static inline float normal_tail(float size) {
  const float above =
      polynomial(size, 4.024832270e-3f, 4.002397471e-2f, 1.814414484e-1f, 4.359016932e-1f, 5.000000025e-1f);
  const float below =
      polynomial(size, 1.008863418e-2f, 1.003322259e-1f, 4.647336386e-1f, 1.195097310f, 1.669688302f, 1.0f);
  return normal_decay(size) * (above / below);
}
static inline double normal_tail(double size) { return 0.5 * std::erfc(size * 0.70710678118654752440); }

}  // namespace dyad::kernels::DYAD_ISA::math
