#include "data/rows/random.h"

#include <cmath>
#include <numbers>

namespace dyad::data {

uint32_t Random::bits() {
  if (left_ == 0) {
    const Philox drawn(key_, position_++);
    for (int i = 0; i < 4; ++i) words_[i] = drawn.words[i];
    left_ = 4;
  }
  return words_[4 - left_--];
}

double Random::uniform() {
  const uint64_t high = bits() >> 5;
  const uint64_t low = bits() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

int64_t Random::integer(int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  uint64_t mask = span;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  while (true) {  // at least half of the draws are within the span
    const uint64_t drawn = ((static_cast<uint64_t>(bits()) << 32) | bits()) & mask;
    if (drawn <= span) return static_cast<int64_t>(static_cast<uint64_t>(low) + drawn);
  }
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

uint64_t Random::mix(uint64_t a, uint64_t b) {
  const Philox mixed(a, b);
  return (static_cast<uint64_t>(mixed.words[0]) << 32) | mixed.words[1];
}

}  // namespace dyad::data
