#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyad::guards {

/// Something about the process or this thread that a captured program depends on, read as an integer.
struct State {
  enum class Form { kFlag, kNumber, kDType };

  std::string name;
  Form form;
  int64_t (*read)();
};

/// Stands for a dtype that is not set.
inline constexpr int64_t kNoDType = -1;

/// The room that knows how to read a state adds it, once, at start.
void add_state(State state);
/// All of them, in the order in which they were added.
const std::vector<State>& states();
/// The state of that name; an unknown one is a ValueError that lists the known ones.
const State& find_state(std::string_view name);

}  // namespace dyad::guards
