#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Lets networks of convolutions work with the channels innermost in memory, (images, sizes…, channels): the
/// library's convolutions are as fast in this order as in any other, in both directions and for any number of
/// channels, and every other operator can work in it. Convolutions of float32 images, batch normalisation,
/// pooling and what lies between them, elementwise operators, reductions and joins, are rewritten for tensors
/// of that order; a tensor changes its order only on the way into such a part of the graph and out of it.
/// Filters are packed by an operator of their own, so that a program can keep the result.
/// Shapes must be known; small convolutions and other dtypes stay as they are.
void choose_layouts(ir::Module& module);

}  // namespace dyad::passes
