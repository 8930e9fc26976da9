#pragma once

// Elements of any dtype in device code.

#ifndef DYAD_ISA
#define DYAD_ISA cuda
#endif

#include <complex>
#include <cstdint>

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/scalar/convert.h"
#include "types/half.h"

/// Calls `kernel(type, name)` for each dtype, in their order.
#define DYAD_FOR_DTYPES(kernel)                                                                            \
  kernel(bool, bool) kernel(int8_t, int8) kernel(int16_t, int16) kernel(int32_t, int32)                    \
      kernel(int64_t, int64) kernel(uint8_t, uint8) kernel(uint16_t, uint16) kernel(uint32_t, uint32)      \
          kernel(uint64_t, uint64) kernel(Half, float16) kernel(BFloat16, bfloat16) kernel(float, float32) \
              kernel(double, float64) kernel(std::complex<float>, complex64)                               \
                  kernel(std::complex<double>, complex128)

namespace dyad::cuda::device {

/// Stores `value` as element `i` of an array of the dtype with that number (types/dtype.h).
template <class From>
DYAD_DEVICE_INLINE void store_as(uint32_t dtype, void* array, int64_t i, From value) {
  uint32_t number = 0;
#define DYAD_STORE(To, name)                                                              \
  if (dtype == number++) {                                                                \
    static_cast<To*>(array)[i] = ::dyad::kernels::DYAD_ISA::convert_one<From, To>(value); \
    return;                                                                               \
  }
  DYAD_FOR_DTYPES(DYAD_STORE)
#undef DYAD_STORE
}

}  // namespace dyad::cuda::device
