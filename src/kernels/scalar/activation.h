#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_1(relu, kReal, 1) { return x < T(0) ? T(0) : x; }
/// `a` is the gradient of the result, `b` the result.
DYAD_SCALAR_2(relu_grad, kReal, 1) { return b > T(0) ? a : T(0); }

DYAD_SCALAR_1(sigmoid, kFloatingComplex, 12) {
  if constexpr (scalar::is_complex<T>) {
    return T(1) / (T(1) + std::exp(-x));
  } else {
    return math::sigmoid(x);
  }
}
DYAD_SCALAR_2(sigmoid_grad, kFloatingComplex, 1) { return a * b * (T(1) - b); }

DYAD_SCALAR_1(silu, kFloatingComplex, 12) {
  if constexpr (scalar::is_complex<T>) {
    return x / (T(1) + std::exp(-x));
  } else {
    return x * math::sigmoid(x);
  }
}
template <class T>
static inline T sigmoid_of(T x) {
  if constexpr (scalar::is_complex<T>) {
    return T(1) / (T(1) + std::exp(-x));
  } else {
    return math::sigmoid(x);
  }
}
DYAD_SCALAR_2(silu_grad, kFloatingComplex, 12) {
  const T s = sigmoid_of(b);
  return a * s * (T(1) + b * (T(1) - s));
}

/// What the negative side adds to relu: small for both signs, so that neither loses digits.
DYAD_SCALAR_1(gelu_erf, kFloating, 16) {
  const T size = std::fabs(x);
  const T missing = size * math::normal_tail(size);
  return (x < T(0) ? T(0) : x) - (size > math::kNormalReach<T> ? T(0) : missing);
}
DYAD_SCALAR_2(gelu_erf_grad, kFloating, 20) {
  const T size = std::fabs(b);
  const T tail = math::normal_tail(size);
  const T bend = size * T(0.39894228040143267794) * math::normal_decay(size);
  const T below = size > math::kNormalReach<T> ? T(0) : tail - bend;
  return a * (b < T(0) ? below : T(1) - below);
}

template <class T>
static inline T gelu_tanh_argument(T x) {
  return T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
}
DYAD_SCALAR_1(gelu_tanh, kFloating, 16) { return T(0.5) * x * (T(1) + math::tanh(gelu_tanh_argument(x))); }
DYAD_SCALAR_2(gelu_tanh_grad, kFloating, 32) {
  const T t = math::tanh(gelu_tanh_argument(b));
  const T slope = T(0.79788456080286535588) * (T(1) + T(3 * 0.044715) * b * b);
  return a * (T(0.5) * (T(1) + t) + T(0.5) * b * (T(1) - t * t) * slope);
}

DYAD_SCALAR_2(leaky_relu, kFloating, 1) { return a < T(0) ? a * b : a; }

DYAD_SCALAR_2(elu, kFloating, 12) {
  const T below = b * math::expm1(a);
  return a > T(0) ? a : below;
}
DYAD_SCALAR_2(celu, kFloating, 12) {
  const T below = b * math::expm1(a / b);
  return a > T(0) ? a : below;
}

/// log(1 + e^(beta x)) / beta; the line itself where beta x exceeds the threshold.
DYAD_SCALAR_3(softplus, kFloating, 20) {
  const T scaled = a * b;
  const T curved = math::log1p(math::exp(scaled)) / b;
  return scaled > c ? a : curved;
}
DYAD_SCALAR_1(logsigmoid, kFloating, 20) {
  const T tail = math::log1p(math::exp_of_negative(-std::fabs(x)));
  return (x < T(0) ? x : T(0)) - tail;
}

DYAD_SCALAR_1(mish, kFloating, 24) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2); for large x that is 1.
  const T e = math::exp(x > T(20) ? T(20) : x);
  const T n = e * (e + T(2));
  const T curved = x * (n / (n + T(2)));
  return x > T(20) ? x : curved;
}

template <class T>
static inline T bounded(T x, T low, T high) {
  return x < low ? low : (x > high ? high : x);
}

DYAD_SCALAR_1(softsign, kFloating, 4) { return x / (T(1) + std::fabs(x)); }
DYAD_SCALAR_1(hardsigmoid, kFloating, 2) { return bounded<T>(x + T(3), T(0), T(6)) / T(6); }
DYAD_SCALAR_1(hardswish, kFloating, 2) { return x * bounded<T>(x + T(3), T(0), T(6)) / T(6); }
DYAD_SCALAR_2(hardshrink, kFloating, 1) { return a >= -b && a <= b ? T(0) : a; }
DYAD_SCALAR_2(softshrink, kFloating, 1) { return a > b ? a - b : (a < -b ? a + b : a * T(0)); }
DYAD_SCALAR_3(threshold, kReal, 1) { return a > b ? a : c; }

}  // namespace dyad::kernels::DYAD_ISA
