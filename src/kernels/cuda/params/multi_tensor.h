#pragma once

#include <cstdint>

namespace dyad::cuda {

inline constexpr int kManyTensors = 64;
inline constexpr int64_t kManyElements = 4096;  ///< of a tensor that a block takes

/// Contiguous tensors of one dtype, so many as a launch takes; block b works on the tensor whose first block
/// is the last one up to b.
struct MultiTensorParams {
  const void* in[kManyTensors];
  void* out[kManyTensors];
  int64_t count[kManyTensors];
  uint32_t first_block[kManyTensors + 1];
  int32_t tensors;
  double* sums;          ///< one for each block
  bool* finite;          ///< made false by an element that is not
  const double* factor;  ///< by which all are multiplied
};

/// Adds up numbers, in one block.
struct TotalParams {
  const double* sums;
  int64_t count;
  void* out;
  bool wide;  ///< the result is float64, else float32
};

}  // namespace dyad::cuda
