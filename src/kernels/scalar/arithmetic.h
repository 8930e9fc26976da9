#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_2(add, kAll, 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return a | b;
  } else {
    return static_cast<T>(a + b);
  }
}

DYAD_SCALAR_2(sub, kNumeric, 1) { return static_cast<T>(a - b); }

DYAD_SCALAR_2(mul, kAll, 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return a & b;
  } else if constexpr (scalar::is_complex<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return static_cast<T>(a * b);
  }
}

DYAD_SCALAR_2(div, kFloatingComplex, 4) { return a / b; }

DYAD_SCALAR_1(neg, kNumeric, 1) { return static_cast<T>(-x); }

}  // namespace dyad::kernels::DYAD_ISA
