#pragma once

#include <bit>
#include <cstdint>

namespace dyad {

/// IEEE half precision as stored. Arithmetic happens in float32.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  explicit operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
};

/// The upper half of a float32, rounded to nearest even. NaN stays NaN.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    bits = static_cast<uint16_t>(value != value ? (word >> 16) | 0x40u : rounded);
  }
  explicit operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

}  // namespace dyad
