// Every scalar definition for every element type as a function of its own, compiled to bitcode that the code
// generator takes apart: `dyad_add_float32`, `dyad_convert_float16_float32`. A definition with a fast form
// has `dyad_sin_float32_fast` and `dyad_sin_float32_rare` beside it. float16 and bfloat16 pass as their bits.

#include <cstdint>

#define DYAD_ISA bitcode

#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost)              \
  DYAD_FOR_EACH_TYPE(DYAD_EMIT_##operands, name, LoopKind::kind, types) \
  DYAD_EMIT_GUARDED_##operands(name)

#define DYAD_FOR_EACH_TYPE(emit, ...)                                                                       \
  emit(bool, bool_, __VA_ARGS__) emit(int8_t, int8, __VA_ARGS__) emit(int16_t, int16, __VA_ARGS__)          \
      emit(int32_t, int32, __VA_ARGS__) emit(int64_t, int64, __VA_ARGS__) emit(uint8_t, uint8, __VA_ARGS__) \
          emit(uint16_t, uint16, __VA_ARGS__) emit(uint32_t, uint32, __VA_ARGS__)                           \
              emit(uint64_t, uint64, __VA_ARGS__) emit(float, float32, __VA_ARGS__)                         \
                  emit(double, float64, __VA_ARGS__)

#define DYAD_EMIT_1(T, dtype, name, kind, types) \
  extern "C" Result<kind, T> dyad_##name##_##dtype(T x) { return evaluate<name##_scalar, kind, T, types>(x); }
#define DYAD_EMIT_2(T, dtype, name, kind, types)               \
  extern "C" Result<kind, T> dyad_##name##_##dtype(T a, T b) { \
    return evaluate<name##_scalar, kind, T, types>(a, b);      \
  }
#define DYAD_EMIT_3(T, dtype, name, kind, types)                                 \
  extern "C" Result<kind, T> dyad_##name##_##dtype(First<kind, T> a, T b, T c) { \
    return evaluate<name##_scalar, kind, T, types>(a, b, c);                     \
  }
#define DYAD_EMIT_GUARDED_1(name)                                                         \
  extern "C" float dyad_##name##_float32_fast(float x) { return fast<name##_scalar>(x); } \
  extern "C" bool dyad_##name##_float32_rare(float x) { return rare<name##_scalar>(x); }
#define DYAD_EMIT_GUARDED_2(name)                                                                     \
  extern "C" float dyad_##name##_float32_fast(float a, float b) { return fast<name##_scalar>(a, b); } \
  extern "C" bool dyad_##name##_float32_rare(float a, float b) { return rare<name##_scalar>(a, b); }
#define DYAD_EMIT_GUARDED_3(name)

#include <type_traits>

#include "kernels/scalar/convert.h"
#include "kernels/scalar/kind.h"

namespace dyad::scalar {
template <class... Ts>
struct Types;
}

namespace dyad::kernels::bitcode {

template <LoopKind kind, class T>
using Result = std::conditional_t<kind == LoopKind::kComparison, bool, T>;
template <LoopKind kind, class T>
using First = std::conditional_t<kind == LoopKind::kSelect, bool, T>;

template <class T, class List>
inline constexpr bool among = false;
template <class T, class... Ts>
inline constexpr bool among<T, scalar::Types<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// Types that a definition does not know get a function without callers.
template <class F, LoopKind kind, class T, class List, class... Operands>
static inline Result<kind, T> evaluate(Operands... operands) {
  if constexpr (!among<T, List>) {
    return {};
  } else {
    return F::apply(operands...);
  }
}

template <class F, class... Operands>
static inline float fast(Operands... operands) {
  if constexpr (requires { F::fast(operands...); }) {
    return F::fast(operands...);
  } else {
    return 0;
  }
}
template <class F, class... Operands>
static inline bool rare(Operands... operands) {
  if constexpr (requires { F::rare(operands...); }) {
    return F::rare(operands...);
  } else {
    return false;
  }
}

}  // namespace dyad::kernels::bitcode

#include "kernels/scalar/all.h"

namespace dyad::kernels::bitcode {

/// As an element lies in memory; the narrow floats as integers.
template <class T>
using Stored = std::conditional_t<is_narrow<T>, uint16_t, T>;

template <class From, class To>
static inline Stored<To> convert_stored(Stored<From> x) {
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (is_narrow<From>) {
    From narrow;
    narrow.bits = x;
    return convert_stored<float, To>(static_cast<float>(narrow));
  } else if constexpr (is_narrow<To>) {
    return convert_one<From, To>(x).bits;
  } else {
    return convert_one<From, To>(x);
  }
}

#define DYAD_CONVERT(To, to, From, from) \
  extern "C" Stored<To> dyad_convert_##from##_##to(Stored<From> x) { return convert_stored<From, To>(x); }
#define DYAD_CONVERT_TO_ALL(From, from, unused) \
  DYAD_FOR_EACH_TYPE(DYAD_CONVERT, From, from)  \
  DYAD_CONVERT(Half, float16, From, from)       \
  DYAD_CONVERT(BFloat16, bfloat16, From, from)

#define DYAD_FOR_EACH_SOURCE(emit, ...)                                                                     \
  emit(bool, bool_, __VA_ARGS__) emit(int8_t, int8, __VA_ARGS__) emit(int16_t, int16, __VA_ARGS__)          \
      emit(int32_t, int32, __VA_ARGS__) emit(int64_t, int64, __VA_ARGS__) emit(uint8_t, uint8, __VA_ARGS__) \
          emit(uint16_t, uint16, __VA_ARGS__) emit(uint32_t, uint32, __VA_ARGS__)                           \
              emit(uint64_t, uint64, __VA_ARGS__) emit(float, float32, __VA_ARGS__)                         \
                  emit(double, float64, __VA_ARGS__) emit(Half, float16, __VA_ARGS__)                       \
                      emit(BFloat16, bfloat16, __VA_ARGS__)

DYAD_FOR_EACH_SOURCE(DYAD_CONVERT_TO_ALL, )

}  // namespace dyad::kernels::bitcode
