#pragma once

#include "transforms/joint.h"

namespace dyad::transforms {

/// Per residual of a loop's body: whether it differs from round to round, and so goes to a stack.
std::vector<bool> stacked_residuals(const Joint& body, size_t variables);

/// Lets a loop count its rounds and put aside what the gradient of its body needs, see `LoopForwardState`.
/// `body` is the program's body, split.
///
/// The condition and the body become functions that call the program's condition and the forward of `body`;
/// the node starts with no rounds and empty stacks, and gives both behind the results that it had.
void put_residuals_aside(ir::Module& module, ir::Node& loop, const Joint& body);

}  // namespace dyad::transforms
