#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Lets what was copied stand for its copy, where both are the same to the program: neither is written or
/// shown to the host, and at most one of them leaves the function. What is a view, or may be, is left alone:
/// its copy lies in order.
void eliminate_copies(ir::Module& module);

}  // namespace dyad::passes
