#pragma once

#include <cmath>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_REAL_1(real_part, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return x.real();
  } else {
    return x;
  }
}

DYAD_REAL_1(imaginary_part, kAll, 1) {
  if constexpr (scalar::is_complex<T>) {
    return x.imag();
  } else {
    return T(0);
  }
}

DYAD_REAL_1(angle, kFloatingComplex, 16) {
  if constexpr (scalar::is_complex<T>) {
    return std::atan2(x.imag(), x.real());
  } else {
    const T turned = std::signbit(x) ? T(3.14159265358979323846) : T(0);
    return x != x ? x : turned;
  }
}

DYAD_SCALAR_1(conjugate, kFloatingComplex, 1) {
  if constexpr (scalar::is_complex<T>) {
    return T(x.real(), -x.imag());
  } else {
    return x;
  }
}

DYAD_COMPLEX_2(complex, 1) { return {a, b}; }
DYAD_COMPLEX_2(polar, 32) { return {a * std::cos(b), a * std::sin(b)}; }

}  // namespace dyad::kernels::DYAD_ISA
