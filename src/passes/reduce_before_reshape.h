#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// A reduction of a reshape that merges axes becomes one over the axes that were merged: the sum over the
/// rows of a [8, 128, n] seen as [1024, n] is the sum over its first two axes. It can then be fused with what
/// makes the value. The elements are brought together in the same order.
void reduce_before_reshape(ir::Module& module);

}  // namespace dyad::passes
