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

}  // namespace dyad::kernels::DYAD_ISA
