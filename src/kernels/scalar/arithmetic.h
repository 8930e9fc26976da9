#pragma once

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_2(add, kAll, 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return a | b;
  } else {
    return static_cast<T>(scalar::wide(a) + scalar::wide(b));
  }
}

DYAD_SCALAR_2(sub, kNumeric, 1) { return static_cast<T>(scalar::wide(a) - scalar::wide(b)); }

DYAD_SCALAR_2(mul, kAll, 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return a & b;
  } else if constexpr (scalar::is_complex<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return static_cast<T>(scalar::wide(a) * scalar::wide(b));
  }
}

DYAD_SCALAR_1(neg, kNumeric, 1) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(0 - scalar::wide(x));
  } else {
    return -x;
  }
}

DYAD_SCALAR_3(add_scaled, kAll, 1) { return add_scalar::apply<T>(a, mul_scalar::apply<T>(c, b)); }
DYAD_SCALAR_3(sub_scaled, kNumeric, 1) { return sub_scalar::apply<T>(a, mul_scalar::apply<T>(c, b)); }

DYAD_SCALAR_1(square, kNumeric, 1) { return mul_scalar::apply<T>(x, x); }

DYAD_SCALAR_2(squared_difference, kNumeric, 1) {
  const T difference = sub_scalar::apply<T>(a, b);
  return mul_scalar::apply<T>(difference, difference);
}

DYAD_SCALAR_3(lerp, kFloatingComplex, 2) {
  // From the nearer end, so that both ends are met exactly.
  if constexpr (scalar::is_complex<T>) {
    return a + c * (b - a);
  } else {
    return c < T(0.5) ? a + c * (b - a) : b - (b - a) * (T(1) - c);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
