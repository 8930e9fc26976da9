#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Writes an operator that has a kernel of its own in terms of others (`Op::decomposition`) where these can
/// then be computed together with a neighbour, such that the value between the two need not be written to
/// memory: what makes one of its operands, or all that use one of its results, is computed element by
/// element, is a reduction, or is decomposed as well. Otherwise the kernel is as good and stays, unless it
/// stands for one other operator only. Code is generated for what this writes: the pass is of use only before
/// `fuse`.
void decompose_operators(ir::Module& module);

}  // namespace dyad::passes
