#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "types/half.h"

#ifndef DYAD_ISA
#define DYAD_ISA portable
#endif

namespace dyad::kernels::DYAD_ISA {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// How an element of one dtype becomes one of another: floats become integers by truncation, complex numbers
/// lose their imaginary part, anything becomes bool by comparison with zero.
template <class From, class To>
static inline To convert_one(From x) {
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (is_narrow<From>) {
    return convert_one<float, To>(static_cast<float>(x));
  } else if constexpr (is_narrow<To>) {
    return To(convert_one<From, float>(x));
  } else if constexpr (is_complex<From> && is_complex<To>) {
    return To(static_cast<typename To::value_type>(x.real()), static_cast<typename To::value_type>(x.imag()));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (is_complex<From>) {
    return convert_one<typename From::value_type, To>(x.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(x), 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    return static_cast<To>(static_cast<int32_t>(x));  // out of range wraps instead of being undefined
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint32_t>) {
    return static_cast<To>(static_cast<int64_t>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint64_t>) {
    // As above for what is negative; multiples of 2^64 are all that lies beyond.
    const To beyond_half = x < From(18446744073709551616.0) ? static_cast<To>(x) : To(0);
    return x < From(0) ? static_cast<To>(static_cast<int64_t>(x)) : beyond_half;
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace dyad::kernels::DYAD_ISA
