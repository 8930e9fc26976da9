#pragma once

#include <cstdint>

namespace dyad::cuda {

inline constexpr int kMostCoordinates = 16;
inline constexpr int64_t kNonzeroChunk = 4096;  ///< elements whose true ones a block counts

/// Coordinates of true elements, chunk by chunk; `first` is where those of a chunk begin.
struct NonzeroParams {
  const uint8_t* truth;
  int64_t* counts;
  const int64_t* first;
  int64_t* rows;
  int64_t count;
  int64_t chunks;
  int64_t rank;
  int64_t size[kMostCoordinates];
};

}  // namespace dyad::cuda
