#pragma once

#include <bit>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_LOGICAL_1(logical_not) { return !x; }
DYAD_LOGICAL_2(logical_and) { return a & b; }
DYAD_LOGICAL_2(logical_or) { return a | b; }
DYAD_LOGICAL_2(logical_xor) { return a != b; }

/// An unsigned integer as wide as T; void if there is none.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<
        sizeof(T) == 2, uint16_t,
        std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 8, uint64_t, void>>>>;

DYAD_SELECT_3(where) {
  using B = Bits<T>;
  if constexpr (std::is_void_v<B> || std::is_same_v<T, bool>) {
    return condition ? a : b;
  } else {
    // By a mask: a choice would become a branch around the loads, which does not vectorise.
    const B mask = static_cast<B>(-static_cast<std::make_signed_t<B>>(condition));
    return std::bit_cast<T>(
        static_cast<B>((std::bit_cast<B>(a) & mask) | (std::bit_cast<B>(b) & static_cast<B>(~mask))));
  }
}

}  // namespace dyad::kernels::DYAD_ISA
