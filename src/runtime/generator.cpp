#include "runtime/generator.h"

namespace dyad {

void Generator::set_state(State state) {
  std::lock_guard lock(guard_);
  state_ = state;
}

Generator::State Generator::state() const {
  std::lock_guard lock(guard_);
  return state_;
}

Generator::State Generator::reserve(uint64_t count) {
  std::lock_guard lock(guard_);
  State taken = state_;
  state_.position += count;
  return taken;
}

}  // namespace dyad
