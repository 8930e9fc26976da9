#pragma once

// How a scalar definition is written (docs/design/0002). A definition is plain, branch-free C++ on one
// element:
//
//   DYAD_SCALAR_1(relu, kReal, 1) { return x > T(0) ? x : T(0); }
//   DYAD_SCALAR_2(add, kNumeric, 1) { return a + b; }
//   DYAD_COMPARE_2(less, kReal, 1) { return a < b; }
//
// Arguments: the operator's name, the element types it is defined for, its cost relative to an addition. T is
// the element type. float16 and bfloat16 are computed as float. Who includes this file decides what a
// definition becomes by defining DYAD_LOOP_ENTRY first: the CPU kernels make vectorised loops of it, once per
// instruction set.
//
// A definition written out as a struct may have, beside `apply`, a branch-free `fast` form for floats that
// holds for all but a few numbers; `rare` tells which. Loops take the fast form for whole blocks that hold no
// rare number.

#include <complex>
#include <cstdint>
#include <type_traits>

#ifndef DYAD_ISA
#define DYAD_ISA portable
#endif
#ifndef DYAD_LOOP_ENTRY
#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost)
#endif

namespace dyad::scalar {

/// The types that a definition holds for.
template <class... Ts>
struct Types {};

using kFloating = Types<float, double>;
using kFloatingComplex = Types<float, double, std::complex<float>, std::complex<double>>;
using kInteger = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using kBits = Types<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
/// Integers and floats.
using kReal = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>;
using kRealBool =
    Types<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double>;
/// All but bool.
using kNumeric = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float,
                       double, std::complex<float>, std::complex<double>>;
using kAll = Types<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float,
                   double, std::complex<float>, std::complex<double>>;
using kBool = Types<bool>;

/// The type of a complex number's parts; T itself otherwise.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
/// The type of a complex number's parts; T itself otherwise.
template <class T>
using Real = typename RealOf<T>::type;

/// Integers as unsigned ones of at least 32 bits: their arithmetic wraps around, where signed overflow is
/// undefined.
template <class T>
constexpr auto wide(T x) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    return static_cast<Unsigned>(x);
  } else {
    return x;
  }
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

}  // namespace dyad::scalar

#define DYAD_SCALAR_1(name, types, cost)                             \
  struct name##_scalar {                                             \
    template <class T>                                               \
    static inline T apply(T x);                                      \
  };                                                                 \
  DYAD_LOOP_ENTRY(name, 1, kArithmetic, ::dyad::scalar::types, cost) \
  template <class T>                                                 \
  inline T name##_scalar::apply(T x)

#define DYAD_SCALAR_2(name, types, cost)                             \
  struct name##_scalar {                                             \
    template <class T>                                               \
    static inline T apply(T a, T b);                                 \
  };                                                                 \
  DYAD_LOOP_ENTRY(name, 2, kArithmetic, ::dyad::scalar::types, cost) \
  template <class T>                                                 \
  inline T name##_scalar::apply(T a, T b)

#define DYAD_SCALAR_3(name, types, cost)                             \
  struct name##_scalar {                                             \
    template <class T>                                               \
    static inline T apply(T a, T b, T c);                            \
  };                                                                 \
  DYAD_LOOP_ENTRY(name, 3, kArithmetic, ::dyad::scalar::types, cost) \
  template <class T>                                                 \
  inline T name##_scalar::apply(T a, T b, T c)

#define DYAD_COMPARE_1(name, types, cost)                            \
  struct name##_scalar {                                             \
    template <class T>                                               \
    static inline bool apply(T x);                                   \
  };                                                                 \
  DYAD_LOOP_ENTRY(name, 1, kComparison, ::dyad::scalar::types, cost) \
  template <class T>                                                 \
  inline bool name##_scalar::apply(T x)

#define DYAD_COMPARE_2(name, types, cost)                            \
  struct name##_scalar {                                             \
    template <class T>                                               \
    static inline bool apply(T a, T b);                              \
  };                                                                 \
  DYAD_LOOP_ENTRY(name, 2, kComparison, ::dyad::scalar::types, cost) \
  template <class T>                                                 \
  inline bool name##_scalar::apply(T a, T b)

#define DYAD_LOGICAL_1(name)                                   \
  struct name##_scalar {                                       \
    template <class T>                                         \
    static inline T apply(T x);                                \
  };                                                           \
  DYAD_LOOP_ENTRY(name, 1, kLogical, ::dyad::scalar::kBool, 1) \
  template <class T>                                           \
  inline T name##_scalar::apply(T x)

#define DYAD_LOGICAL_2(name)                                   \
  struct name##_scalar {                                       \
    template <class T>                                         \
    static inline T apply(T a, T b);                           \
  };                                                           \
  DYAD_LOOP_ENTRY(name, 2, kLogical, ::dyad::scalar::kBool, 1) \
  template <class T>                                           \
  inline T name##_scalar::apply(T a, T b)

/// `condition` chooses between two elements.
#define DYAD_SELECT_3(name)                                  \
  struct name##_scalar {                                     \
    template <class T>                                       \
    static inline T apply(bool condition, T a, T b);         \
  };                                                         \
  DYAD_LOOP_ENTRY(name, 3, kSelect, ::dyad::scalar::kAll, 1) \
  template <class T>                                         \
  inline T name##_scalar::apply(bool condition, T a, T b)

/// Complex operands give a result of their real type, others one of their own.
#define DYAD_REAL_1(name, types, cost)                             \
  struct name##_scalar {                                           \
    template <class T>                                             \
    static inline ::dyad::scalar::Real<T> apply(T x);              \
  };                                                               \
  DYAD_LOOP_ENTRY(name, 1, kRealPart, ::dyad::scalar::types, cost) \
  template <class T>                                               \
  inline ::dyad::scalar::Real<T> name##_scalar::apply(T x)

/// Two real numbers give a complex one.
#define DYAD_COMPLEX_2(name, cost)                                    \
  struct name##_scalar {                                              \
    template <class T>                                                \
    static inline std::complex<T> apply(T a, T b);                    \
  };                                                                  \
  DYAD_LOOP_ENTRY(name, 2, kComplex, ::dyad::scalar::kFloating, cost) \
  template <class T>                                                  \
  inline std::complex<T> name##_scalar::apply(T a, T b)
