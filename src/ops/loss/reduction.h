#pragma once

#include "ops/op.h"

namespace dyad::loss {

/// 'none', 'mean' or 'sum' applied to a loss per element; another word is a ValueError.
Value reduce(const Call& call, const Value& loss, size_t reduction);
/// Raises unless the reduction is one of the three.
void require_reduction(const Arguments& args, size_t reduction);
/// Raises a ValueError unless both arguments broadcast.
void require_broadcast(const Arguments& args, size_t a, size_t b);
/// Raises a ValueError unless both arguments have the same shape.
void require_same_shape(const Arguments& args, size_t a, size_t b);

}  // namespace dyad::loss
