#pragma once

// Remainders, neighbours, error functions, gamma and Bessel functions. Part of `math.h`.

namespace dyad::cuda::libm {

/// A positive number as an integer of 53 bits times a power of two.
struct Whole {
  uint64_t digits;
  int exponent;
};
inline Whole whole_of(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52);
  const uint64_t digits = bits & 0xfffffffffffffu;
  if (exponent) return {digits | 0x10000000000000u, exponent};
  const int missing = __builtin_clzll(digits) - 11;
  return {digits << missing, 1 - missing};
}

/// The exact remainder of a division towards zero: subtractions of the divisor, doubled as often as it fits.
inline double fmod(double x, double y) {
  const double divisor = size_of(y);
  if (!(size_of(x) < kInfinite) || divisor != divisor || divisor == 0.0) return kNotANumber;
  if (size_of(x) < divisor) return x;
  if (size_of(x) == divisor) return __builtin_copysign(0.0, x);
  const Whole step = whole_of(divisor);
  Whole rest = whole_of(size_of(x));
  for (; rest.exponent > step.exponent; --rest.exponent) {
    if (rest.digits >= step.digits) rest.digits -= step.digits;
    rest.digits <<= 1;
  }
  if (rest.digits >= step.digits) rest.digits -= step.digits;
  if (rest.digits == 0) return __builtin_copysign(0.0, x);
  const int shift = __builtin_clzll(rest.digits) - 11;
  const int exponent = step.exponent - shift;
  const uint64_t digits = rest.digits << shift;
  const uint64_t bits = exponent > 0 ? (digits & 0xfffffffffffffu) | (static_cast<uint64_t>(exponent) << 52)
                                     : digits >> (1 - exponent);
  return __builtin_copysign(std::bit_cast<double>(bits), x);
}

template <class T, class Bits>
inline T next_number(T from, T to) {
  if (from != from || to != to) return from + to;
  if (from == to) return to;
  if (from == T(0)) return __builtin_copysign(std::bit_cast<T>(Bits(1)), to);
  const Bits bits = std::bit_cast<Bits>(from);
  return std::bit_cast<T>((from < to) == (from > T(0)) ? bits + 1 : bits - 1);
}
inline double nextafter(double from, double to) { return next_number<double, uint64_t>(from, to); }
inline float nextafterf(float from, float to) {
  if (from == 0.0f && from != to && to == to) return __builtin_copysignf(std::bit_cast<float>(1u), to);
  return next_number<float, uint32_t>(from, to);
}

/// e^(-x^2) without what rounding the square would cost.
inline double bell(double x) {
  const Twice square = product_of(x, x);
  return exp_of(-square.high, -square.low);
}
/// erf for |x| < 1: its series, whose terms fall fast.
inline double erf_near_zero(double x) {
  const double square = x * x;
  double sum = 0.0;
  for (int n = 20; n > 0; --n) sum = (1.0 + sum) * (square / (n + 0.5));
  return x * 1.12837916709551257390 * bell(x) * (1.0 + sum);
}
/// erfc for x >= 0.5.
inline double erfc_far(double x) {
  if (x > 28.0) return 0.0;
  return bell(x) * chebyshev(kScaledErfc, (x - 3.75) / (x + 3.75)) / (1.0 + 2.0 * x);
}
inline double erf(double x) {
  if (x != x) return x;
  const double size = size_of(x);
  if (size < 1.0) return erf_near_zero(x);
  return __builtin_copysign(1.0 - erfc_far(size), x);
}
inline double erfc(double x) {
  if (x != x) return x;
  if (x < 0.5) return x > -1.0 ? 1.0 - erf_near_zero(x) : 2.0 - erfc_far(-x);
  return erfc_far(x);
}

/// log Gamma(2 + z) for |z| <= 0.5.
inline double log_gamma_at_two(double z) {
  double sum = 0.0;
  constexpr int kTerms = sizeof(kLogGammaAtTwo) / sizeof(double);
  for (int k = kTerms - 1; k >= 0; --k) sum = fused(sum, z, kLogGammaAtTwo[k]);
  return sum * z;
}
/// What Stirling's formula leaves of log Gamma for x >= 8.
inline double stirling_rest(double x) {
  const double z = 1.0 / (x * x);
  return series::polynomial(z, -3617.0 / 122400, 1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                            1.0 / 1260, -1.0 / 360, 1.0 / 12) /
         x;
}
inline double log_gamma_of_positive(double x) {
  if (x < 0.5) return log_gamma_of_positive(x + 1.0) - log(x);
  if (x < 1.5) return log_gamma_at_two(x - 1.0) - log1p(x - 1.0);
  if (x <= 2.5) return log_gamma_at_two(x - 2.0);
  if (x < 8.0) {
    double product = 1.0;
    while (x > 2.5) {
      x -= 1.0;
      product *= x;
    }
    return log_gamma_at_two(x - 2.0) + log(product);
  }
  if (x > 1e17) return x * (log(x) - 1.0);
  return (x - 0.5) * log(x) - x + (0.91893853320467274178 + stirling_rest(x));
}
/// |sin(pi x)|
inline double sine_of_turns(double x) {
  const double part = x - __builtin_floor(x);
  return sin(kPi * (part > 0.5 ? 1.0 - part : part));
}
inline double lgamma_r(double x, int* sign) {
  *sign = 1;
  if (!(size_of(x) < kInfinite)) return x != x ? x : kInfinite;
  if (x > 0.0) return log_gamma_of_positive(x);
  if (x == __builtin_floor(x)) {
    if (std::signbit(x) && x == 0.0) *sign = -1;
    return kInfinite;
  }
  if (fmod(__builtin_floor(x), 2.0) != 0.0) *sign = -1;
  if (x > -1e-10) return -log(-x);
  return log(kPi / (-x * sine_of_turns(x))) - log_gamma_of_positive(-x);
}
inline double tgamma(double x) {
  if (x != x || x == kInfinite) return x;
  if (x == 0.0) return 1.0 / x;
  if (x == __builtin_floor(x) && x < 0.0) return kNotANumber;
  if (x < 0.0) {
    if (x < -184.0) return fmod(__builtin_floor(x), 2.0) != 0.0 ? -0.0 : 0.0;
    const double mirrored = kPi / (-x * sine_of_turns(x)) / tgamma(-x);
    return fmod(__builtin_floor(x), 2.0) != 0.0 ? -mirrored : mirrored;
  }
  if (x < 16.0) {
    double above = 1.0;
    double below = 1.0;
    for (; x > 2.5; x -= 1.0) above *= x - 1.0;
    for (; x < 1.5; x += 1.0) below *= x;
    return exp(log_gamma_at_two(x - 2.0)) * above / below;
  }
  if (x > 172.0) return kInfinite;
  // In two halves, since the power alone would pass the largest number.
  const double half = pow(x, 0.5 * x - 0.25);
  return 2.5066282746310005024 * half * exp_of(-x, stirling_rest(x)) * half;
}

/// The waves of the Bessel functions of order 0 and 1 for x >= 8.
inline double bessel_far(int order, double x, bool second) {
  const double u = 8.0 / x;
  const double t = 2.0 * u * u - 1.0;
  const double p = order ? chebyshev(kHankelP1, t) : chebyshev(kHankelP0, t);
  const double q = (order ? chebyshev(kHankelQ1, t) : chebyshev(kHankelQ0, t)) / x;
  const double s = sin(x);
  const double c = cos(x);
  // Cosine and sine of x less an eighth turn, or three of them; the root of two is in the factor.
  const double cosine = order ? s - c : c + s;
  const double sine = order ? -(s + c) : s - c;
  const double wave = second ? p * sine + q * cosine : p * cosine - q * sine;
  return 0.56418958354775628695 / root(x) * wave;
}
inline double j0(double x) {
  x = size_of(x);
  if (!(x < kInfinite)) return x != x ? x : 0.0;
  return x <= 8.0 ? chebyshev(kBesselJ0, x * x / 32.0 - 1.0) : bessel_far(0, x, false);
}
inline double j1(double x) {
  const double size = size_of(x);
  if (!(size < kInfinite)) return x != x ? x : 0.0;
  const double there =
      size <= 8.0 ? size * chebyshev(kBesselJ1, size * size / 32.0 - 1.0) : bessel_far(1, size, false);
  return x < 0.0 ? -there : there;
}
inline double y0(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinite : kNotANumber;
  if (x == kInfinite) return 0.0;
  if (x > 8.0) return bessel_far(0, x, true);
  return chebyshev(kBesselY0, x * x / 32.0 - 1.0) + 0.63661977236758134308 * log(x) * j0(x);
}
inline double y1(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinite : kNotANumber;
  if (x == kInfinite) return 0.0;
  if (x > 8.0) return bessel_far(1, x, true);
  return x * chebyshev(kBesselY1, x * x / 32.0 - 1.0) + 0.63661977236758134308 * (log(x) * j1(x) - 1.0 / x);
}

}  // namespace dyad::cuda::libm
