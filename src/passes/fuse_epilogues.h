#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Elementwise operators that follow a product, each the only use of what comes before it, become steps of
/// the product: `matmul` and `dense` with a matrix become `product`, a `panel_product` gets further steps.
/// Large products that are not packed stay as they are: the library that multiplies them takes no steps. The
/// numbers of every step are those of the operator that it stands for.
void fuse_product_epilogues(ir::Module& module);

/// Lets batch normalisation in training do what follows it on the same elements: `batch_norm_train_last` adds
/// the other branch of a sum and takes away what is negative, `batch_norm_train_grad_last` looks at the
/// output of a rectifier for the gradient that passes it. Each of these was a pass over memory of its own. A
/// step is attached where what it works on has no other user.
void fuse_norm_epilogues(ir::Module& module);

}  // namespace dyad::passes
