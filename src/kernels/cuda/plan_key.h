#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dyad::cuda {

/// All that a plan of a library depends on, as numbers.
template <size_t count>
struct PlanKey {
  std::array<int64_t, count> parts;
  bool operator==(const PlanKey&) const = default;
};

/// For tables of plans.
struct PlanKeyHash {
  template <size_t count>
  size_t operator()(const PlanKey<count>& key) const {
    uint64_t hash = 0;
    for (const int64_t part : key.parts) {
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

}  // namespace dyad::cuda
