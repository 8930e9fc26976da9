#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Lets one node stand for all later ones of the same function with the same operator and equal arguments.
/// Values that are written, given as results or shown to the host stay apart, for each has memory of its own.
void eliminate_common_subexpressions(ir::Module& module);

}  // namespace dyad::passes
