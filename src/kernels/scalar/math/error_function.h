#pragma once

#include "kernels/scalar/math/exponential.h"

namespace dyad::kernels::DYAD_ISA::math {

static inline float erf(float x) {
  const float size = std::fabs(x);
  const float square = x * x;
  // x + x q(x^2): the larger part of 2 / sqrt(pi) stays exact.
  const float q_near = polynomial(square, 7.8538612330e-5f, -8.0101935892e-4f, 5.1883276817e-3f,
                                  -2.6853811933e-2f, 1.1283585149e-1f, -3.7612625824e-1f, 1.283791657e-1f);
  const float near = multiply_add(x, q_near, x);
  // 1 - e^q(|x|) on [1, 4], where q is the logarithm of the complement; beyond, the result is 1.
  const float bounded = size > 4.0f ? 4.0f : size;
  const float q =
      polynomial(bounded, -2.1686749693e-5f, 4.4133512796e-4f, -4.2045553358e-3f, 2.5208238095e-2f,
                 -1.0841854604e-1f, -6.3321992402e-1f, -1.1295784076f, 1.8803643886e-4f);
  const float far = std::copysign(1.0f - exp_of_negative(q), x);
  const float result = size < 1.0f ? near : far;
  return x != x ? x : result;
}
static inline double erf(double x) { return std::erf(x); }

}  // namespace dyad::kernels::DYAD_ISA::math
