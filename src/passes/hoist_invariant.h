#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Computes once, before a loop, what every turn of it would compute anew: nodes of its condition and body
/// that depend on nothing that changes, that cannot raise (the loop may have no turn at all), draw no random
/// numbers, and whose result is neither written nor given on. The results become further arguments of the
/// loop. Views stay where they are, for they cost nothing. Inner loops come first, so that a value may leave
/// several loops.
void hoist_invariant(ir::Module& module);

}  // namespace dyad::passes
