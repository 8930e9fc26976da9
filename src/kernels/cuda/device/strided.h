#pragma once

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/cuda/params/strided.h"

namespace dyad::cuda::device {

/// Where element `number` lies in each of the arrays.
template <int arrays, int kept>
DYAD_DEVICE_INLINE void find_element(const StridedIndex<kept>& index, uint32_t number,
                                     int64_t (&at)[arrays]) {
  for (int64_t& offset : at) offset = 0;
#pragma clang loop unroll(disable)
  for (uint32_t d = index.rank - 1; d > 0; --d) {
    const uint32_t outer = index.divisor[d].quotient(number);
    const uint32_t here = number - outer * index.size[d];
#pragma unroll
    for (int a = 0; a < arrays; ++a) at[a] += static_cast<int64_t>(here) * index.stride[a][d];
    number = outer;
  }
#pragma unroll
  for (int a = 0; a < arrays; ++a) at[a] += static_cast<int64_t>(number) * index.stride[a][0];
}

}  // namespace dyad::cuda::device
