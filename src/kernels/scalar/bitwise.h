#pragma once

#include <bit>

#include "kernels/scalar/define.h"

namespace dyad::kernels::DYAD_ISA {

DYAD_SCALAR_2(bitwise_and, kBits, 1) { return static_cast<T>(a & b); }
DYAD_SCALAR_2(bitwise_or, kBits, 1) { return static_cast<T>(a | b); }
DYAD_SCALAR_2(bitwise_xor, kBits, 1) { return static_cast<T>(a ^ b); }

DYAD_SCALAR_1(bitwise_not, kBits, 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
}

/// A distance that leaves no bit of the number: too long, or negative.
template <class T>
static inline bool shifts_all(T distance) {
  return scalar::wide(distance) >= sizeof(T) * 8;
}

DYAD_SCALAR_2(bitwise_left_shift, kInteger, 1) {
  const auto distance = shifts_all(b) ? 0 : scalar::wide(b);
  return shifts_all(b) ? T(0) : static_cast<T>(scalar::wide(a) << distance);
}

DYAD_SCALAR_2(bitwise_right_shift, kInteger, 1) {
  const auto longest = static_cast<decltype(scalar::wide(b))>(sizeof(T) * 8 - 1);
  const auto distance = shifts_all(b) ? longest : scalar::wide(b);
  const T shifted = static_cast<T>(a >> distance);
  return shifts_all(b) && !std::is_signed_v<T> ? T(0) : shifted;
}

DYAD_SCALAR_1(bits_set, kInteger, 4) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
}

}  // namespace dyad::kernels::DYAD_ISA
