#pragma once

#include "kernels/scalar/math/multiply_add.h"

namespace dyad::kernels::DYAD_ISA::math {

/// Beyond this size the multiple of pi / 2 that is taken off a float is no longer exact.
inline constexpr float kTurnsLimit = 1.0e6f;

/// x = quarter_turns * pi / 2 + rest with |rest| <= pi / 4.
struct Turns {
  double rest;
  int32_t quarters;
};
static inline Turns turns(float x) {
  const double wide = x;
  const double quarters = std::nearbyint(wide * 0.63661977236758134308);
  // pi / 2 in two parts; the first has few bits, so that its multiples are exact.
  const double rest = (wide - quarters * 1.57079632673412561417) - quarters * 6.0771005065061922e-11;
  return {rest, static_cast<int32_t>(quarters)};
}

/// Sine and cosine of an angle of at most pi / 4.
static inline double sin_near_zero(double rest) {
  const double square = rest * rest;
  return multiply_add(rest * square,
                      polynomial(square, 2.7182382828835293e-06, -0.00019839327216354295,
                                 0.0083333293624807524, -0.16666666641427974),
                      rest);
}
static inline double cos_near_zero(double rest) {
  const double square = rest * rest;
  return multiply_add(square * square,
                      polynomial(square, -2.7209555872508396e-07, 2.4799511837907484e-05,
                                 -0.0013888883722849284, 0.041666666622479233),
                      multiply_add(square, -0.5, 1.0));
}

/// Sine (`quarters` even) or cosine (odd) of the rest, with the sign of the half turn.
static inline float of_quarter(double rest, int32_t quarters) {
  const double sine = sin_near_zero(rest);
  const double cosine = cos_near_zero(rest);
  const auto chosen = static_cast<float>((quarters & 1) ? cosine : sine);
  return (quarters & 2) ? -chosen : chosen;
}

/// Sine and cosine of a float of at most `kTurnsLimit`.
static inline float sin_bounded(float x) {
  const Turns t = turns(x);
  const float result = of_quarter(t.rest, t.quarters);
  return x == 0.0f ? x : result;
}
static inline float cos_bounded(float x) {
  const Turns t = turns(x);
  return of_quarter(t.rest, t.quarters + 1);
}
static inline float tan_bounded(float x) {
  const Turns t = turns(x);
  const double sine = sin_near_zero(t.rest);
  const double cosine = cos_near_zero(t.rest);
  const bool odd = t.quarters & 1;
  const auto result = static_cast<float>((odd ? -cosine : sine) / (odd ? sine : cosine));
  return x == 0.0f ? x : result;
}

static inline float atan(float x) {
  const double size = std::fabs(x);
  const bool steep = size > 1.0;
  const double t = steep ? -1.0 / size : size;
  const double square = t * t;
  // t + t^3 q(t^2) on [-1, 1]; steeper angles are counted from a right angle.
  const double q =
      polynomial(square, 0.0011137896333851705, -0.007317960755721894, 0.022539875587672901,
                 -0.044689951110829962, 0.067415977411793171, -0.088110916037619197, 0.11058223732166068,
                 -0.14279833057433275, 0.19999671123189963, -0.33333326899551496);
  const double angle = multiply_add(t * square, q, t) + (steep ? 1.57079632679489661923 : 0.0);
  return std::copysign(static_cast<float>(angle), x);
}
static inline double atan(double x) { return std::atan(x); }

}  // namespace dyad::kernels::DYAD_ISA::math
