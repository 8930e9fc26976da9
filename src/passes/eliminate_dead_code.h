#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Drops nodes whose results nobody uses, unless they act otherwise (`effects.h`), parameters that a function
/// does not use, results of calls and arms that nobody uses, and functions that nobody calls. The parameters
/// and results of the main function stay.
void eliminate_dead_code(ir::Module& module);

}  // namespace dyad::passes
