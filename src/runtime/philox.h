#pragma once

#include <cstdint>

namespace dyad {

/// Four 32-bit words at one position of a stream.
struct Philox {
  uint32_t words[4];
  Philox(uint64_t seed, uint64_t position) {
    uint32_t key0 = static_cast<uint32_t>(seed);
    uint32_t key1 = static_cast<uint32_t>(seed >> 32);
    uint32_t c0 = static_cast<uint32_t>(position);
    uint32_t c1 = static_cast<uint32_t>(position >> 32);
    uint32_t c2 = 0;
    uint32_t c3 = 0;
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c0;
      const uint64_t p1 = uint64_t{0xCD9E8D57u} * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ key0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ key1;
      c3 = static_cast<uint32_t>(p0);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
  }
};

}  // namespace dyad
