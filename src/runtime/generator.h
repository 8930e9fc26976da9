#pragma once

#include <cstdint>
#include <mutex>

namespace dyad {

/// A stream of random numbers that is a function of (seed, position): Philox 4x32-10. An operator reserves as
/// many positions as it draws, so the same program gives the same numbers on every device, in every form and
/// whatever the number of threads.
class Generator {
 public:
  struct State {
    uint64_t seed;
    uint64_t position;
  };

  explicit Generator(uint64_t seed = 0) : state_{seed, 0} {}
  void set_state(State state);
  State state() const;
  void set_seed(uint64_t seed) { set_state({seed, 0}); }
  /// Takes `count` 128-bit positions; the caller uses the returned one and those after it.
  State reserve(uint64_t count);

 private:
  mutable std::mutex guard_;
  State state_;
};

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
