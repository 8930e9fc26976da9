// Conversions between every pair of dtypes over contiguous elements. Compiled per instruction set, because
// half precision needs its instructions.

#include <complex>
#include <cstdint>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "kernels/cpu/convert_table.h"
#include "kernels/scalar/convert.h"
#include "types/half.h"

namespace dyad::kernels::DYAD_ISA {

#ifdef __F16C__
// The compiler converts half precision one element at a time, so these two loops name the instruction.
static void widen_half(int64_t count, const void* from, void* to) {
  auto* in = static_cast<const Half*>(from);
  auto* out = static_cast<float*>(to);
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  }
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

static void narrow_to_half(int64_t count, const void* from, void* to) {
  auto* in = static_cast<const float*>(from);
  auto* out = static_cast<Half*>(to);
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < count; ++i) out[i] = Half(in[i]);
}
#endif

template <class From, class To>
static void convert(int64_t count, const void* from, void* to) {
  auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = convert_one<From, To>(in[i]);
}

template <class From, class To>
static constexpr Convert choose_convert() {
#ifdef __F16C__
  if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) return widen_half;
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) return narrow_to_half;
#endif
  return convert<From, To>;
}

template <class From>
static constexpr ConvertRow row() {
  return {{choose_convert<From, bool>(), choose_convert<From, int8_t>(), choose_convert<From, int16_t>(),
           choose_convert<From, int32_t>(), choose_convert<From, int64_t>(), choose_convert<From, uint8_t>(),
           choose_convert<From, uint16_t>(), choose_convert<From, uint32_t>(),
           choose_convert<From, uint64_t>(), choose_convert<From, Half>(), choose_convert<From, BFloat16>(),
           choose_convert<From, float>(), choose_convert<From, double>(),
           choose_convert<From, std::complex<float>>(), choose_convert<From, std::complex<double>>()}};
}

extern constinit const ConvertTable convert_table = {
    {row<bool>(), row<int8_t>(), row<int16_t>(), row<int32_t>(), row<int64_t>(), row<uint8_t>(),
     row<uint16_t>(), row<uint32_t>(), row<uint64_t>(), row<Half>(), row<BFloat16>(), row<float>(),
     row<double>(), row<std::complex<float>>(), row<std::complex<double>>()}};

}  // namespace dyad::kernels::DYAD_ISA
