#pragma once

// Trigonometric and hyperbolic functions. Part of `math.h`.

namespace dyad::cuda::libm {

/// An angle less its quarter turns.
struct Turns {
  Twice rest;  ///< at most pi / 4
  int quarters;
};

/// Of a large finite number: its product with the bits of 2 / pi, of which those that give whole turns are
/// left out.
inline Turns turns_of_large(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(size_of(x));
  const uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const int first = exponent > 2 ? exponent - 2 : 0;
  uint64_t words[3];
  for (int i = 0; i < 3; ++i) {
    const int word = first / 64 + i;
    const int shift = first % 64;
    words[i] = kTwoOverPi[word] << shift;
    if (shift) words[i] |= kTwoOverPi[word + 1] >> (64 - shift);
  }
  using Wide = unsigned __int128;
  // Four words of product, the first of them whole quarter turns.
  Wide low = static_cast<Wide>(mantissa) * words[2];
  Wide middle = static_cast<Wide>(mantissa) * words[1] + static_cast<uint64_t>(low >> 64);
  Wide high = static_cast<Wide>(mantissa) * words[0] + static_cast<uint64_t>(middle >> 64);
  uint64_t p3 = static_cast<uint64_t>(high >> 64);
  uint64_t p2 = static_cast<uint64_t>(high);
  uint64_t p1 = static_cast<uint64_t>(middle);
  const int up = exponent - first;
  if (up > 0) {
    p3 = (p3 << up) | (p2 >> (64 - up));
    p2 = (p2 << up) | (p1 >> (64 - up));
    p1 = (p1 << up) | (static_cast<uint64_t>(low) >> (64 - up));
  } else if (up < 0) {
    p1 = (p1 >> -up) | (p2 << (64 + up));
    p2 = (p2 >> -up) | (p3 << (64 + up));
    p3 >>= -up;
  }
  int quarters = static_cast<int>(p3 & 3);
  const bool over = p2 >> 63;
  if (over) {
    ++quarters;
    p1 = ~p1;
    p2 = ~p2;
  }
  const int zeros = p2 ? __builtin_clzll(p2) : 63;
  if (zeros) {
    p2 = (p2 << zeros) | (p1 >> (64 - zeros));
    p1 <<= zeros;
  }
  const double unit = std::bit_cast<double>(static_cast<uint64_t>(1023 - 53 - zeros) << 52);
  const double front = static_cast<double>(p2 >> 11) * unit;
  const double back = static_cast<double>((p2 << 53) | (p1 >> 11)) * (unit * 0x1p-64);
  Twice rest = product_of(front, kHalfPi);
  rest.low += front * kHalfPiRest + back * kHalfPi;
  if (over) rest = {-rest.high, -rest.low};
  if (x < 0.0) return {{-rest.high, -rest.low}, -quarters};
  return {rest, quarters};
}

inline Turns turns_of(double x) {
  if (!(size_of(x) < 1.0e5)) return turns_of_large(x);
  // pi / 2 in three parts; the first two have few bits, so that their multiples are exact.
  const double k = __builtin_nearbyint(x * 0.63661977236758134308);
  const double first = fused(-k, 1.5707963267341256, x);
  const double second = k * 6.077100506303966e-11;
  const double high = first - second;
  return {{high, ((first - high) - second) - k * 2.0222662487959506e-21}, static_cast<int>(k)};
}

inline double sin_of(Twice x) {
  const double z = x.high * x.high;
  const double q = series::polynomial(z, 2.8114572543455206e-15, -7.647163731819816e-13,
                                      1.6059043836821613e-10, -2.505210838544172e-08, 2.7557319223985893e-06,
                                      -0.0001984126984126984, 0.008333333333333333, -0.16666666666666666);
  return x.high + (fused(x.high * z, q, x.low * (1.0 - 0.5 * z)));
}
inline double cos_of(Twice x) {
  const double z = x.high * x.high;
  const double q = series::polynomial(z, 4.779477332387385e-14, -1.1470745597729725e-11, 2.08767569878681e-09,
                                      -2.755731922398589e-07, 2.48015873015873e-05, -0.001388888888888889,
                                      0.041666666666666664);
  const double half = 0.5 * z;
  const double front = 1.0 - half;
  return front + (((1.0 - front) - half) + fused(z * z, q, -x.high * x.low));
}
inline double of_quarter(Twice rest, int quarters) {
  const double chosen = (quarters & 1) ? cos_of(rest) : sin_of(rest);
  return (quarters & 2) ? -chosen : chosen;
}

inline double sin(double x) {
  if (!(size_of(x) < kInfinite)) return x - x;
  if (size_of(x) < 1e-8) return x;
  const Turns t = turns_of(x);
  return of_quarter(t.rest, t.quarters);
}
inline double cos(double x) {
  if (!(size_of(x) < kInfinite)) return x - x;
  const Turns t = turns_of(x);
  return of_quarter(t.rest, t.quarters + 1);
}
inline double tan(double x) {
  if (!(size_of(x) < kInfinite)) return x - x;
  if (size_of(x) < 1e-8) return x;
  const Turns t = turns_of(x);
  const double sine = sin_of(t.rest);
  const double cosine = cos_of(t.rest);
  return (t.quarters & 1) ? -cosine / sine : sine / cosine;
}

/// atan(x) for 0 <= x <= 1, plus a rest of x.
inline double atan_of_slope(double x, double rest) {
  const int k = static_cast<int>(__builtin_nearbyint(8.0 * x));
  const double c = k * 0.125;
  const double below = fused(c, x, 1.0);
  const double t = ((x - c) + rest) / below;
  const double z = t * t;
  const double q = series::polynomial(z, -0.06666666666666667, 0.07692307692307693, -0.09090909090909091,
                                      0.1111111111111111, -0.14285714285714285, 0.2, -0.3333333333333333);
  return kAtanEighths[k] + (t + fused(t * z, q, kAtanEighthsRest[k]));
}
inline double atan(double x) {
  if (x != x) return x;
  const double size = size_of(x);
  if (size < 1e-8) return x;
  if (size <= 1.0) return __builtin_copysign(atan_of_slope(size, 0.0), x);
  const double inverse = 1.0 / size;
  const double rest = size < 0x1p900 ? fused(-inverse, size, 1.0) * inverse : 0.0;
  return __builtin_copysign(kHalfPi - (atan_of_slope(inverse, rest) - kHalfPiRest), x);
}
inline double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double a = size_of(y);
  const double b = size_of(x);
  double angle = 0.0;
  if (a == 0.0) {
    angle = 0.0;
  } else if (a == kInfinite && b == kInfinite) {
    angle = 0.5 * kHalfPi;
  } else {
    const double quotient = a / b;
    angle = quotient == kInfinite ? kHalfPi : atan(quotient);
  }
  if (std::signbit(x)) angle = kPi - (angle - 2.0 * kHalfPiRest);
  return __builtin_copysign(angle, y);
}
inline double asin(double x) {
  if (size_of(x) < 1e-8) return x;
  return atan2(x, root((1.0 - x) * (1.0 + x)));
}
inline double acos(double x) {
  if (!(size_of(x) <= 1.0)) return kNotANumber;
  return 2.0 * atan2(root(1.0 - x), root(1.0 + x));
}

inline double sinh(double x) {
  const double size = size_of(x);
  if (size < 1e-8 || x != x) return x;
  if (size > 30.0) {
    const double half = exp(0.5 * size);
    return __builtin_copysign(0.5 * half * half, x);
  }
  const double t = expm1(size);
  return __builtin_copysign(0.5 * (t + t / (t + 1.0)), x);
}
inline double cosh(double x) {
  const double size = size_of(x);
  if (size > 30.0) {
    const double half = exp(0.5 * size);
    return 0.5 * half * half;
  }
  const double e = exp(size);
  return 0.5 * (e + 1.0 / e);
}
inline double tanh(double x) {
  const double size = size_of(x);
  if (size < 1e-8 || x != x) return x;
  if (size > 20.0) return __builtin_copysign(1.0, x);
  const double t = expm1(2.0 * size);
  return __builtin_copysign(t / (t + 2.0), x);
}
inline double asinh(double x) {
  const double size = size_of(x);
  if (size < 1e-8 || !(size < kInfinite)) return x;
  if (size > 1e9) return __builtin_copysign(log(size) + kLog2, x);
  const double square = size * size;
  return __builtin_copysign(log1p(size + square / (1.0 + root(square + 1.0))), x);
}
inline double acosh(double x) {
  if (!(x >= 1.0)) return kNotANumber;
  if (x > 1e9) return log(x) + kLog2;
  const double beyond = x - 1.0;
  return log1p(beyond + root(2.0 * beyond + beyond * beyond));
}
inline double atanh(double x) {
  const double size = size_of(x);
  if (size < 1e-8) return x;
  if (size == 1.0) return __builtin_copysign(kInfinite, x);
  return __builtin_copysign(0.5 * log1p(2.0 * size / (1.0 - size)), x);
}

inline double hypot(double x, double y) {
  double a = size_of(x);
  double b = size_of(y);
  if (a == kInfinite || b == kInfinite) return kInfinite;
  if (a < b) {
    const double smaller = a;
    a = b;
    b = smaller;
  }
  if (!(a > 0.0)) return a + b;
  // By powers of two, which round nothing.
  const double scale = a > 0x1p500 ? 0x1p-600 : (a < 0x1p-500 ? 0x1p600 : 1.0);
  a *= scale;
  b *= scale;
  return root(fused(a, a, b * b)) / scale;
}

}  // namespace dyad::cuda::libm
