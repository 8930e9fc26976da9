#pragma once

#include <memory>
#include <vector>

#include "codegen/loops/kernel.h"
#include "codegen/loops/schedule.h"

namespace dyad::codegen {

/// Code of the loops of a schedule, phase by phase; null where a loop is empty.
struct PhaseCode {
  LoopFunction full = nullptr;
  LoopFunction kept = nullptr;
};

/// Runs a schedule on the cores of this machine. What is summed up in which order depends on the sizes
/// alone, not on the number of threads.
Ref<Launch> make_launch(Schedule schedule, std::vector<PhaseCode> code, int cost);

}  // namespace dyad::codegen
