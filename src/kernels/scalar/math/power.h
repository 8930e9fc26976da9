#pragma once

#include "kernels/scalar/math/exponential.h"
#include "kernels/scalar/math/logarithm.h"

namespace dyad::kernels::DYAD_ISA::math {

/// |x|^y for finite positive |x|, as 2^(y log2 |x|) in double precision.
static inline float power_of_size(float size, float y) {
  const Split parts = split(size);
  const double logarithm = multiply_add(log_mantissa_wide(parts.mantissa), 1.44269504088896340736,
                                        static_cast<double>(parts.exponent));
  const double product = static_cast<double>(y) * logarithm;
  const double clamped = product < -300.0 ? -300.0 : (product > 300.0 ? 300.0 : product);
  const double k = std::nearbyint(clamped);
  return static_cast<float>(exp_near_zero((clamped - k) * 0.69314718055994530942) * power_of_two(k));
}

static inline float pow(float x, float y) {
  // Conditions are joined with & and |, and every value is computed before it is chosen: a branch would keep
  // the compiler from vectorising.
  const float size = std::fabs(x);
  const float general = power_of_size(size, y);
  const float half = y * 0.5f;
  const bool whole = std::nearbyintf(y) == y;
  const bool odd = whole & (std::nearbyintf(half) != half) & (std::fabs(y) < 16777216.0f);
  const bool at_zero = size == 0.0f;
  const bool at_infinity = size == kInfinity<float>;
  const float at_end = at_zero == (y > 0.0f) ? 0.0f : kInfinity<float>;
  const float positive = at_zero | at_infinity ? at_end : general;
  const float reversed = std::copysign(positive, x);
  const float with_sign = odd ? reversed : positive;
  const bool undefined = (x < 0.0f) & !whole & !at_infinity;
  const float defined = undefined ? std::numeric_limits<float>::quiet_NaN() : with_sign;
  const float sum = x + y;
  const float number = (x != x) | (y != y) ? sum : defined;
  const bool is_one = (x == 1.0f) | (y == 0.0f) | ((x == -1.0f) & (std::fabs(y) == kInfinity<float>));
  return is_one ? 1.0f : number;
}
static inline double pow(double x, double y) { return std::pow(x, y); }

}  // namespace dyad::kernels::DYAD_ISA::math
