#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "types/value.h"

namespace dyad::passes {

/// Numbers for values, in one piece of memory: an analysis that every pass makes anew must not allocate for
/// each value.
class ValueIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// Makes room for that many values; there must not be more.
  explicit ValueIndex(size_t count) : definitions_(std::bit_ceil(2 * count + 2)) {}

  void add(const ValueImpl& value, uint32_t number) { definitions_[place_of(value)] = {&value, number}; }
  /// The number of the value, or kNone.
  uint32_t find(const ValueImpl& value) const { return definitions_[place_of(value)].number; }

 private:
  struct Definition {
    const ValueImpl* value = nullptr;
    uint32_t number = kNone;
  };
  /// Where the value is, or where it would be put.
  size_t place_of(const ValueImpl& value) const {
    const auto mixed = (reinterpret_cast<uintptr_t>(&value) >> 4) * 0x9E3779B97F4A7C15u;
    const size_t mask = definitions_.size() - 1;
    size_t place = (mixed >> 32) & mask;
    while (definitions_[place].value && definitions_[place].value != &value) place = (place + 1) & mask;
    return place;
  }

  std::vector<Definition> definitions_;
};

}  // namespace dyad::passes
