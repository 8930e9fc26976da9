#pragma once

// Elements as they are stored and as they are computed: float16 and bfloat16 are computed as float.

#define DYAD_ISA cuda

#include "kernels/cuda/device/math.h"

#include <type_traits>

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/scalar/math.h"
#include "types/half.h"

namespace dyad::cuda::device {

namespace math = kernels::cuda::math;

template <class S>
using Computed = std::conditional_t<std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>, float, S>;

/// One kernel for each floating-point dtype: `NAME_float32`, ...; `body<S>(p)` is what it does.
#define DYAD_FLOAT_KERNELS(name, Params, body)                    \
  DYAD_DEVICE_KERNEL(name##_float32, Params) { body<float>(p); }  \
  DYAD_DEVICE_KERNEL(name##_float64, Params) { body<double>(p); } \
  DYAD_DEVICE_KERNEL(name##_float16, Params) { body<Half>(p); }   \
  DYAD_DEVICE_KERNEL(name##_bfloat16, Params) { body<BFloat16>(p); }

}  // namespace dyad::cuda::device
