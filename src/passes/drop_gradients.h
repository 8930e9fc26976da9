#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Functions that say what the gradient of a call is: whoever differentiates the graph has done so before.
void drop_gradients(ir::Module& module);

}  // namespace dyad::passes
