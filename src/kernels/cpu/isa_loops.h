#pragma once

// Turns the scalar definitions that are included after this file into vectorised loops for the instruction
// set that the file is compiled for. Only files in isa/ include it. Everything lives in a namespace of the
// instruction set: two builds of one template must not be merged by the linker.

#include <complex>
#include <cstdint>

#include "kernels/cpu/loops.h"

namespace dyad::scalar {
template <class... Ts>
struct Types;
}

#define DYAD_TEXT_2_(x) #x
#define DYAD_TEXT_(x) DYAD_TEXT_2_(x)

namespace dyad::kernels::DYAD_ISA {

inline constexpr uint8_t kInstructionSet = DYAD_TEXT_(DYAD_ISA)[3] == 'e'   ? 0
                                           : DYAD_TEXT_(DYAD_ISA)[3] == '2' ? 1
                                                                            : 2;

template <class T>
inline constexpr int kDTypeOf = -1;
template <>
inline constexpr int kDTypeOf<bool> = static_cast<int>(DType::kBool);
template <>
inline constexpr int kDTypeOf<int8_t> = static_cast<int>(DType::kInt8);
template <>
inline constexpr int kDTypeOf<int16_t> = static_cast<int>(DType::kInt16);
template <>
inline constexpr int kDTypeOf<int32_t> = static_cast<int>(DType::kInt32);
template <>
inline constexpr int kDTypeOf<int64_t> = static_cast<int>(DType::kInt64);
template <>
inline constexpr int kDTypeOf<uint8_t> = static_cast<int>(DType::kUInt8);
template <>
inline constexpr int kDTypeOf<uint16_t> = static_cast<int>(DType::kUInt16);
template <>
inline constexpr int kDTypeOf<uint32_t> = static_cast<int>(DType::kUInt32);
template <>
inline constexpr int kDTypeOf<uint64_t> = static_cast<int>(DType::kUInt64);
template <>
inline constexpr int kDTypeOf<float> = static_cast<int>(DType::kFloat32);
template <>
inline constexpr int kDTypeOf<double> = static_cast<int>(DType::kFloat64);
template <>
inline constexpr int kDTypeOf<std::complex<float>> = static_cast<int>(DType::kComplex64);
template <>
inline constexpr int kDTypeOf<std::complex<double>> = static_cast<int>(DType::kComplex128);

/// The type of a complex number's parts; T itself otherwise.
template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
/// The type that a loop of this kind gives for elements of type T.
template <LoopKind kind, class T>
struct Result {
  using type = T;
};
template <class T>
struct Result<LoopKind::kComparison, T> {
  using type = bool;
};
template <class T>
struct Result<LoopKind::kRealPart, T> : RealPart<T> {};
template <class T>
struct Result<LoopKind::kComplex, T> {
  using type = std::complex<T>;
};
template <LoopKind kind, class T>
using ResultOf = typename Result<kind, T>::type;
template <LoopKind kind, class T>
using FirstOf = std::conditional_t<kind == LoopKind::kSelect, bool, T>;

/// Truth values are handled as bytes, which vectorise where bool does not.
template <LoopKind kind, class T>
using ElementOf = std::conditional_t<kind == LoopKind::kLogical, uint8_t, T>;

// The result may be written over an operand of the same place: no element depends on another, which ivdep
// promises.

/// The result of one element that stands for all of an operand.
template <class R>
void spread_result(int64_t count, const R& result, R* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = result;
}

template <class F, LoopKind kind, class T>
void loop_1(int64_t count, const void* const* in, const uint8_t* step, void* out) {
  auto* a = static_cast<const T*>(in[0]);
  auto* o = static_cast<ResultOf<kind, T>*>(out);
  if (!step[0]) return spread_result<ResultOf<kind, T>>(count, F::apply(*a), o);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i]);
}

/// A definition whose fast form holds for all but a few numbers. Blocks without any of these need not look at
/// each; the result of a number does not depend on its neighbours.
template <class F, LoopKind kind, class T>
void loop_1_guarded(int64_t count, const void* const* in, const uint8_t* step, void* out) {
  constexpr int64_t kGuarded = 256;
  auto* a = static_cast<const T*>(in[0]);
  auto* o = static_cast<ResultOf<kind, T>*>(out);
  if (!step[0]) return spread_result<T>(count, F::rare(*a) ? F::apply(*a) : F::fast(*a), o);
  for (int64_t begin = 0; begin < count; begin += kGuarded) {
    const int64_t end = begin + kGuarded < count ? begin + kGuarded : count;
    int rare = 0;
    for (int64_t i = begin; i < end; ++i) rare |= F::rare(a[i]);
    if (rare) {
      for (int64_t i = begin; i < end; ++i) o[i] = F::rare(a[i]) ? F::apply(a[i]) : F::fast(a[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) o[i] = F::fast(a[i]);
    }
  }
}

template <class F, LoopKind kind, class T>
void loop_2(int64_t count, const void* const* in, const uint8_t* step, void* out) {
  auto* a = static_cast<const T*>(in[0]);
  auto* b = static_cast<const T*>(in[1]);
  auto* o = static_cast<ResultOf<kind, T>*>(out);
  if (step[0] && step[1]) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i], b[i]);
  } else if (step[0]) {
    const T same = b[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i], same);
  } else {
    const T same = a[0];
    const int64_t next = step[1];
    if (next) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) o[i] = F::apply(same, b[i]);
    } else {
      const auto result = F::apply(same, b[0]);
      for (int64_t i = 0; i < count; ++i) o[i] = result;
    }
  }
}

/// As `loop_1_guarded`; an operand that is one number is spread over a block first.
template <class F, LoopKind kind, class T>
void loop_2_guarded(int64_t count, const void* const* in, const uint8_t* step, void* out) {
  constexpr int64_t kGuarded = 256;
  T spread[2][kGuarded];
  for (int side = 0; side < 2; ++side) {
    if (step[side]) continue;
    for (T& element : spread[side]) element = *static_cast<const T*>(in[side]);
  }
  auto* o = static_cast<ResultOf<kind, T>*>(out);
  for (int64_t begin = 0; begin < count; begin += kGuarded) {
    const int64_t size = kGuarded < count - begin ? kGuarded : count - begin;
    const T* a = step[0] ? static_cast<const T*>(in[0]) + begin : spread[0];
    const T* b = step[1] ? static_cast<const T*>(in[1]) + begin : spread[1];
    T* target = o + begin;
    int rare = 0;
    for (int64_t i = 0; i < size; ++i) rare |= F::rare(a[i], b[i]);
    if (rare) {
      for (int64_t i = 0; i < size; ++i)
        target[i] = F::rare(a[i], b[i]) ? F::apply(a[i], b[i]) : F::fast(a[i], b[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < size; ++i) target[i] = F::fast(a[i], b[i]);
    }
  }
}

template <class F, LoopKind kind, class T>
void loop_3(int64_t count, const void* const* in, const uint8_t* step, void* out) {
  auto* a = static_cast<const FirstOf<kind, T>*>(in[0]);
  auto* b = static_cast<const T*>(in[1]);
  auto* c = static_cast<const T*>(in[2]);
  auto* o = static_cast<ResultOf<kind, T>*>(out);
  if (step[0] && step[1] && step[2]) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i], b[i], c[i]);
  } else if (step[0] && !step[1] && !step[2]) {
    const T same_b = b[0];
    const T same_c = c[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i], same_b, same_c);
  } else {
    const int64_t sa = step[0];
    const int64_t sb = step[1];
    const int64_t sc = step[2];
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) o[i] = F::apply(a[i * sa], b[i * sb], c[i * sc]);
  }
}

template <class F, int operands, LoopKind kind, class T>
constexpr Loop pick_loop() {
  if constexpr (operands == 1 && requires(float x) { F::fast(x); } && std::is_same_v<T, float>) {
    return loop_1_guarded<F, kind, T>;
  } else if constexpr (operands == 1) {
    return loop_1<F, kind, T>;
  } else if constexpr (operands == 2 && requires(float x) { F::fast(x, x); } && std::is_same_v<T, float>) {
    return loop_2_guarded<F, kind, T>;
  } else if constexpr (operands == 2) {
    return loop_2<F, kind, T>;
  } else {
    return loop_3<F, kind, T>;
  }
}

template <class F, int operands, LoopKind kind, class... Ts>
constexpr LoopEntry make_entry(const char* name, uint8_t cost, scalar::Types<Ts...>) {
  LoopEntry entry{name, kInstructionSet, operands, kind, cost, {}};
  ((entry.loops[kDTypeOf<Ts>] = pick_loop<F, operands, kind, ElementOf<kind, Ts>>()), ...);
  return entry;
}

}  // namespace dyad::kernels::DYAD_ISA

#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost)                       \
  static constexpr LoopEntry name##_entry =                                      \
      make_entry<name##_scalar, operands, LoopKind::kind>(#name, cost, types{}); \
  __attribute__((section("dyad_loops"), used)) static const LoopEntry* const name##_listed = &name##_entry;
