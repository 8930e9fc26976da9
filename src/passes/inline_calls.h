#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Writes out calls of functions that do not call themselves, and of the arm that an if with a known
/// condition takes. Symbols that a function makes are renamed at each place, for they may have another value
/// there. Calls stay where writing them out would make a function very long.
void inline_calls(ir::Module& module);

}  // namespace dyad::passes
