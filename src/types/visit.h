#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "types/dtype.h"
#include "types/half.h"

namespace dyad {

/// A type as a value, to be passed to a generic lambda.
template <class T>
struct Typed {
  using type = T;
};

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

/// Calls `body(Typed<T>{})` with the C++ type that stores `dtype`.
template <class Body>
decltype(auto) visit_dtype(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kBool:
      return body(Typed<bool>{});
    case DType::kInt8:
      return body(Typed<int8_t>{});
    case DType::kInt16:
      return body(Typed<int16_t>{});
    case DType::kInt32:
      return body(Typed<int32_t>{});
    case DType::kInt64:
      return body(Typed<int64_t>{});
    case DType::kUInt8:
      return body(Typed<uint8_t>{});
    case DType::kUInt16:
      return body(Typed<uint16_t>{});
    case DType::kUInt32:
      return body(Typed<uint32_t>{});
    case DType::kUInt64:
      return body(Typed<uint64_t>{});
    case DType::kFloat16:
      return body(Typed<Half>{});
    case DType::kBFloat16:
      return body(Typed<BFloat16>{});
    case DType::kFloat32:
      return body(Typed<float>{});
    case DType::kFloat64:
      return body(Typed<double>{});
    case DType::kComplex64:
      return body(Typed<std::complex<float>>{});
    case DType::kComplex128:
      return body(Typed<std::complex<double>>{});
  }
  raise_internal("dtype is one of the enumerators", __FILE__, __LINE__);
}

/// Calls `body` with an unsigned integer type as wide as an element of `dtype`: for code that only moves
/// elements. 16-byte elements are given as `Pair64`.
struct Pair64 {
  uint64_t first;
  uint64_t second;
};
template <class Body>
decltype(auto) visit_width(DType dtype, Body&& body) {
  switch (itemsize(dtype)) {
    case 1:
      return body(Typed<uint8_t>{});
    case 2:
      return body(Typed<uint16_t>{});
    case 4:
      return body(Typed<uint32_t>{});
    case 8:
      return body(Typed<uint64_t>{});
    default:
      return body(Typed<Pair64>{});
  }
}

}  // namespace dyad
