#pragma once

// The functions of `math.h` under the names by which the C++ library and the compiler call them. Those of
// floats are computed in double precision and rounded once.

#define DYAD_LIBM_1(name)                                                \
  double name(double x) noexcept { return ::dyad::cuda::libm::name(x); } \
  float name##f(float x) noexcept { return static_cast<float>(::dyad::cuda::libm::name(x)); }
#define DYAD_LIBM_2(name)                                                             \
  double name(double x, double y) noexcept { return ::dyad::cuda::libm::name(x, y); } \
  float name##f(float x, float y) noexcept { return static_cast<float>(::dyad::cuda::libm::name(x, y)); }

extern "C" {

DYAD_LIBM_1(exp)
DYAD_LIBM_1(exp2)
DYAD_LIBM_1(expm1)
DYAD_LIBM_1(log)
DYAD_LIBM_1(log2)
DYAD_LIBM_1(log10)
DYAD_LIBM_1(log1p)
DYAD_LIBM_1(sin)
DYAD_LIBM_1(cos)
DYAD_LIBM_1(tan)
DYAD_LIBM_1(asin)
DYAD_LIBM_1(acos)
DYAD_LIBM_1(atan)
DYAD_LIBM_1(sinh)
DYAD_LIBM_1(cosh)
DYAD_LIBM_1(tanh)
DYAD_LIBM_1(asinh)
DYAD_LIBM_1(acosh)
DYAD_LIBM_1(atanh)
DYAD_LIBM_1(erf)
DYAD_LIBM_1(erfc)
DYAD_LIBM_1(tgamma)
DYAD_LIBM_2(pow)
DYAD_LIBM_2(atan2)
DYAD_LIBM_2(fmod)
DYAD_LIBM_2(hypot)

double nextafter(double x, double y) noexcept { return ::dyad::cuda::libm::nextafter(x, y); }
float nextafterf(float x, float y) noexcept { return ::dyad::cuda::libm::nextafterf(x, y); }
double lgamma_r(double x, int* sign) noexcept { return ::dyad::cuda::libm::lgamma_r(x, sign); }
double j0(double x) noexcept { return ::dyad::cuda::libm::j0(x); }
double j1(double x) noexcept { return ::dyad::cuda::libm::j1(x); }
double y0(double x) noexcept { return ::dyad::cuda::libm::y0(x); }
double y1(double x) noexcept { return ::dyad::cuda::libm::y1(x); }

}  // extern "C"

#undef DYAD_LIBM_1
#undef DYAD_LIBM_2
