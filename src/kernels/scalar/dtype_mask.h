#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "types/dtype.h"

namespace dyad::scalar {
template <class... Ts>
struct Types;
}

namespace dyad::kernels {

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::kComplex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return DType::kComplex128;
  constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<DType>(static_cast<int>(std::is_signed_v<T> ? DType::kInt8 : DType::kUInt8) + width);
}

/// A bit for each dtype of a list of element types.
template <class... Ts>
constexpr uint16_t dtype_mask(scalar::Types<Ts...>*) {
  return static_cast<uint16_t>(((1u << static_cast<int>(dtype_of<Ts>())) | ...));
}

}  // namespace dyad::kernels
