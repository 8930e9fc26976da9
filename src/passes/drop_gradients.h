#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Functions that say what the gradient of a call is: the graph is differentiated before this.
void drop_gradients(ir::Module& module);

}  // namespace dyad::passes
