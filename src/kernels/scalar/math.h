#pragma once

// Elementary functions as branch-free polynomials, so that the compiler can vectorise a loop around them. float:
// within 2 ulp; double: the C library's.

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA::math {

/// 2^k for an integral k in [-126, 127], by writing the exponent.
static inline float power_of_two(float k) {
  return std::bit_cast<float>((static_cast<int32_t>(k) + 127) << 23);
}

static inline float exp(float x) {
  // x = k ln 2 + r with |r| <= ln 2 / 2; the polynomial gives e^r. k is applied in two halves so that results near
  // both ends of the range are right.
  const float clamped = x < -104.0f ? -104.0f : (x > 89.0f ? 89.0f : x);
  const float k = std::nearbyintf(clamped * 1.44269504088896341f);
  float r = clamped - k * 0.693145751953125f;
  r = r - k * 1.42860682030941723e-6f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const float half = std::nearbyintf(k * 0.5f);
  const float result = p * power_of_two(half) * power_of_two(k - half);
  return x != x ? x : result;
}
static inline double exp(double x) { return std::exp(x); }

}  // namespace dyad::kernels::DYAD_ISA::math
