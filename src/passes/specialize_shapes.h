#pragma once

#include <span>

#include "ir/graph.h"

namespace dyad::passes {

/// Writes known sizes in the place of open ones: `params` are the shapes of the main function's parameters in
/// one run (empty for numbers and tokens), and every other size follows from them. Numbers that are sizes
/// become constants. Every operator is asked again whether it accepts its operands. False where a size
/// depends on data, changes from turn to turn, or where an operator refuses: the module is then of no use,
/// and the graph with symbolic dimensions is what has to run.
bool specialize_shapes(ir::Module& module, std::span<const Shape> params);

}  // namespace dyad::passes
