#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Batch normalisation by given statistics right after a convolution becomes part of its filters and bias:
/// each filter is multiplied by the scale of its channel. What is computed of Parameters for it depends on
/// them alone, so that hoist_weight_preprocessing leaves nothing of it to the runs. The result of the
/// convolution must have no other use, and the statistics and factors must be there before the function runs.
void fold_batch_norm(ir::Module& module);

}  // namespace dyad::passes
