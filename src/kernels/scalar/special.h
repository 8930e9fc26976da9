#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"
#include "kernels/scalar/math/gamma.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_1(erf, kFloating, 12) { return math::erf(x); }
DYAD_SCALAR_1(erfc, kFloating, 32) { return std::erfc(x); }
DYAD_SCALAR_1(erfinv, kFloating, 48) { return static_cast<T>(math::erfinv(static_cast<double>(x))); }
DYAD_SCALAR_1(lgamma, kFloating, 48) { return static_cast<T>(math::lgamma(static_cast<double>(x))); }
DYAD_SCALAR_1(digamma, kFloating, 48) { return static_cast<T>(math::digamma(static_cast<double>(x))); }
/// The derivative of order a of digamma's antiderivative at b: polygamma(0, x) = digamma(x).
DYAD_SCALAR_2(polygamma_at, kFloating, 64) {
  return static_cast<T>(math::polygamma(static_cast<double>(a), static_cast<double>(b)));
}
/// The sum of 1 / (n + b)^a over n >= 0.
DYAD_SCALAR_2(zeta, kFloating, 128) {
  return static_cast<T>(math::zeta(static_cast<double>(a), static_cast<double>(b)));
}
DYAD_SCALAR_2(igamma, kFloating, 128) {
  return static_cast<T>(math::incomplete_gamma(static_cast<double>(a), static_cast<double>(b), false));
}
DYAD_SCALAR_2(igammac, kFloating, 128) {
  return static_cast<T>(math::incomplete_gamma(static_cast<double>(a), static_cast<double>(b), true));
}
DYAD_SCALAR_2(igamma_slope, kFloating, 255) {
  return static_cast<T>(math::incomplete_gamma_slope(static_cast<double>(a), static_cast<double>(b)));
}
DYAD_SCALAR_3(betainc, kFloating, 255) {
  return static_cast<T>(
      math::incomplete_beta(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}
DYAD_SCALAR_1(bessel_i0, kFloating, 48) {
  return static_cast<T>(math::bessel_i(0, static_cast<double>(x), false));
}
DYAD_SCALAR_1(bessel_i0e, kFloating, 48) {
  return static_cast<T>(math::bessel_i(0, static_cast<double>(x), true));
}
DYAD_SCALAR_1(bessel_i1, kFloating, 48) {
  return static_cast<T>(math::bessel_i(1, static_cast<double>(x), false));
}
DYAD_SCALAR_1(bessel_i1e, kFloating, 48) {
  return static_cast<T>(math::bessel_i(1, static_cast<double>(x), true));
}
DYAD_SCALAR_1(bessel_j0, kFloating, 48) { return static_cast<T>(::j0(static_cast<double>(x))); }
DYAD_SCALAR_1(bessel_j1, kFloating, 48) { return static_cast<T>(::j1(static_cast<double>(x))); }
DYAD_SCALAR_1(bessel_y0, kFloating, 48) { return static_cast<T>(::y0(static_cast<double>(x))); }
DYAD_SCALAR_1(bessel_y1, kFloating, 48) { return static_cast<T>(::y1(static_cast<double>(x))); }

}  // namespace dyad::kernels::DYAD_ISA
