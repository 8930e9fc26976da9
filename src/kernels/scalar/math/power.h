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
  const float size = std::fabs(x);
  const bool whole = std::nearbyintf(y) == y;
  const bool odd = whole && std::nearbyintf(y * 0.5f) != y * 0.5f && std::fabs(y) < 16777216.0f;
  const float at_end = (size == 0.0f) == (y > 0.0f) ? 0.0f : kInfinity<float>;
  const bool at_edge = size == 0.0f || size == kInfinity<float>;
  const float positive = at_edge ? at_end : power_of_size(size, y);
  const float with_sign = odd ? std::copysign(positive, x) : positive;
  const bool undefined = x < 0.0f && !whole && size != kInfinity<float>;
  const float defined = undefined ? std::numeric_limits<float>::quiet_NaN() : with_sign;
  const float number = x != x || y != y ? x + y : defined;
  const bool is_one = x == 1.0f || y == 0.0f || (x == -1.0f && std::fabs(y) == kInfinity<float>);
  return is_one ? 1.0f : number;
}
static inline double pow(double x, double y) { return std::pow(x, y); }

}  // namespace dyad::kernels::DYAD_ISA::math
