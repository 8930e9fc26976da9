#pragma once

#include "kernels/scalar/define.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

/// `a` is a score, `b` the wanted probability of 1: log(1 + e^a) - a b without overflow.
DYAD_SCALAR_2(sigmoid_cross_entropy, kFloating, 20) {
  const T tail = math::log1p(math::exp(-std::fabs(a)));
  return (a < T(0) ? T(0) : a) - a * b + tail;
}

/// The distance of `a` and `b`, rounded off to a parabola below `c`.
DYAD_SCALAR_3(smooth_distance, kFloating, 3) {
  const T distance = std::fabs(a - b);
  const T near = distance * distance * (T(0.5) / c);
  return distance < c ? near : distance - T(0.5) * c;
}

/// Logarithms of probabilities are cut at -100, so that a certain wrong answer costs much but not infinity.
template <class T>
static inline T cut_log(T x) {
  return x < T(-100) ? T(-100) : x;
}
/// `a` is a probability of 1, `b` the wanted one.
DYAD_SCALAR_2(binary_entropy, kFloating, 40) {
  return -(b * cut_log(math::log(a)) + (T(1) - b) * cut_log(math::log1p(-a)));
}

}  // namespace dyad::kernels::DYAD_ISA
