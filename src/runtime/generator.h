#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/philox.h"

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

}  // namespace dyad
