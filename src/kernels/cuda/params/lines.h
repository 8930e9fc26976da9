#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Lines of `count` elements along an axis: line (o, j) begins at o * count * inner + j, its elements lie
/// `inner` apart.
struct LineParams {
  void* out;
  const void* in;
  const void* other;  ///< a second operand, laid out as the first
  int64_t outer;
  int64_t count;
  int64_t inner;
};

}  // namespace dyad::cuda
