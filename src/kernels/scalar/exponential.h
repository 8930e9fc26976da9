#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_1(exp, kFloatingComplex, 8) {
  if constexpr (scalar::is_complex<T>) {
    return std::exp(x);
  } else {
    return math::exp(x);
  }
}

DYAD_SCALAR_1(exp2, kFloatingComplex, 8) {
  if constexpr (scalar::is_complex<T>) {
    return std::exp(x * scalar::Real<T>(0.69314718055994530942));
  } else {
    return math::exp2(x);
  }
}

DYAD_SCALAR_1(expm1, kFloatingComplex, 10) {
  if constexpr (scalar::is_complex<T>) {
    using R = scalar::Real<T>;
    // cos(y) - 1 = -2 sin(y / 2)^2 keeps its digits near zero.
    const R half = std::sin(x.imag() / 2);
    return T(math::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
             std::exp(x.real()) * std::sin(x.imag()));
  } else {
    return math::expm1(x);
  }
}

DYAD_SCALAR_1(log, kFloatingComplex, 8) {
  if constexpr (scalar::is_complex<T>) {
    return std::log(x);
  } else {
    return math::log(x);
  }
}

DYAD_SCALAR_1(log2, kFloatingComplex, 10) {
  if constexpr (scalar::is_complex<T>) {
    return std::log(x) * scalar::Real<T>(1.44269504088896340736);
  } else {
    return math::log2(x);
  }
}

DYAD_SCALAR_1(log10, kFloatingComplex, 10) {
  if constexpr (scalar::is_complex<T>) {
    return std::log10(x);
  } else {
    return math::log10(x);
  }
}

DYAD_SCALAR_1(log1p, kFloatingComplex, 10) {
  if constexpr (scalar::is_complex<T>) {
    // |1 + x|^2 - 1 keeps its digits near zero.
    const scalar::Real<T> beyond = x.real() * (2 + x.real()) + x.imag() * x.imag();
    return T(math::log1p(beyond) / 2, std::atan2(x.imag(), 1 + x.real()));
  } else {
    return math::log1p(x);
  }
}

DYAD_SCALAR_2(logaddexp, kFloating, 20) {
  const T high = a > b ? a : b;
  const T distance = -std::fabs(a - b);
  const T sum = high + math::log1p(math::exp(distance));
  // Equal infinities have no distance.
  return a == b ? a + T(0.693147180559945309417) : sum;
}

DYAD_SCALAR_2(logaddexp2, kFloating, 20) {
  const T high = a > b ? a : b;
  const T distance = -std::fabs(a - b);
  const T sum = high + math::log1p(math::exp2(distance)) * T(1.44269504088896340736);
  return a == b ? a + T(1) : sum;
}

DYAD_SCALAR_2(xlogy, kFloating, 10) {
  const T product = a * math::log(b);
  return a == T(0) && b == b ? T(0) : product;
}

}  // namespace dyad::kernels::DYAD_ISA
