#pragma once

#include <complex>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "types/half.h"

namespace dyad::kernels {

/// How a value that is written meets what is there.
enum class Reduction { kNone, kAdd, kSub, kMul, kDiv, kMax, kMin };

inline Reduction reduction_of(std::string_view text) {
  if (text == "none") return Reduction::kNone;
  if (text == "add") return Reduction::kAdd;
  if (text == "sub") return Reduction::kSub;
  if (text == "mul") return Reduction::kMul;
  if (text == "div") return Reduction::kDiv;
  if (text == "max") return Reduction::kMax;
  if (text == "min") return Reduction::kMin;
  raise_internal("reduction is one of the names that inference lets through", __FILE__, __LINE__);
}

namespace reduction_detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) raise(ErrorKind::kZeroDivision, "scatter: an integer is divided by zero");
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return static_cast<T>(T(0) - a);  // the most negative number has no quotient by -1
    }
  }
  return static_cast<T>(a / b);
}

template <Reduction reduction, class T>
T combine(T a, T b) {
  if constexpr (reduction == Reduction::kNone) return b;
  if constexpr (is_narrow<T>) {
    return T(combine<reduction, float>(static_cast<float>(a), static_cast<float>(b)));
  } else {
    if constexpr (reduction == Reduction::kAdd) return static_cast<T>(a + b);
    if constexpr (reduction == Reduction::kSub) return static_cast<T>(a - b);
    if constexpr (reduction == Reduction::kMul) return static_cast<T>(a * b);
    if constexpr (reduction == Reduction::kDiv) return divide(a, b);
    if constexpr (!is_complex<T> && reduction == Reduction::kMax) return a != a || a > b ? a : b;
    if constexpr (!is_complex<T> && reduction == Reduction::kMin) return a != a || a < b ? a : b;
    return b;
  }
}

}  // namespace reduction_detail

/// Calls `body(meet)` where `meet(a, b)` is the value that replaces `a` when `b` is written over it.
template <class T, class Body>
void with_reduction(Reduction reduction, const Body& body) {
  using reduction_detail::combine;
  switch (reduction) {
    case Reduction::kNone:
      return body([](T a, T b) { return combine<Reduction::kNone>(a, b); });
    case Reduction::kAdd:
      return body([](T a, T b) { return combine<Reduction::kAdd>(a, b); });
    case Reduction::kSub:
      return body([](T a, T b) { return combine<Reduction::kSub>(a, b); });
    case Reduction::kMul:
      return body([](T a, T b) { return combine<Reduction::kMul>(a, b); });
    case Reduction::kDiv:
      return body([](T a, T b) { return combine<Reduction::kDiv>(a, b); });
    case Reduction::kMax:
      return body([](T a, T b) { return combine<Reduction::kMax>(a, b); });
    case Reduction::kMin:
      return body([](T a, T b) { return combine<Reduction::kMin>(a, b); });
  }
}

}  // namespace dyad::kernels
