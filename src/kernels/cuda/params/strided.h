#pragma once

#include <cstdint>

namespace dyad::cuda {

inline constexpr int kStridedRank = 8;

/// Division by a number that is the same for a whole launch, without dividing; for numbers below 2^31.
struct Divisor {
  uint32_t multiplier;
  uint32_t shift;

  static Divisor of(uint32_t divisor) {
    uint32_t shift = 0;
    while ((uint64_t{1} << shift) < divisor) ++shift;
    const uint64_t spare = (uint64_t{1} << shift) - divisor;
    return {static_cast<uint32_t>((spare << 32) / divisor + 1), shift};
  }
  uint32_t quotient(uint32_t number) const {
    const auto high = static_cast<uint32_t>((uint64_t{number} * multiplier) >> 32);
    return (high + number) >> shift;
  }
};

/// The elements of several arrays of one shape, numbered in row-major order: fewer than 2^31. Array 0 is the
/// result.
template <int arrays>
struct StridedIndex {
  uint32_t rank;
  uint32_t size[kStridedRank];
  Divisor divisor[kStridedRank];
  int64_t stride[arrays][kStridedRank];  ///< in elements
};

}  // namespace dyad::cuda
