#pragma once

#include "kernels/cuda/params/strided.h"

namespace dyad::cuda {

inline constexpr int kMostOperands = 3;

/// Elementwise work. An operand without memory is the number that stands for all elements, in the dtype in
/// which is computed.
struct ElementwiseParams {
  void* out;
  const void* in[kMostOperands];
  uint32_t count;
  StridedIndex<kMostOperands + 1> index;
  alignas(16) char number[kMostOperands][16];
};

/// How many elements of `bytes` bytes one thread takes at a time where all lie side by side, for a definition
/// of that cost: code that computes much is not repeated.
constexpr int elements_at_once(int cost, int bytes) {
  const int most = cost > 20 ? 1 : cost > 4 ? 4 : 8;
  return bytes >= 16 ? 1 : (16 / bytes < most ? 16 / bytes : most);
}

}  // namespace dyad::cuda
