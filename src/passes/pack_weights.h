#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Products with a Parameter that the program does not write take it in panels: `dense` and
/// `matmul` with such a matrix become `panel_product` of `pack_panels`. The packing depends on the Parameter
/// alone, so that `hoist_weight_preprocessing` keeps what it gives. Results differ by the rounding of other
/// sums.
void pack_weights(ir::Module& module);

}  // namespace dyad::passes
