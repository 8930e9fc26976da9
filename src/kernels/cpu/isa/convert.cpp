// Conversions between every pair of dtypes over contiguous elements. Compiled per instruction set, because half
// precision needs its instructions.

#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/convert_table.h"
#include "types/half.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

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
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
static void convert(int64_t count, const void* from, void* to) {
  auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = convert_one<From, To>(in[i]);
}

template <class From>
static constexpr ConvertRow row() {
  return {{convert<From, bool>, convert<From, int8_t>, convert<From, int16_t>, convert<From, int32_t>,
           convert<From, int64_t>, convert<From, uint8_t>, convert<From, uint16_t>, convert<From, uint32_t>,
           convert<From, uint64_t>, convert<From, Half>, convert<From, BFloat16>, convert<From, float>,
           convert<From, double>, convert<From, std::complex<float>>, convert<From, std::complex<double>>}};
}

extern constinit const ConvertTable convert_table = {
    {row<bool>(), row<int8_t>(), row<int16_t>(), row<int32_t>(), row<int64_t>(), row<uint8_t>(), row<uint16_t>(),
     row<uint32_t>(), row<uint64_t>(), row<Half>(), row<BFloat16>(), row<float>(), row<double>(),
     row<std::complex<float>>(), row<std::complex<double>>()}};

}  // namespace dyad::kernels::DYAD_ISA
