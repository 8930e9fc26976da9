#pragma once

// Functions that are not worth a polynomial of their own: series and continued fractions in double precision.

#include "kernels/scalar/math/multiply_add.h"

namespace dyad::kernels::DYAD_ISA::math {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The C library's lgamma writes a global sign; the reentrant one is safe on several threads.
static inline double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// The x with erf(x) = y: a rational start from the normal quantile's asymptote, then Newton steps of third
/// order.
static inline double erfinv(double y) {
  const double size = std::fabs(y);
  if (!(size < 1.0)) return size == 1.0 ? std::copysign(kInfinity<double>, y) : kNan;
  if (size < 1e-8) return y * 0.88622692545275801365;
  const double w = std::log1p(-y * y);
  const double half = 2.0 / (kPi * 0.147) + 0.5 * w;
  double x = std::sqrt(std::sqrt(half * half - w / 0.147) - half);
  for (int step = 0; step < 3; ++step) {
    const double complement = 1.0 - size;
    const double miss = size < 0.5 ? std::erf(x) - size : complement - std::erfc(x);
    const double slope = 1.12837916709551257390 * std::exp(-x * x);
    const double newton = miss / slope;
    x -= newton / (1.0 + x * newton);
  }
  return std::copysign(x, y);
}

/// Hurwitz zeta function sum 1 / (n + q)^s for s > 1 and q > 0: the first terms, then the Euler-Maclaurin
/// tail.
static inline double zeta_of_positive(double s, double q) {
  constexpr int kTerms = 12;
  double sum = 0.0;
  for (int n = 0; n < kTerms; ++n) sum += std::pow(q + n, -s);
  const double at = q + kTerms;
  sum += std::pow(at, 1.0 - s) / (s - 1.0) + 0.5 * std::pow(at, -s);
  // Bernoulli numbers over factorials: B_2k / (2k)!
  constexpr double kBernoulli[] = {1.0 / 12,         -1.0 / 720,     1.0 / 30240,
                                   -1.0 / 1209600,   1.0 / 47900160, -691.0 / 1307674368000,
                                   1.0 / 74724249600};
  double rising = s;
  double power = std::pow(at, -s - 1.0);
  for (int k = 0; k < 7; ++k) {
    sum += kBernoulli[k] * rising * power;
    rising *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= at * at;
  }
  return sum;
}

/// Hurwitz zeta function for any q. Below zero the terms are real for whole s only; those with a negative
/// base are the difference of two sums over positive ones.
static inline double zeta(double s, double q) {
  if (!(s >= 1.0)) return kNan;
  if (s == 1.0) return kInfinity<double>;
  if (q > 0.0 || q != q) return zeta_of_positive(s, q);
  if (q == std::floor(q)) return kInfinity<double>;
  if (s != std::floor(s)) return kNan;
  const double nearest = std::ceil(q) - q;  // size of the last negative base
  const double below = zeta_of_positive(s, nearest) - zeta_of_positive(s, 1.0 - q);
  return zeta_of_positive(s, 1.0 - nearest) + (std::fmod(s, 2.0) == 0.0 ? below : -below);
}

static inline double digamma(double x) {
  if (x == 0.0) return std::copysign(kInfinity<double>, -x);
  if (x < 0.0) {
    if (x == std::floor(x)) return kNan;
    return digamma(1.0 - x) - kPi / std::tan(kPi * std::fmod(x, 1.0));
  }
  double shift = 0.0;
  while (x < 10.0) {
    shift -= 1.0 / x;
    x += 1.0;
  }
  const double z = 1.0 / (x * x);
  const double tail = polynomial(z, 691.0 / 32760, -1.0 / 132, 1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12);
  return x == kInfinity<double> ? x : shift + std::log(x) - 0.5 / x + z * tail;
}

static inline double polygamma(double order, double x) {
  if (order == 0.0) return digamma(x);
  if (order < 0.0 || order != std::floor(order)) return kNan;
  const double sign = std::fmod(order, 2.0) == 0.0 ? -1.0 : 1.0;
  if (x <= 0.0 && x == std::floor(x)) return sign > 0 ? kInfinity<double> : kNan;
  return sign * std::tgamma(order + 1.0) * zeta(order + 1.0, x);
}

/// Regularised incomplete gamma function P(a, x), or its complement Q.
static inline double incomplete_gamma(double a, double x, bool complement) {
  if (!(a >= 0.0) || !(x >= 0.0) || (a == 0.0 && x == 0.0)) return kNan;
  if (a == 0.0 || x == kInfinity<double>) return complement ? 0.0 : 1.0;
  if (x == 0.0 || a == kInfinity<double>) return complement ? 1.0 : 0.0;
  const double front = std::exp(a * std::log(x) - x - lgamma(a));
  constexpr int kMost = 2000;
  if (x < a + 1.0) {
    double term = 1.0 / a;
    double sum = term;
    for (int n = 1; n < kMost && term > sum * 1e-17; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return complement ? 1.0 - sum * front : sum * front;
  }
  // Lentz's evaluation of the continued fraction of the complement.
  double b = x + 1.0 - a;
  double c = 1e300;
  double d = 1.0 / b;
  double fraction = d;
  for (int n = 1; n < kMost; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= c * d;
    if (std::fabs(c * d - 1.0) < 1e-16) break;
  }
  return complement ? fraction * front : 1.0 - fraction * front;
}

/// Derivative of P(a, x) with respect to a, by differences of fourth order.
static inline double incomplete_gamma_slope(double a, double x) {
  const double step = 1e-3 * (a < 1.0 ? a : 1.0);
  auto at = [&](double offset) { return incomplete_gamma(a + offset * step, x, false); };
  return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * step);
}

/// The part of the regularised incomplete beta function below its mean, by Lentz's evaluation of its
/// continued fraction; y = 1 - x.
static inline double incomplete_beta_below(double a, double b, double x, double y) {
  constexpr double kLeast = 1e-300;
  constexpr int kMost = 20000;
  auto held = [&](double value) { return std::fabs(value) < kLeast ? kLeast : value; };
  const double log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
  const double front = std::exp(a * std::log(x) + b * std::log(y) - log_beta) / a;
  double c = 1.0;
  double d = 1.0 / held(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int n = 1; n < kMost; ++n) {
    const double twice = a + 2.0 * n;
    const double even = n * (b - n) * x / ((twice - 1.0) * twice);
    d = 1.0 / held(1.0 + even * d);
    c = held(1.0 + even / c);
    fraction *= c * d;
    const double odd = -(a + n) * (a + b + n) * x / (twice * (twice + 1.0));
    d = 1.0 / held(1.0 + odd * d);
    c = held(1.0 + odd / c);
    fraction *= c * d;
    if (std::fabs(c * d - 1.0) < 1e-16) break;
  }
  return front * fraction;
}

/// Regularised incomplete beta function: the share of t^(a-1) (1-t)^(b-1) over (0, 1) that lies below x.
static inline double incomplete_beta(double a, double b, double x) {
  if (!(a > 0.0) || !(b > 0.0) || !(x >= 0.0) || !(x <= 1.0)) return kNan;
  if (a == kInfinity<double> || b == kInfinity<double>) {
    if (a == b) return kNan;
    return a < b ? (x > 0.0 ? 1.0 : 0.0) : (x < 1.0 ? 0.0 : 1.0);
  }
  if (x == 0.0 || x == 1.0) return x;
  if (x <= (a + 1.0) / (a + b + 2.0)) return incomplete_beta_below(a, b, x, 1.0 - x);
  return 1.0 - incomplete_beta_below(b, a, 1.0 - x, x);
}

/// Modified Bessel function of the first kind of order 0 or 1, times e^-|x| if `scaled`.
static inline double bessel_i(int order, double x, bool scaled) {
  const double size = std::fabs(x);
  if (size == kInfinity<double>) return scaled ? 0.0 : (order == 1 ? x : size);
  double result = 0.0;
  if (size < 30.0) {
    const double quarter = 0.25 * size * size;
    double term = order == 0 ? 1.0 : 0.5 * size;
    for (int k = 1; k < 200; ++k) {
      result += term;
      term *= quarter / (k * (k + order));
      if (term < result * 1e-17) break;
    }
    result += term;
    if (scaled) result *= std::exp(-size);
  } else {
    // Asymptotic series in 1 / (8 x).
    const double mu = 4.0 * order * order;
    double term = 1.0;
    result = 1.0;
    for (int k = 1; k < 30; ++k) {
      const double odd = 2.0 * k - 1.0;
      term *= -(mu - odd * odd) / (k * 8.0 * size);
      if (std::fabs(term) < 1e-17) break;
      result += term;
    }
    result /= std::sqrt(2.0 * kPi * size);
    if (!scaled) result *= std::exp(size);
  }
  return order == 1 ? std::copysign(result, x) : result;
}

}  // namespace dyad::kernels::DYAD_ISA::math
