#pragma once

#include "ops/op.h"

namespace dyad::infer {

/// A float result of the shape in argument 0 and the dtype in argument `dtype_at`.
void random_floats(const Arguments& args, Results& results, size_t dtype_at);
/// Sizes must be 0 or more.
void require_sizes(const Arguments& args, size_t at);

}  // namespace dyad::infer
