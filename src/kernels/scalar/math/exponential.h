#pragma once

#include "kernels/scalar/math/multiply_add.h"

namespace dyad::kernels::DYAD_ISA::math {

/// 2^k for an integral k in [-126, 127], by writing the exponent.
static inline float power_of_two(float k) {
  return std::bit_cast<float>((static_cast<int32_t>(k) + 127) << 23);
}
/// 2^k for an integral k in [-1022, 1023].
static inline double power_of_two(double k) {
  return std::bit_cast<double>(static_cast<int64_t>(static_cast<int32_t>(k) + 1023) << 52);
}

/// Added to a float of at most 2^22, this leaves the nearest integer in the lowest bits of the sum.
inline constexpr float kRounding = 12582912.0f;
/// 2^(k + lift) for the k of `shifted = k + kRounding`, if that is a normal number; wrong bits otherwise.
template <int lift>
static inline float power_of_two_from(float shifted) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) + (uint32_t{127 + lift} << 23));
}

/// e^r for |r| <= ln 2 / 2: 1 + r + r^2 q(r).
static inline float exp_near_zero(float r) {
  const float q =
      polynomial(r, 1.3814540030e-3f, 8.3687451126e-3f, 4.1668390787e-2f, 1.6666520399e-1f, 4.9999993432e-1f);
  return multiply_add(q, r * r, r) + 1.0f;
}
static inline double exp_near_zero(double r) {
  const double q =
      polynomial(r, 2.5004588522758046e-08, 2.7629633825813981e-07, 2.7557578872980431e-06,
                 2.4801494348867074e-05, 0.00019841269546073503, 0.0013888888943222764, 0.0083333333334366863,
                 0.041666666666526984, 0.16666666666666588, 0.50000000000000111);
  return multiply_add(q, r * r, r) + 1.0;
}

/// `value` times 2^k for k in [-252, 254]; in two halves, so that results near both ends of the range are
/// right.
static inline float scale(float value, float k) {
  const float half = std::nearbyintf(k * 0.5f);
  return value * power_of_two(half) * power_of_two(k - half);
}

static inline float exp(float x) {
  // x = k ln 2 + r with |r| <= ln 2 / 2
  const float clamped = x < -104.0f ? -104.0f : (x > 89.0f ? 89.0f : x);
  const float k = std::nearbyintf(clamped * 1.44269504088896341f);
  float r = multiply_add(k, -0.693145751953125f, clamped);
  r = multiply_add(k, -1.42860682030941723e-6f, r);
  const float result = scale(exp_near_zero(r), k);
  return x != x ? x : result;
}
/// e^x for x <= 1, where one factor of 2^-64 replaces the halves of `scale`.
static inline float exp_of_negative(float x) {
  const float clamped = x < -104.0f ? -104.0f : x;
  const float shifted = multiply_add(clamped, 1.44269504088896341f, kRounding);
  const float k = shifted - kRounding;
  float r = multiply_add(k, -0.693145751953125f, clamped);
  r = multiply_add(k, -1.42860682030941723e-6f, r);
  return exp_near_zero(r) * power_of_two_from<64>(shifted) * 0x1p-64f;
}
static inline double exp(double x) {
  const double clamped = x < -746.0 ? -746.0 : (x > 710.0 ? 710.0 : x);
  const double k = std::nearbyint(clamped * 1.44269504088896340736);
  double r = multiply_add(k, -0.69314718036912381649, clamped);
  r = multiply_add(k, -1.9082149292705877e-10, r);
  const double half = std::nearbyint(k * 0.5);
  const double result = exp_near_zero(r) * power_of_two(half) * power_of_two(k - half);
  return x != x ? x : result;
}

static inline double exp_of_negative(double x) { return exp(x); }

static inline float exp2(float x) {
  const float clamped = x < -150.0f ? -150.0f : (x > 129.0f ? 129.0f : x);
  const float k = std::nearbyintf(clamped);
  const float result = scale(exp_near_zero((clamped - k) * 0.693147180559945f), k);
  return x != x ? x : result;
}
static inline double exp2(double x) { return std::exp2(x); }

/// e^x in double precision for a float, |x| <= 700; the caller rounds.
static inline double exp_wide(double x) {
  const double k = std::nearbyint(x * 1.44269504088896340736);
  double r = multiply_add(k, -0.69314718036912381649, x);
  r = multiply_add(k, -1.9082149292705877e-10, r);
  return exp_near_zero(r) * power_of_two(k);
}

static inline float expm1(float x) {
  const double clamped = x < -40.0f ? -40.0 : (x > 100.0f ? 100.0 : static_cast<double>(x));
  const auto far = static_cast<float>(exp_wide(clamped) - 1.0);
  // Near zero the subtraction would lose what x adds, and the sum the sign of -0.
  const float near = std::copysign(multiply_add(x * x, multiply_add(x, 0.16666667f, 0.5f), x), x);
  const float result = std::fabs(x) < 1e-3f ? near : far;
  return x != x ? x : result;
}
static inline double expm1(double x) { return std::expm1(x); }

}  // namespace dyad::kernels::DYAD_ISA::math
