#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Drops nodes whose results have no users, unless they act otherwise (`effects.h`), parameters that a
/// function does not use, unused results of calls and arms, and functions without callers. The parameters and
/// results of the main function stay, as do results that make sizes known.
void eliminate_dead_code(ir::Module& module);

}  // namespace dyad::passes
