#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Removes the functions that compute the gradient of a call.
void drop_own_gradients(ir::Module& module);
/// Removes these and the marks of what is constant: the graph is differentiated before this.
void drop_gradients(ir::Module& module);

}  // namespace dyad::passes
