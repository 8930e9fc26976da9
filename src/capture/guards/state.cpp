#include "capture/guards/state.h"

#include "base/error.h"

namespace dyad::guards {

namespace {

std::vector<State>& table() {
  static std::vector<State> all;
  return all;
}

}  // namespace

void add_state(State state) { table().push_back(std::move(state)); }

const std::vector<State>& states() { return table(); }

const State& find_state(std::string_view name) {
  std::string known;
  for (const State& state : table()) {
    if (state.name == name) return state;
    known += cat(known.empty() ? "" : ", ", state.name);
  }
  value_error("check_state: there is no state '", name, "'; known are ", known);
}

}  // namespace dyad::guards
