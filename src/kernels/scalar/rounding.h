#pragma once

#include <cmath>

#include "kernels/scalar/define.h"

// Integers and truth values are already round.

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_1(floor, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::floor(x);
  } else {
    return x;
  }
}

DYAD_SCALAR_1(ceil, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::ceil(x);
  } else {
    return x;
  }
}

DYAD_SCALAR_1(trunc, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::trunc(x);
  } else {
    return x;
  }
}

/// To the nearest integer, halves to the even one.
DYAD_SCALAR_1(rint, kRealBool, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nearbyint(x);
  } else {
    return x;
  }
}

DYAD_SCALAR_1(frac, kReal, 1) {
  if constexpr (std::is_floating_point_v<T>) {
    return x - std::trunc(x);
  } else {
    return T(0);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
