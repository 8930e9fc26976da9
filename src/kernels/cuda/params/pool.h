#pragma once

#include <cstdint>

#include "kernels/cpu/pool_task.h"
#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// Pooling of planes. `places` are those of the largest elements; where it is null they are not wanted.
struct PoolParams {
  void* out;
  int64_t* places;
  const void* in;
  int64_t planes;
  kernels::PoolWindow window;
  int64_t fixed_divisor;  ///< of an average; 0: the number of places
  bool count_padding;
};

/// Elements of planes go to the places that are named; `out` was filled with zeros.
struct UnpoolParams {
  void* out;
  const void* in;
  const int64_t* places;
  int64_t count;  ///< elements of a plane
  int64_t planes;
  int64_t room;  ///< places of a plane
  Fault* fault;
  uint32_t ticket;
};

/// Parts of planes, one for each element of the result, which cover all of the image.
struct AdaptivePoolParams {
  void* out;
  int64_t* places;
  const void* in;
  int64_t planes;
  int64_t in_size[3];
  int64_t out_size[3];
};

}  // namespace dyad::cuda
