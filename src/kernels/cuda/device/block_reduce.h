#pragma once

#include "kernels/cuda/device/intrinsics.h"

namespace dyad::cuda::device {

inline constexpr uint32_t kMostWarps = 32;

template <class T>
DYAD_DEVICE_INLINE T greater_of(T a, T b) {
  return (a > b) | (a != a) ? a : b;
}

/// Adds values up.
struct Sum {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(T a, T b) const {
    return a + b;
  }
};
/// A NaN wins.
struct Maximum {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(T a, T b) const {
    return greater_of(a, b);
  }
};

/// The values of a warp in one, for all of its lanes.
template <class T, class Combine>
DYAD_DEVICE_INLINE T reduce_warp(T value, Combine combine) {
#pragma unroll
  for (uint32_t n = kWarpSize / 2; n > 0; n /= 2) value = combine(value, shuffle_xor(value, n));
  return value;
}

/// The values of a block, whose threads go along x, in one for all of its threads. `places` is shared memory
/// for kMostWarps values, free again when this returns.
template <class T, class Combine>
DYAD_DEVICE_INLINE T reduce_block(T value, Combine combine, T* places) {
  value = reduce_warp(value, combine);
  const uint32_t warps = (threads_x() + kWarpSize - 1) / kWarpSize;
  if (warps == 1) return value;
  if (lane() == 0) places[thread_x() / kWarpSize] = value;
  sync_threads();
  T total = places[0];
  for (uint32_t w = 1; w < warps; ++w) total = combine(total, places[w]);
  sync_threads();
  return total;
}

}  // namespace dyad::cuda::device
