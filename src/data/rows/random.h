#pragma once

#include <cstdint>

#include "runtime/generator.h"

namespace dyad::data {

/// The random numbers of one row: a stream that is a function of its key alone, so that an order or an
/// augmentation is the same whatever the number of threads.
class Random {
 public:
  explicit Random(uint64_t key) : key_(key) {}

  /// A stream of its own for part number `part` of what this one is for.
  Random part(uint64_t part) const { return Random(mix(key_, part)); }
  uint64_t key() const { return key_; }

  uint32_t bits();
  /// Uniform in [0, 1), with 53 bits.
  double uniform();
  /// Uniform in [low, high); `low` if they are equal.
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform over the integers in [low, high], both included.
  int64_t integer(int64_t low, int64_t high);
  /// True with this probability.
  bool chance(double probability) { return uniform() < probability; }
  /// Normal with mean 0 and deviation 1.
  double normal();

  /// A key made of two.
  static uint64_t mix(uint64_t a, uint64_t b);

 private:
  uint64_t key_;
  uint64_t position_ = 0;
  uint32_t words_[4] = {};
  int left_ = 0;
};

}  // namespace dyad::data
