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

/// Sine (`quarters` even) or cosine (odd) of the rest, with the sign of the half turn.
static inline float of_quarter(double rest, int32_t quarters) {
  const double square = rest * rest;
  const double sine = multiply_add(rest * square,
                                   polynomial(square, 2.7182382828835293e-06, -0.00019839327216354295,
                                              0.0083333293624807524, -0.16666666641427974),
                                   rest);
  const double cosine = multiply_add(square * square,
                                     polynomial(square, -2.7209555872508396e-07, 2.4799511837907484e-05,
                                                -0.0013888883722849284, 0.041666666622479233),
                                     multiply_add(square, -0.5, 1.0));
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

}  // namespace dyad::kernels::DYAD_ISA::math
