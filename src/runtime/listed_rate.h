#pragma once

#include <cstdint>
#include <string>

#include "base/text.h"

namespace dyad {

/// The error for a step that an optimizer's list of learning rates has no entry for, on any device.
inline std::string no_listed_rate(int64_t step, int64_t count) {
  return cat("learning_rate has ", count, " entries and the step is ", step, "; need a step of at least ",
             -count);
}

}  // namespace dyad
