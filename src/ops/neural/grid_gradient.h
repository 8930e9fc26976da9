#pragma once

#include "ops/op.h"

namespace dyad {

/// The gradients of sampling at a grid by the images and by the grid, as the body of `sample_grid_back`.
ValueList sampling_gradients(const Call& call);

}  // namespace dyad
