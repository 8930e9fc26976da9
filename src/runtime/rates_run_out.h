#pragma once

#include <cstdint>
#include <string>

#include "base/text.h"

namespace dyad {

/// What is wrong where an optimiser's list of learning rates has none for a step, whichever device finds it.
inline std::string rates_run_out(int64_t step, int64_t count) {
  return cat("learning_rate lists ", count, " rates, and this is step ", step,
             ", counted from 0; need a rate for each step");
}

}  // namespace dyad
