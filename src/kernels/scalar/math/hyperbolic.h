#pragma once

#include "kernels/scalar/math/exponential.h"

namespace dyad::kernels::DYAD_ISA::math {

static inline float tanh(float x) {
  const float size = std::fabs(x);
  // From here on the result is 1; without the bound the numbers below become denormal, which is slow.
  const float bounded = size > 20.0f ? 20.0f : size;
  const float decay = exp_of_negative(-2.0f * bounded);
  const float far = (1.0f - decay) / (1.0f + decay);
  // Near zero: x + x^3 q(x^2).
  const float square = x * x;
  const float q = polynomial(square, 2.1325254692e-3f, -8.1663040321e-3f, 2.1696350353e-2f, -5.3945995115e-2f,
                             1.3333200164e-1f, -3.3333330660e-1f);
  const float near = multiply_add(q * square, x, x);
  return std::copysign(size < 0.625f ? near : far, x);  // the sum above would make +0 of -0
}
static inline double tanh(double x) { return std::tanh(x); }

/// 1 / (1 + e^-x); through e^-|x|, so that neither side overflows.
template <class T>
static inline T sigmoid(T x) {
  const T decay = exp_of_negative(-std::fabs(x));
  return (x < T(0) ? decay : T(1)) / (T(1) + decay);
}

}  // namespace dyad::kernels::DYAD_ISA::math
