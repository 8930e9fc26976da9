#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Elements of lines that a warp keeps in registers, in two forms of a kernel, and those that a thread of a
/// block keeps.
inline constexpr int kShortLine = 256;
inline constexpr int kWarpLine = 1024;
inline constexpr int kKeptByThread = 8;

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
