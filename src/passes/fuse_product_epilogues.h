#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Elementwise operators that follow a product, each the only use of what comes before it, become steps of
/// the product: `matmul` and `dense` with a matrix become `product`, a `panel_product` gets further steps.
/// Large products that are not packed stay as they are: the library that multiplies them takes no steps. The
/// numbers of every step are those of the operator that it stands for.
void fuse_product_epilogues(ir::Module& module);

}  // namespace dyad::passes
