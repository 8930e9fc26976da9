#include "ops/number_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace dyad::number_arithmetic {

namespace {

bool integral(Operands x) { return x[0].integral() && x[1].integral(); }

[[noreturn]] void too_wide(std::string_view sign) {
  raise(ErrorKind::kOverflow,
        cat("the result of ", sign, " needs more than 64 bits; an int of a static graph has 64"));
}
[[noreturn]] void by_zero(std::string_view message) { raise(ErrorKind::kZeroDivision, std::string(message)); }

/// Every int of 64 bits and every float is one of these, so that they compare exactly.
long double exact(const Scalar& x) {
  return x.integral() ? static_cast<long double>(x.to_int()) : static_cast<long double>(x.to_double());
}

Scalar integer_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (;;) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) too_wide("**");
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) too_wide("**");
  }
}

/// Decimal digits of the exact value, which the C library rounds correctly, read back.
double round_after_point(double x, int64_t digits) {
  constexpr int64_t kMost = 330;  // no double has more digits after the point that matter
  if (!std::isfinite(x) || digits > kMost) return x;
  if (digits < -308) return std::copysign(0.0, x);
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return std::nearbyint(x / unit) * unit;
  }
  std::string text(static_cast<size_t>(digits) + 400, '\0');
  std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(digits), x);
  return std::strtod(text.c_str(), nullptr);
}

Scalar round_integer(int64_t x, int64_t digits) {
  if (digits >= 0) return x;
  if (digits < -18) return int64_t{0};
  int64_t unit = 1;
  for (int64_t i = 0; i < -digits; ++i) unit *= 10;
  int64_t below = x / unit - (x % unit < 0 ? 1 : 0);
  const int64_t rest = x - below * unit;
  if (rest > unit - rest || (rest == unit - rest && (below & 1))) ++below;
  if (__builtin_mul_overflow(below, unit, &below)) too_wide("round");
  return below;
}

}  // namespace

Scalar add(Operands x) {
  if (!integral(x)) return x[0].to_double() + x[1].to_double();
  int64_t sum;
  if (__builtin_add_overflow(x[0].to_int(), x[1].to_int(), &sum)) too_wide("+");
  return sum;
}

Scalar subtract(Operands x) {
  if (!integral(x)) return x[0].to_double() - x[1].to_double();
  int64_t difference;
  if (__builtin_sub_overflow(x[0].to_int(), x[1].to_int(), &difference)) too_wide("-");
  return difference;
}

Scalar multiply(Operands x) {
  if (!integral(x)) return x[0].to_double() * x[1].to_double();
  int64_t product;
  if (__builtin_mul_overflow(x[0].to_int(), x[1].to_int(), &product)) too_wide("*");
  return product;
}

Scalar divide(Operands x) {
  if (exact(x[1]) == 0) by_zero(integral(x) ? "division by zero" : "float division by zero");
  if (!integral(x)) return x[0].to_double() / x[1].to_double();
  return static_cast<double>(exact(x[0]) / exact(x[1]));
}

Scalar floor_divide(Operands x) {
  if (integral(x)) {
    const int64_t a = x[0].to_int();
    const int64_t b = x[1].to_int();
    if (b == 0) by_zero("integer division or modulo by zero");
    if (b == -1) return negate(x.first(1));
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  const double a = x[0].to_double();
  const double b = x[1].to_double();
  if (b == 0) by_zero("float floor division by zero");
  // The quotient of what is left after the remainder is taken off is nearly an integer: only the nearest one
  // can be meant.
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Scalar modulo(Operands x) {
  if (integral(x)) {
    const int64_t b = x[1].to_int();
    if (b == 0) by_zero("integer modulo by zero");
    if (b == -1) return int64_t{0};
    const int64_t rest = x[0].to_int() % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  const double b = x[1].to_double();
  if (b == 0) by_zero("float modulo");
  const double rest = std::fmod(x[0].to_double(), b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

Scalar power(Operands x) {
  if (integral(x) && x[1].to_int() >= 0) return integer_power(x[0].to_int(), x[1].to_int());
  const double base = x[0].to_double();
  const double exponent = x[1].to_double();
  if (base == 0 && exponent < 0) by_zero("0.0 cannot be raised to a negative power");
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    value_error("**: ", base, " to the power of ", exponent,
                " is complex; in a static graph the base must not be negative");
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    raise(ErrorKind::kOverflow, "(34, 'Numerical result out of range')");
  }
  return result;
}

Scalar shift_left(Operands x) {
  const int64_t value = x[0].to_int();
  const int64_t count = x[1].to_int();
  if (count < 0) value_error("negative shift count");
  if (value == 0) return int64_t{0};
  if (count > 62) too_wide("<<");
  int64_t shifted;
  if (__builtin_mul_overflow(value, int64_t{1} << count, &shifted)) too_wide("<<");
  return shifted;
}

Scalar shift_right(Operands x) {
  const int64_t count = x[1].to_int();
  if (count < 0) value_error("negative shift count");
  return x[0].to_int() >> std::min<int64_t>(count, 63);
}

namespace {

template <class Bits>
Scalar combine(Operands x, const Bits& bits) {
  const int64_t result = bits(x[0].to_int(), x[1].to_int());
  if (x[0].kind() == Scalar::Kind::kBool && x[1].kind() == Scalar::Kind::kBool) return result != 0;
  return result;
}

}  // namespace

Scalar bit_and(Operands x) {
  return combine(x, [](int64_t a, int64_t b) { return a & b; });
}
Scalar bit_or(Operands x) {
  return combine(x, [](int64_t a, int64_t b) { return a | b; });
}
Scalar bit_xor(Operands x) {
  return combine(x, [](int64_t a, int64_t b) { return a ^ b; });
}

Scalar less(Operands x) { return exact(x[0]) < exact(x[1]); }
Scalar less_equal(Operands x) { return exact(x[0]) <= exact(x[1]); }
Scalar greater(Operands x) { return exact(x[0]) > exact(x[1]); }
Scalar greater_equal(Operands x) { return exact(x[0]) >= exact(x[1]); }
Scalar equal(Operands x) { return exact(x[0]) == exact(x[1]); }
Scalar not_equal(Operands x) { return exact(x[0]) != exact(x[1]); }

// Python keeps the first unless the second is truly less or greater; with a NaN nothing is.
Scalar least(Operands x) { return exact(x[1]) < exact(x[0]) ? x[1] : x[0]; }
Scalar greatest(Operands x) { return exact(x[1]) > exact(x[0]) ? x[1] : x[0]; }

Scalar negate(Operands x) {
  if (!x[0].integral()) return -x[0].to_double();
  int64_t negated;
  if (__builtin_sub_overflow(int64_t{0}, x[0].to_int(), &negated)) too_wide("-");
  return negated;
}

Scalar keep(Operands x) { return x[0].integral() ? Scalar(x[0].to_int()) : x[0]; }
Scalar invert(Operands x) { return ~x[0].to_int(); }
Scalar absolute(Operands x) {
  if (!x[0].integral()) return std::fabs(x[0].to_double());
  return x[0].to_int() < 0 ? negate(x.first(1)) : keep(x);
}

Scalar logical_not(Operands x) { return !x[0].to_bool(); }
Scalar to_bool(Operands x) { return x[0].to_bool(); }

Scalar to_int(Operands x) {
  if (x[0].integral()) return x[0].to_int();
  const double value = x[0].to_double();
  if (std::isnan(value)) value_error("cannot convert float NaN to integer");
  if (std::isinf(value)) raise(ErrorKind::kOverflow, "cannot convert float infinity to integer");
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value >= kLimit || value < -kLimit) too_wide("int");
  return static_cast<int64_t>(value);
}

Scalar to_float(Operands x) { return x[0].to_double(); }

Scalar round(Operands x) {
  if (x.size() < 2) {
    if (x[0].integral()) return x[0].to_int();
    const Scalar rounded(std::nearbyint(x[0].to_double()));
    return to_int({&rounded, 1});
  }
  const int64_t digits = x[1].to_int();
  return x[0].integral() ? round_integer(x[0].to_int(), digits)
                         : Scalar(round_after_point(x[0].to_double(), digits));
}

}  // namespace dyad::number_arithmetic
